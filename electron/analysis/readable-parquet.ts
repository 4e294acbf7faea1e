/** Prepares a Parquet file so that the engine reads it correctly. Runs in the analysis process. */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { clearFooter, type FooterMark } from './parquet-footer.ts';

const MAGIC = 'PAR1';
/** Size of the footer's length and of the magic number. */
const TAIL_BYTES = 8;
/** Maximum size of a footer that is rewritten, enough for millions of columns. Larger ones are read unchanged. */
const MAX_FOOTER_BYTES = 256_000_000;

/** Calls `use` with the file itself, or with a copy that has a rewritten footer and is removed at the end. */
export async function withReadableParquet<T>(
  source: string,
  copy: string,
  use: (path: string, marks: ReadonlyMap<number, FooterMark>) => Promise<T>,
): Promise<T> {
  const found = await clearerEnd(source);
  if (found === null) return use(source, new Map());
  try {
    await copyFile(source, copy, constants.COPYFILE_FICLONE);
    const handle = await open(copy, 'r+');
    try {
      await handle.truncate(found.start);
      await handle.write(found.end, 0, found.end.length, found.start);
    } finally {
      await handle.close();
    }
    return await use(copy, found.marks);
  } catch (problem) {
    // The engine's message names the copy, so its path is replaced.
    if (problem instanceof Error) problem.message = problem.message.replaceAll(copy, source);
    throw problem;
  } finally {
    await rm(copy, WITH_RETRIES);
  }
}

/**
 * The end of the file with which the engine reads it correctly, and its position; null if the file needs no change or
 * the footer is damaged.
 */
async function clearerEnd(
  source: string,
): Promise<{ start: number; end: Buffer; marks: ReadonlyMap<number, FooterMark> } | null> {
  const handle = await open(source, 'r');
  try {
    const { size } = await handle.stat();
    if (size < TAIL_BYTES + MAGIC.length) return null;
    const tail = await bytesAt(handle, size - TAIL_BYTES, TAIL_BYTES);
    const length = tail.readUInt32LE(0);
    const start = size - TAIL_BYTES - length;
    if (tail.toString('latin1', 4) !== MAGIC || start < MAGIC.length || length > MAX_FOOTER_BYTES)
      return null;
    const found = clearFooter(await bytesAt(handle, start, length));
    if (found === null) return null;
    const newTail = Buffer.from(tail);
    newTail.writeUInt32LE(found.footer.length, 0);
    return { start, end: Buffer.concat([found.footer, newTail]), marks: found.marks };
  } catch (problem) {
    // The footer is damaged. The engine refuses the file and says why.
    if (problem instanceof RangeError) return null;
    throw problem;
  } finally {
    await handle.close();
  }
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}
