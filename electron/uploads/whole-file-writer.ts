/** Files that appear whole or not at all. */

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { whenFreeLater } from '../shared/busy-files.ts';
import { AppError, toAppError } from '../shared/errors.ts';

const PIECE_CHARACTERS = 64 * 1024;

type FileContent = AsyncIterable<string> | Iterable<string> | Uint8Array;

/** Few large pieces instead of many small ones. */
async function* inPieces(content: FileContent): AsyncGenerator<string | Uint8Array> {
  if (content instanceof Uint8Array) {
    yield content;
    return;
  }
  let piece = '';
  for await (const line of content) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Writes beside `path` under a temporary name, flushes, then renames. Throws DISK_FULL or FILE_UNREADABLE. */
export async function writeWhole(path: string, content: FileContent): Promise<void> {
  const partial = `${path}.part`;
  try {
    await pipeline(
      Readable.from(inPieces(content)),
      createWriteStream(partial, { encoding: 'utf8', flush: true }),
    );
    await whenFreeLater(() => rename(partial, path));
  } catch (problem) {
    await rm(partial, { force: true });
    throw writeError(path, problem);
  }
}

function writeError(path: string, problem: unknown): AppError {
  const known = toAppError(problem);
  if (known.code !== 'INTERNAL') return known;
  const file = basename(path);
  const code =
    typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';
  if (code === '') return known;
  const text = `${file} could not be written (${code}). Choose a folder that can be written, then save again.`;
  return new AppError('FILE_UNREADABLE', text, { file }, problem);
}
