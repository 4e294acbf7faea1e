/** A file in a multipart body. It is measured before sending, opened for each attempt, and read while it is sent. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';
import { READ_WITHOUT_WAITING } from './small-file.ts';

export interface FilePart {
  /** The file name sent to the service. */
  name: string;
  source: FileSource;
}

/** A text, an integer or a file, as the endpoint table states for the part. */
export type PartValue = string | number | FilePart;
export type Parts = Readonly<Record<string, PartValue>>;

type FileSource =
  | { kind: 'bytes'; bytes: Uint8Array }
  /** A file on disk, or `sizeBytes` of it from `startByte` on. It must not change until it was sent. */
  | { kind: 'file'; path: string; startByte?: number; sizeBytes?: number }
  /** Opens the file again for each attempt. Yields exactly `sizeBytes`. */
  | { kind: 'stream'; sizeBytes: number; open: () => AsyncIterable<Uint8Array> };

export interface MeasuredPart {
  sizeBytes: number;
  /** Throws FILE_CHANGED if the file is not the measured one. */
  open(): Promise<OpenPart>;
}

export interface OpenPart {
  /** Throws FILE_CHANGED before the last byte if the file has changed, FILE_UNREADABLE if reading fails. */
  chunks: AsyncIterable<Uint8Array>;
  /** May be called repeatedly, also while `chunks` is being read. */
  close(): Promise<void>;
}

const CHUNK_BYTES = 64 * 1_024;

/** Throws FILE_NOT_FOUND, FILE_UNREADABLE, and INVALID_ARGUMENT for a range outside the file. */
export async function measurePart(part: FilePart): Promise<MeasuredPart> {
  const { source } = part;
  switch (source.kind) {
    case 'bytes': {
      const chunks = async function* () {
        yield source.bytes;
      } satisfies () => AsyncIterable<Uint8Array>;
      return measuredStream(part.name, source.bytes.byteLength, chunks);
    }
    case 'stream':
      return measuredStream(part.name, source.sizeBytes, source.open);
    case 'file':
      return measureFile(part.name, source);
  }
}

function measuredStream(
  name: string,
  sizeBytes: number,
  open: () => AsyncIterable<Uint8Array>,
): MeasuredPart {
  return {
    sizeBytes,
    open: async () => {
      const iterator = open()[Symbol.asyncIterator]();
      return {
        chunks: exactly(name, sizeBytes, { [Symbol.asyncIterator]: () => iterator }),
        close: async () => {
          // Not awaited, because an iterator that hangs in its next chunk would never answer.
          iterator.return?.().catch(() => undefined);
        },
      };
    },
  };
}

async function* exactly(name: string, sizeBytes: number, chunks: AsyncIterable<Uint8Array>) {
  let leftBytes = sizeBytes;
  try {
    for await (const chunk of chunks) {
      leftBytes -= chunk.byteLength;
      if (leftBytes < 0) break;
      yield chunk;
    }
  } catch (problem) {
    throw problem instanceof AppError ? problem : unreadable(name, problem);
  }
  if (leftBytes !== 0) throw changed(name, 'its size differs from the announced size');
}

interface State {
  size: number;
  mtimeMs: number;
}

async function measureFile(
  name: string,
  { path, startByte = 0, sizeBytes }: Extract<FileSource, { kind: 'file' }>,
): Promise<MeasuredPart> {
  const before = await stat(path).catch((problem: unknown) => {
    throw unreadable(name, problem);
  });
  if (!before.isFile()) throw unreadable(name, null);
  const end = sizeBytes === undefined ? before.size : startByte + sizeBytes;
  if (startByte < 0 || end < startByte || end > before.size) {
    const message = `Expected a part of ${name} within its ${before.size} bytes, got bytes ${startByte} to ${end}.`;
    throw new AppError('INVALID_ARGUMENT', message, { file: name });
  }
  return {
    sizeBytes: end - startByte,
    open: async () => {
      // The file existed a moment ago, so any error means that it changed.
      const handle = await open(path, READ_WITHOUT_WAITING).catch((problem: unknown) => {
        throw changed(name, `it cannot be opened (${codeOf(problem)})`);
      });
      return { chunks: readFile(name, handle, before, startByte, end), close: () => handle.close() };
    },
  };
}

async function* readFile(
  name: string,
  handle: FileHandle,
  before: State,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end; ) {
    // Each chunk has its own memory, because the socket may keep it.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position).catch((problem: unknown) => {
      throw unreadable(name, problem);
    });
    position += bytesRead;
    if (bytesRead === 0) throw changed(name, 'it is shorter than it was');
    // Checked before the last bytes are sent. Without these bytes the service has no complete request.
    if (position === end) await checkUnchanged(name, handle, before);
    yield chunk.subarray(0, bytesRead);
  }
}

async function checkUnchanged(name: string, handle: FileHandle, before: State): Promise<void> {
  const now = await handle.stat();
  if (now.size !== before.size || now.mtimeMs !== before.mtimeMs)
    throw changed(name, 'its size or date differs');
}

function codeOf(problem: unknown): string {
  return typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';
}

function changed(name: string, reason: string): AppError {
  const message = `${name} changed while it was being sent: ${reason}. Send it again once nothing writes to it.`;
  return new AppError('FILE_CHANGED', message, { file: name });
}

/** `problem` is null if the path exists but is not a file. */
function unreadable(name: string, problem: unknown): AppError {
  const code = codeOf(problem);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const message = `Expected the file ${name}, but it no longer exists. Choose it again.`;
    return new AppError('FILE_NOT_FOUND', message, { file: name }, problem);
  }
  const hint = code === '' ? '' : ` (${code})`;
  const reason = problem === null || code === 'EISDIR' ? 'it is not a file' : `reading failed${hint}`;
  const message = `${name} cannot be read: ${reason}. Check the file and its permissions, then try again.`;
  return new AppError('FILE_UNREADABLE', message, { file: name }, problem ?? undefined);
}
