/**
 * The file format of a pack: a plain-text head, followed by lines of text, compressed and encrypted with AES-256-GCM in
 * chunks. The key is derived from the passphrase by scrypt. Each chunk is authenticated together with its number, the
 * head, and whether it is the last one, so that truncation, reordering and changes are detected. Data is streamed, so
 * memory use does not grow with the file.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { whenFreeLater } from '../shared/busy-files.ts';
import { AppError, noRoomError, toAppError } from '../shared/errors.ts';
import { PACK_VERSION } from '../shared/pack-model.ts';
import * as z from '../shared/zod.ts';

const MAGIC = Buffer.from('SPANPACK');
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const PREFIX_BYTES = 7;
const MAX_HEAD_BYTES = 4_096;
/** Number of the chunk that only serves to verify the passphrase. */
const CHECK_NUMBER = 0xffff_ffff;
/** Maximum length of a line. A line holds one record, and stored records are not longer. */
const MAX_LINE_CHARS = 80_000_000;
/** Cost of deriving the key, which takes half a second for each passphrase that is tried. */
const SCRYPT = { N: 131_072, r: 8, p: 1 };

const head = z.strictObject({
  version: z.int().min(1),
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    // Upper bound of the work that an untrusted file can cause: 512 MB of memory and a few seconds.
    N: z
      .int()
      .min(16_384)
      .max(524_288)
      .refine((n) => (n & (n - 1)) === 0),
    r: z.int().min(8).max(8),
    p: z.int().min(1).max(4),
    salt: z.base64().length(24),
  }),
  cipher: z.literal('aes-256-gcm'),
  prefix: z.base64(),
  chunkBytes: z.literal(CHUNK_BYTES),
});
const anyHead = z.looseObject({ version: z.int() });
type Head = z.infer<typeof head>;

interface Seal {
  key: Buffer;
  prefix: Buffer;
  /** Hash of the head, byte by byte as in the file. */
  headHash: Buffer;
}

function deriveKey(passphrase: string, { N, r, p, salt }: Head['kdf']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: 160 * N * r };
    // Normalized, because other keyboards may produce other bytes for the same letters.
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function nonceOf({ prefix }: Seal, number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  prefix.copy(nonce);
  nonce.writeUInt32BE(number, PREFIX_BYTES);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

function sealed(seal: Seal, number: number, isLast: boolean, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', seal.key, nonceOf(seal, number, isLast));
  cipher.setAAD(seal.headHash);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The decrypted chunk; null if authentication fails. */
function unsealed(seal: Seal, number: number, isLast: boolean, chunk: Buffer): Buffer | null {
  if (chunk.length < TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', seal.key, nonceOf(seal, number, isLast));
  decipher.setAAD(seal.headHash);
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG_BYTES));
  const plain = decipher.update(chunk.subarray(0, chunk.length - TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}

/** Chunks of exactly `size` bytes, except the last, which may be empty. */
async function* inChunks(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const part of source) {
    waiting.push(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    bytes += part.byteLength;
    if (bytes <= size) continue;
    let whole = Buffer.concat(waiting, bytes);
    // One chunk is held back, because the last one is known only at the end.
    while (whole.length > size) {
      yield { chunk: whole.subarray(0, size), isLast: false };
      whole = whole.subarray(size);
    }
    waiting = [whole];
    bytes = whole.length;
  }
  yield { chunk: Buffer.concat(waiting, bytes), isLast: true };
}

/** Joins many small texts into a few large pieces. */
async function* inPieces(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < CHUNK_BYTES) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}

/** The temporary file in which a process writes a pack. */
export const partName = (path: string, pid: number | string) =>
  join(dirname(path), `.${basename(path)}.${pid}.part`);

/** Deletes incomplete packs with this name that were left by killed processes. */
async function removeUnfinished(path: string): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const pid =
      name.startsWith(start) && name.endsWith('.part') ? Number(name.slice(start.length, -5)) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid))
      await whenFreeLater(() => rm(join(dirname(path), name), { force: true }));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (problem) {
    return problem instanceof Error && 'code' in problem && problem.code === 'EPERM';
  }
}

/**
 * Writes lines as a pack. The file appears atomically and is readable only by its owner. A killed process leaves only
 * an encrypted partial file, which the next call deletes. `cost`: a lower one is for tests. Throws DISK_FULL,
 * FILE_UNREADABLE, and the errors of `lines`.
 */
export async function writePack(
  path: string,
  passphrase: string,
  lines: AsyncIterable<string> | Iterable<string>,
  cost = SCRYPT,
): Promise<void> {
  const prefix = randomBytes(PREFIX_BYTES);
  const kdf = { name: 'scrypt' as const, ...cost, salt: randomBytes(16).toString('base64') };
  const own: Head = {
    version: PACK_VERSION,
    kdf,
    cipher: 'aes-256-gcm',
    prefix: prefix.toString('base64'),
    chunkBytes: CHUNK_BYTES,
  };
  const json = Buffer.from(JSON.stringify(own));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  const front = Buffer.concat([MAGIC, length, json]);
  const seal = { key: await deriveKey(passphrase, kdf), prefix, headHash: hashOf(front) };
  const partial = partName(path, process.pid);
  try {
    await removeUnfinished(path);
    await pipeline(
      Readable.from(inPieces(lines)),
      createGzip(),
      async function* (source: AsyncIterable<Uint8Array>) {
        yield front;
        yield sealed(seal, CHECK_NUMBER, true, Buffer.alloc(0));
        let number = 0;
        for await (const { chunk, isLast } of inChunks(source, CHUNK_BYTES)) {
          yield sealed(seal, number, isLast, chunk);
          number += 1;
        }
      },
      createWriteStream(partial, { flags: 'w', mode: 0o600, flush: true }),
    );
    await whenFreeLater(() => rename(partial, path));
  } catch (problem) {
    await whenFreeLater(() => rm(partial, { force: true }));
    throw fileError(path, problem, 'written');
  }
}

function hashOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function fileError(path: string, problem: unknown, what: 'written' | 'read'): AppError {
  const full = noRoomError(basename(path), problem);
  if (full !== null) return full;
  const known = toAppError(problem);
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  if (known.code !== 'INTERNAL' || code === '') return known;
  const file = basename(path);
  if (code === 'ENOENT')
    return new AppError('FILE_NOT_FOUND', `There is no ${file} in ${dirname(path)}.`, { file });
  return new AppError('FILE_UNREADABLE', `${file} could not be ${what} (${code}).`, { file }, problem);
}

function malformed(path: string, what: string): AppError {
  const file = basename(path);
  return new AppError('FILE_MALFORMED', `${file} ${what} Nothing was opened. Ask for the file again.`, {
    file,
  });
}

interface PackReader {
  /**
   * Yields the lines. Throws FILE_MALFORMED if the file is truncated, changed, or has more bytes than `mayHold` allows.
   */
  lines(): AsyncGenerator<string>;
  /** Sets the maximum number of further uncompressed bytes. */
  mayHold(bytes: number): void;
}

const FIRST_BYTES = 4_000_000;

/**
 * Opens a pack. Reads no content before the passphrase is verified. Throws FILE_NOT_FOUND, FILE_UNREADABLE,
 * FILE_MALFORMED if it is not a pack, FILE_NEWER, PASSPHRASE_WRONG.
 */
export async function openPack(path: string, passphrase: string): Promise<PackReader> {
  const { front, own, start, sizeBytes } = await readHead(path).catch((problem: unknown) => {
    throw fileError(path, problem, 'read');
  });
  const prefix = Buffer.from(own.prefix, 'base64');
  if (prefix.length !== PREFIX_BYTES) throw malformed(path, 'has a header that is not well formed.');
  const seal = { key: await deriveKey(passphrase, own.kdf), prefix, headHash: hashOf(front) };
  const handle = await open(path, 'r');
  const check = Buffer.alloc(TAG_BYTES);
  const { bytesRead } = await handle.read(check, 0, TAG_BYTES, start);
  await handle.close();
  if (bytesRead < TAG_BYTES || sizeBytes <= start + TAG_BYTES)
    throw malformed(path, 'is cut off: it ends after its header.');
  if (unsealed(seal, CHECK_NUMBER, true, check) === null) {
    throw new AppError(
      'PASSPHRASE_WRONG',
      `This is not the passphrase of ${basename(path)}, or the beginning of the file was changed. Nothing was opened.`,
      { file: basename(path) },
    );
  }
  let mostBytes = FIRST_BYTES;
  async function* plain(): AsyncGenerator<Buffer> {
    const file = createReadStream(path, { start: start + TAG_BYTES });
    let number = 0;
    for await (const { chunk, isLast } of inChunks(file, CHUNK_BYTES + TAG_BYTES)) {
      const opened = unsealed(seal, number, isLast, chunk);
      if (opened === null) throw malformed(path, 'is cut off or was changed on its way.');
      number += 1;
      yield opened;
    }
  }
  async function* lines(): AsyncGenerator<string> {
    const source = Readable.from(plain());
    const gunzip = createGunzip();
    source.on('error', (problem) => gunzip.destroy(problem));
    source.pipe(gunzip);
    let bytes = 0;
    let rest: Buffer[] = [];
    let restBytes = 0;
    for await (const part of gunzip as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > mostBytes) throw malformed(path, 'contains more than it states.');
      let from = 0;
      for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
        yield Buffer.concat([...rest, part.subarray(from, end)]).toString('utf8');
        rest = [];
        restBytes = 0;
        from = end + 1;
      }
      if (from === part.length) continue;
      rest.push(part.subarray(from));
      restBytes += part.length - from;
      if (restBytes > MAX_LINE_CHARS) throw malformed(path, 'contains a line that is too long.');
    }
    if (restBytes > 0) throw malformed(path, 'ends in the middle of a line.');
  }
  return {
    mayHold: (more) => {
      mostBytes = FIRST_BYTES + more;
    },
    lines: async function* () {
      try {
        yield* lines();
      } catch (problem) {
        const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
        if (code.startsWith('Z_')) throw malformed(path, 'is not compressed as expected.');
        throw fileError(path, problem, 'read');
      }
    },
  };
}

async function readHead(path: string) {
  const found = await stat(path);
  // Opening a pipe would block until there is a writer.
  if (!found.isFile()) throw malformed(path, 'is a folder, a device or a pipe, not a file.');
  const sizeBytes = found.size;
  const handle = await open(path, 'r');
  try {
    const fixed = Buffer.alloc(MAGIC.length + 4);
    await handle.read(fixed, 0, fixed.length, 0);
    if (!fixed.subarray(0, MAGIC.length).equals(MAGIC)) throw malformed(path, 'is not a pack of Spandeck.');
    const length = fixed.readUInt32BE(MAGIC.length);
    if (length > MAX_HEAD_BYTES || fixed.length + length > sizeBytes)
      throw malformed(path, 'is cut off in its header.');
    const json = Buffer.alloc(length);
    await handle.read(json, 0, length, fixed.length);
    const front = Buffer.concat([fixed, json]);
    return { front, own: parseHead(path, json.toString('utf8')), start: front.length, sizeBytes };
  } finally {
    await handle.close();
  }
}

function parseHead(path: string, text: string): Head {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(path, 'has a header that is not well formed.');
  }
  const any = anyHead.safeParse(value);
  if (any.success && any.data.version > PACK_VERSION) {
    throw new AppError(
      'FILE_NEWER',
      `${basename(path)} was made by a newer version of Spandeck (pack version ${any.data.version}; this one reads up to ${PACK_VERSION}). Install that version to open it.`,
      { file: basename(path) },
    );
  }
  const parsed = head.safeParse(value);
  if (!parsed.success) throw malformed(path, 'has a header that is not well formed.');
  return parsed.data;
}
