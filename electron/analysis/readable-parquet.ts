/** A Parquet file in a form that the engine reads right. Runs in the analysis process. */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { clearFooter, type FooterMark } from './parquet-footer.ts';

const MAGIC = 'PAR1';
/** The length of the description, and the mark of the format. */
const TAIL_BYTES = 8;
/** A description of millions of columns; the engine reads larger ones as they are. */
const MAX_FOOTER_BYTES = 256_000_000;

/** Uses the file itself, or a copy of it with a clearer description, which is removed at the end. */
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
    // The engine names the file that it read.
    if (problem instanceof Error) problem.message = problem.message.replaceAll(copy, source);
    throw problem;
  } finally {
    await rm(copy, WITH_RETRIES);
  }
}

/** The end with which the engine reads the file correctly, and its position; null if the file needs none or is refused. */
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
    // The description is damaged: the engine refuses the file and says why.
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
