/** Writes files atomically: complete or not at all. */
import { createWriteStream } from 'node:fs';
import { chmod, lstat, mkdtemp, readlink, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { AppError, noRoomError, toAppError } from '../shared/errors.ts';
import { giveMode } from '../shared/file-modes.ts';

const PIECE_CHARACTERS = 64 * 1024;

/** Single lines, or many lines at once as bytes. Bytes are written in pieces. */
type FileContent = AsyncIterable<string> | Iterable<string | Uint8Array> | Uint8Array;

/** Joins many small chunks into few large ones. */
async function* inPieces(content: FileContent): AsyncGenerator<string | Uint8Array> {
  if (content instanceof Uint8Array) {
    yield content;
    return;
  }
  let piece = '';
  // Does not await each line, because awaiting a million lines takes longer than building them.
  if (Symbol.iterator in content) {
    for (const line of content) {
      if (typeof line !== 'string') {
        if (piece !== '') yield piece;
        piece = '';
        yield line;
        continue;
      }
      piece += line;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  } else {
    for await (const line of content) {
      piece += line;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}

/** Maximum number of links that are followed. A longer chain is taken for a loop. */
const MAX_LINKS = 40;

interface Place {
  /** The path after following links. */
  path: string;
  /** Mode of the existing file; null if there is none. */
  mode: number | null;
  /** True for a device or a pipe, which cannot be replaced by a file. */
  isSpecial: boolean;
}

async function placeOf(path: string): Promise<Place> {
  let at = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const stats = await lstat(at).catch((problem: unknown) => {
      if (codeOf(problem) === 'ENOENT') return null;
      throw problem;
    });
    if (stats === null) return { path: at, mode: null, isSpecial: false };
    if (!stats.isSymbolicLink()) {
      const isSpecial = !stats.isFile() && !stats.isDirectory();
      return { path: at, mode: stats.mode & 0o777, isSpecial };
    }
    at = resolve(dirname(at), await readlink(at));
  }
  throw new AppError(
    'FILE_UNREADABLE',
    `${basename(path)} is a link that leads to itself. Choose another name.`,
  );
}

/**
 * Writes the file completely or not at all. Links are followed; a device or a pipe is written to directly. Throws
 * DISK_FULL or FILE_UNREADABLE.
 */
export async function writeWhole(path: string, content: FileContent): Promise<void> {
  try {
    const place = await placeOf(path);
    const pieces = Readable.from(inPieces(content));
    if (place.isSpecial) {
      await pipeline(pieces, createWriteStream(place.path, { encoding: 'utf8', flags: 'w' }));
      return;
    }
    await replace(place, (part) =>
      pipeline(pieces, createWriteStream(part, { encoding: 'utf8', flush: true })),
    );
  } catch (problem) {
    throw writeError(path, problem);
  }
}

/**
 * Like `writeWhole`, but `write` creates the file under the name it is given, for example in another process. Throws
 * INVALID_ARGUMENT for a device or a pipe, and errors of `write`.
 */
export async function writeInPlace<T>(path: string, write: (part: string) => Promise<T>): Promise<T> {
  try {
    const place = await placeOf(path);
    if (!place.isSpecial) return await replace(place, write);
  } catch (problem) {
    throw writeError(path, problem);
  }
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected a file, but ${basename(path)} is a device or a pipe. Choose another name.`,
  );
}

/** Writes the file in a new folder next to it, then renames it. No other process or person uses the folder. */
async function replace<T>({ path, mode }: Place, write: (part: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(dirname(path), '.spandeck-part-'));
  try {
    const part = join(home, 'part');
    const written = await write(part);
    if (mode !== null) await giveMode(part, mode, { stat, chmod });
    await whenFreeLater(() => rename(part, path));
    return written;
  } finally {
    await rm(home, WITH_RETRIES);
  }
}

const codeOf = (problem: unknown): string =>
  typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';

function writeError(path: string, problem: unknown): AppError {
  const file = basename(path);
  const full = noRoomError(file, problem);
  if (full !== null) return full;
  const code = codeOf(problem);
  const known = toAppError(problem);
  if (known.code !== 'INTERNAL' || code === '') return known;
  const text = `${file} could not be written (${code}). Choose a folder that can be written, then try again.`;
  return new AppError('FILE_UNREADABLE', text, { file }, problem);
}
