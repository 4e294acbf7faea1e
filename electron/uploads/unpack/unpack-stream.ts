/** Unpacks gzip, Zstandard, Brotli and members of zip archives as streams, so that memory stays constant. */
import { once } from 'node:events';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import * as yauzl from 'yauzl';
import { AppError } from '../../shared/errors.ts';
import { isMarkerFile } from '../folder-files.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { excerptOf } from '../readers/row-source.ts';
import type { CopyWriter } from './copy-writer.ts';
import { ZstdFrames } from './zstd-frames.ts';

const DECOMPRESS = {
  gzip: () => createGunzip(),
  brotli: () => createBrotliDecompress(),
} as const;
type Compression = keyof typeof DECOMPRESS | 'zstd';

/** Throws FILE_MALFORMED for truncated or damaged data, DISK_FULL. */
export async function unpackCompressed(
  path: string,
  name: string,
  compression: Compression,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<void> {
  const source = heartbeat.stream(path);
  if (compression === 'zstd') await writeFrames(source, name, writer);
  else await writeAll(source, DECOMPRESS[compression](), name, writer);
}

/** Unpacks each Zstandard frame separately. */
async function writeFrames(source: Readable, name: string, writer: CopyWriter): Promise<void> {
  const frames = new ZstdFrames();
  let open: { input: PassThrough; done: Promise<void> } | null = null;
  const begin = () => {
    const input = new PassThrough();
    const done = writeAll(input, createZstdDecompress(), name, writer);
    // Prevents an unhandled rejection; `done` is awaited later.
    done.catch(() => undefined);
    return { input, done };
  };
  try {
    for await (const chunk of source) {
      for (const { bytes, isLast } of framesIn(frames, chunk, name)) {
        open ??= begin();
        const { input, done } = open;
        // If the data is damaged, reports the error of `done`, whichever stream fails first.
        if (!input.write(bytes)) await Promise.race([once(input, 'drain').catch(() => done), done]);
        if (!isLast) continue;
        input.end();
        await done;
        open = null;
      }
    }
    if (open === null && frames.isWhole) return;
    open?.input.end();
    await open?.done;
    throw damaged(name, new Error('the last frame is not whole'));
  } finally {
    open?.input.destroy();
  }
}

function framesIn(frames: ZstdFrames, chunk: Buffer, name: string): ReturnType<ZstdFrames['push']> {
  try {
    return frames.push(chunk);
  } catch (problem) {
    throw damaged(name, problem);
  }
}

async function writeAll(
  source: Readable,
  decompress: Transform,
  name: string,
  writer: CopyWriter,
): Promise<void> {
  const write = async () => {
    for await (const piece of decompress) await writer.bytes(piece);
  };
  try {
    await Promise.all([pipeline(source, decompress), write()]);
  } catch (problem) {
    throw isOfData(problem) ? damaged(name, problem) : problem;
  }
}

/** True for failures caused by the content. Failures of the disk and the file system have other codes. */
export function isOfData(problem: unknown): boolean {
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  return /^(Z_|ZSTD_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ERR_ZSTD|ERR_STREAM_PREMATURE)/.test(code);
}

function damaged(name: string, cause: unknown): AppError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.+$/, '');
  const outside = /^(?:invalid relative path|absolute path): (.*)$/.exec(reason)?.[1];
  if (outside !== undefined)
    return new AppError(
      'FILE_MALFORMED',
      `Expected files inside of the archive ${name}, got one whose path leads out of it: ${excerptOf(outside)}. Nothing of it was unpacked. Pack its files again, or unpack it with your own tool and choose what comes out.`,
      { file: name },
      cause,
    );
  const next = /unsupported compression method/.test(reason)
    ? 'Unpack it with your own tool, then choose what comes out.'
    : /(?:too many|not enough) bytes in the stream/.test(reason)
      ? 'It is damaged, or was packed by a program that states wrong sizes: open and save it again with the program that it belongs to, or unpack it with your own tool.'
      : 'It is cut off or damaged: copy it here again.';
  return new AppError(
    'FILE_MALFORMED',
    `${name} cannot be unpacked: ${reason}. ${next}`,
    { file: name },
    cause,
  );
}

export interface ZipMember {
  /** Path inside the archive, with `/`. */
  member: string;
  sizeBytes: number;
}

/** Files of an archive, without folders and files that operating systems add. Throws FILE_MALFORMED. */
export async function zipMembers(
  path: string,
  name: string,
  most: number,
  heartbeat: Heartbeat,
): Promise<{ members: ZipMember[]; total: number }> {
  return withZip(path, name, async (zip) => {
    const members: ZipMember[] = [];
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      heartbeat.beat();
      if (isPassedOver(entry.fileName)) continue;
      total += 1;
      if (members.length < most) members.push({ member: entry.fileName, sizeBytes: entry.uncompressedSize });
    }
    return { members, total };
  });
}

const isPassedOver = (member: string): boolean =>
  member.endsWith('/') ||
  /(^|\/)(__MACOSX\/|\.[^/]*$|Thumbs\.db$|desktop\.ini$)/.test(member) ||
  isMarkerFile(member);

/** Throws FILE_NOT_FOUND, FILE_MALFORMED, FILE_UNREADABLE (a member with a password). */
export async function unpackMember(
  path: string,
  name: string,
  member: string,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<void> {
  await withZip(path, name, async (zip) => {
    for await (const entry of zip.eachEntry()) {
      heartbeat.readUntil(entry.relativeOffsetOfLocalHeader);
      if (entry.fileName !== member) continue;
      if (entry.isEncrypted()) {
        throw new AppError(
          'FILE_UNREADABLE',
          `${member} in ${name} needs a password. Unpack it with your own tool, then choose what comes out.`,
          { file: name },
        );
      }
      await writeAll(await zip.openReadStreamPromise(entry), new PassThrough(), `${name}/${member}`, writer);
      return;
    }
    throw new AppError('FILE_NOT_FOUND', `Expected ${member} in ${name}, but it no longer exists.`, {
      file: name,
    });
  });
}

/** Opens an archive while `use` runs. Throws FILE_MALFORMED, and the errors of `use`. */
export async function withZip<T>(
  path: string,
  name: string,
  use: (zip: yauzl.ZipFile) => Promise<T>,
): Promise<T> {
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true } as const;
  let zip: yauzl.ZipFile | null = null;
  try {
    zip = await yauzl.openPromise(path, options);
    return await use(zip);
  } catch (problem) {
    const isOfFile = problem instanceof Error && 'code' in problem;
    throw problem instanceof AppError || isOfFile ? problem : damaged(name, problem);
  } finally {
    zip?.close();
  }
}
