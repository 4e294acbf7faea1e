/** The byte order mark of UTF-8. Files that were joined have one in the middle. */
export const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export const isMark = (bytes: Buffer, at: number): boolean =>
  bytes[at] === MARK[0] && bytes[at + 1] === MARK[1] && bytes[at + 2] === MARK[2];
