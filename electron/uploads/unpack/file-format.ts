/** Detects the format of an open file from its beginning. If that is not enough, the end of the first line decides. */
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { readAt, readPieces } from '../readers/raw-file.ts';
import { wholeCharacters } from '../readers/whole-characters.ts';
import { MAX_PIECE_BYTES, precedesObject } from './json-pieces.ts';
import { MARKDOWN_NAME, MAX_MARKDOWN_BYTES } from './markdown-table.ts';
import { mayBeLines, PACKED_HEAD_BYTES, type PackedFormat, packedFormat } from './packed-format.ts';

interface FileFormat {
  /** The first `PACKED_HEAD_BYTES` bytes. */
  head: Buffer;
  /** Null for text that is read row by row without conversion. */
  format: PackedFormat | null;
}

/** Throws FILE_UNREADABLE. */
export async function formatOf(handle: FileHandle, path: string, name: string): Promise<FileFormat> {
  const head = await readAt(handle, path, 0, PACKED_HEAD_BYTES);
  const isLines =
    mayBeLines(name, head) && (await isObjectPerLine(readPieces(handle, path, 0, MAX_PIECE_BYTES)));
  const format = isLines ? null : packedFormat(name, head);
  const isBars = format === 'markdown' && !MARKDOWN_NAME.test(name) && !(await isMarkdown(handle, path));
  return { head, format: isBars ? null : format };
}

/** False for a table in bars that is too large to be converted or is not UTF-8. Such text is read row by row. */
async function isMarkdown(handle: FileHandle, path: string): Promise<boolean> {
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const bytes of readPieces(handle, path, 0, MAX_MARKDOWN_BYTES + 1)) {
    size += bytes.length;
    const all = Buffer.concat([rest, bytes]);
    const whole = wholeCharacters(all);
    if (size > MAX_MARKDOWN_BYTES || !isUtf8(all.subarray(0, whole))) return false;
    rest = all.subarray(whole);
  }
  return rest.length === 0;
}

const [LF, OPEN] = [0x0a, 0x7b];
const isBlank = (byte: number): boolean => byte <= 0x20;

/**
 * True for JSON Lines: the first line ends with a complete object or is cut off, and an object begins on the next line.
 * Inside a larger value, a comma, a colon or a bracket would separate them.
 */
async function isObjectPerLine(pieces: AsyncIterable<Buffer>): Promise<boolean> {
  let last: number | undefined;
  let isOver = false;
  for await (const bytes of pieces) {
    for (let from = 0; from < bytes.length; ) {
      if (isOver) {
        const next = bytes.subarray(from).find((byte) => !isBlank(byte));
        if (next !== undefined) return next === OPEN;
        break;
      }
      const end = bytes.indexOf(LF, from);
      const line = bytes.subarray(from, end === -1 ? bytes.length : end);
      last = line.findLast((byte) => !isBlank(byte)) ?? last;
      if (end === -1) break;
      if (last !== undefined && precedesObject(last)) return false;
      isOver = last !== undefined;
      from = end + 1;
    }
  }
  return false;
}
