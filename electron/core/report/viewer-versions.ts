/**
 * Script and style of each version of a report, as base64 of their SHA-256. They identify the viewer in a file long
 * after it was written. A viewer that changes after a release is therefore a new version (`REPORT_VERSION`) with its
 * own entry; entries of released versions stay.
 */
export const VIEWER_VERSIONS: Readonly<Record<number, { script: string; style: string }>> = {
  1: {
    script: '8j7iUlFv2MXGPHEGv4NfoMdFGDikNcE1F/aIYijMKss=',
    style: 'kHZKTEnW4eqvWPWG3pskZHOFrjgr6bxdIwpub6qUwaw=',
  },
};
