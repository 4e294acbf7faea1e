/** Detects the format of an open file from its beginning. If that is not enough, the end of the first line decides. */
import type { FileHandle } from 'node:fs/promises';
import { readAt, readPieces } from '../readers/raw-file.ts';
import { MAX_PIECE_BYTES, precedesObject } from './json-pieces.ts';
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
  return { head, format: isLines ? null : packedFormat(name, head) };
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
