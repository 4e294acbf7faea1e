/** A file opened for reading its raw bytes. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type FileState, fileError, readFileState } from '../file-state.ts';

const CHUNK_BYTES = 256 * 1024;
/**
 * If the path became a pipe after it was checked, opening it must not block a thread of the pool. Windows has no such
 * flag.
 */
const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

interface RawFile {
  handle: FileHandle;
  name: string;
  state: FileState;
  close(): Promise<void>;
}

/** Throws FILE_NOT_FOUND, FILE_UNREADABLE, FILE_EMPTY. */
export async function openRaw(path: string): Promise<RawFile> {
  const state = await readFileState(path);
  const handle = await open(path, READ_WITHOUT_WAITING).catch((problem: unknown) => {
    throw fileError(path, problem);
  });
  return { handle, name: basename(path), state, close: () => handle.close() };
}

/** Reads bytes at an offset; fewer at the end of the file. `into`: a buffer to use instead of a new one. */
export async function readAt(
  handle: FileHandle,
  path: string,
  offset: number,
  length: number,
  into?: Buffer,
): Promise<Buffer> {
  const bytes = into ?? Buffer.allocUnsafeSlow(length);
  try {
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    return bytes.subarray(0, bytesRead);
  } catch (problem) {
    throw fileError(path, problem);
  }
}

/** Yields the bytes of a range in chunks. */
export async function* readPieces(
  handle: FileHandle,
  path: string,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const bytes = await readAt(handle, path, at, Math.min(CHUNK_BYTES, to - at));
    if (bytes.length === 0) return;
    at += bytes.length;
    yield bytes;
  }
}
