/** Reads text from a file, a pipe or standard input, with a size limit and without waiting forever. */
import { close, createReadStream, fstatSync, open } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { promisify } from 'node:util';
import { READ_WITHOUT_WAITING } from '../api/small-file.ts';
import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';

/** Maximum size: larger than any body, and small enough to be in memory twice. */
const MAX_MB = 16;
const MAX_BYTES = MAX_MB * 1_048_576;
/** Time after which a note says that a pipe is silent, because it may have no writer. */
const NOTE_AFTER_MS = 2_000;

/**
 * The text of a regular file or a pipe (`<(…)`, a FIFO). Devices are refused, because they have no end. Throws
 * FILE_NOT_FOUND or INVALID_ARGUMENT.
 */
export async function readTextFile(context: CommandContext, option: string, file: string): Promise<string> {
  const fd = await promisify(open)(file, READ_WITHOUT_WAITING).catch((thrown: unknown) => {
    throw new AppError('FILE_NOT_FOUND', `--${option} names ${file}, which cannot be read.`, {}, thrown);
  });
  const what = `${file}, named by --${option},`;
  const found = fstatSync(fd);
  if (found.isFile()) return readAll(createReadStream('', { fd }), what);
  if (found.isFIFO()) return readPipe(context, fd, file, what);
  await promisify(close)(fd);
  throw new AppError(
    'INVALID_ARGUMENT',
    `--${option} expects a file or a pipe; ${file} is a ${found.isDirectory() ? 'folder' : 'device'}. Standard input is read with --${option} -.`,
  );
}

/** Like `readTextFile`, for standard input. Throws CANCELLED after Ctrl-C. */
export async function readStandardInput({ stdin, signal }: CommandContext): Promise<string> {
  const what = 'Standard input';
  return orStopped(signal, what, () => readAll(addAbortSignal(signal, stdin), what));
}

async function readAll(chunks: AsyncIterable<Uint8Array | string>, what: string): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const part = Buffer.from(chunk);
    length += part.length;
    if (length > MAX_BYTES)
      throw new AppError('INVALID_ARGUMENT', `${what} is larger than ${MAX_MB} MB. Nothing was sent.`);
    parts.push(part);
  }
  return textOf(Buffer.concat(parts), what);
}

/**
 * The text in UTF-8, or in UTF-16 as Windows PowerShell writes it, without its byte order mark. Throws INVALID_ARGUMENT
 * for other bytes, because the letters that they stand for are not known.
 */
export function textOf(bytes: Uint8Array, what: string): string {
  const [first, second, third, fourth] = bytes;
  const isMarked = first === 0xff && second === 0xfe;
  // The mark of UTF-32 begins with that of UTF-16.
  const isUtf32 = isMarked && third === 0 && fourth === 0;
  try {
    if (!isUtf32) return new TextDecoder(isMarked ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw unreadable(what, isMarked ? 'is text in UTF-16 with half of a character in it' : OTHER, thrown);
  }
  throw unreadable(what, 'is text in UTF-32, which is not read');
}

const OTHER = 'is not text in UTF-8, nor in UTF-16 with its mark (FF FE)';

const unreadable = (what: string, reason: string, cause?: unknown): AppError =>
  new AppError(
    'INVALID_ARGUMENT',
    `${what} ${reason}. Save it as UTF-8, then try again. Nothing was sent.`,
    {},
    cause,
  );

/** Reads; throws CANCELLED if that fails because of Ctrl-C. */
async function orStopped(signal: AbortSignal, what: string, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (thrown) {
    if (signal.aborted) throw new AppError('CANCELLED', `Stopped while reading ${what}. Nothing was sent.`);
    throw thrown;
  }
}

/** Reads a pipe by the event loop; reading it as a file would block a thread until the writer writes. */
async function readPipe(
  { signal, output }: CommandContext,
  fd: number,
  file: string,
  what: string,
): Promise<string> {
  const pipe = new Socket({ fd, readable: true, writable: false, signal });
  const note = `Waiting for a program that writes to the pipe ${file}. Press Ctrl-C to stop.`;
  const stopNote = systemClock.setTimer(() => output.note(note), NOTE_AFTER_MS);
  pipe.once('data', stopNote);
  try {
    return await orStopped(signal, what, () => readAll(pipe, what));
  } finally {
    stopNote();
    pipe.destroy();
  }
}
