/**
 * Whether the write-ahead log beside a store is the one that its last process wrote. SQLite reads a log up to its first
 * damaged frame and ignores the rest without an error, and reads the log of another store as if it were its own.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/**
 * `lost`: committed changes are missing, because the log was removed, cut or damaged. `foreign`: the log is not that of
 * the store, so nothing in it is.
 */
type LogState = 'whole' | 'lost' | 'foreign';

/** Parts of the log's index (`-shm`), in the byte order of this computer; see the SQLite WAL format. */
const INDEX_BYTES = 100;
const INDEX_HEADER_BYTES = 48;
const PAGE_SIZE_AT = 7;
const FRAMES_AT = 4;
const LAST_CHECKSUM_AT = 6;
const INDEX_SALT_AT = 32;
const BACKFILLED_AT = 24;
/** Parts of the log, big endian. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const SALT_AT = 16;
const SALT_BYTES = 8;
/** Restarts of a log between two writes of its index to the disk: more than there can be before a power cut. */
const MAX_RESTARTS = 65_536;
/** Commits behind a damaged frame that prove an earlier one: the last may have been under way at a power cut. */
const COMMITS_AS_PROOF = 2;

const FRAMES_A_READ = 64;

type Sums = readonly [number, number];

export function stateOfLog(file: string): LogState {
  const index = readIndex(`${file}-shm`);
  const log = openLog(`${file}-wal`);
  try {
    if (index === null) return log?.hasGap() === true ? 'lost' : 'whole';
    const state = compare(index, log);
    // Another process may have just written to the log, or closed the store, which removes the log before its index.
    return state === 'whole' || readIndex(`${file}-shm`)?.equals(index) === true ? state : 'whole';
  } finally {
    log?.close();
  }
}

function compare(index: Buffer, log: Log | null): LogState {
  const words = new Uint32Array(index.buffer, index.byteOffset, INDEX_BYTES / 4);
  const frames = words[FRAMES_AT] ?? 0;
  if (frames <= (words[BACKFILLED_AT] ?? 0)) return 'whole';
  const pageBytes = pageBytesOf(
    new Uint16Array(index.buffer, index.byteOffset, INDEX_BYTES / 2)[PAGE_SIZE_AT] ?? 0,
  );
  if (log === null || log.bytes < LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes)) return 'lost';
  // The index of a computer that lost its power, or damage of the index itself, proves nothing about the log.
  if (!isConsistent(index)) return log.hasGap() ? 'lost' : 'whole';
  if (!log.isReadable) return 'foreign';
  const restarts = log.salt.readUInt32BE(0) - index.readUInt32BE(INDEX_SALT_AT);
  if (!log.salt.equals(index.subarray(INDEX_SALT_AT, INDEX_SALT_AT + SALT_BYTES))) {
    // Each restart of the log counts the first part of the salt up.
    const isLater = (restarts + 2 ** 32) % 2 ** 32 < MAX_RESTARTS && restarts !== 0;
    return isLater ? 'whole' : 'foreign';
  }
  const [one, two] = log.checksumAfter(frames) ?? [-1, -1];
  return one === words[LAST_CHECKSUM_AT] && two === words[LAST_CHECKSUM_AT + 1] ? 'whole' : 'lost';
}

/** 65,536 does not fit into its two bytes. */
const pageBytesOf = (stored: number): number => (stored === 1 ? 65_536 : stored);

/** Both copies of the index's header are equal, and match their checksum. */
function isConsistent(index: Buffer): boolean {
  const header = index.subarray(0, INDEX_HEADER_BYTES);
  if (!header.equals(index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) return false;
  const [one, two] = checksum(header.subarray(0, INDEX_HEADER_BYTES - SALT_BYTES), [0, 0], isLittleEndian());
  const words = new Uint32Array(index.buffer, index.byteOffset, INDEX_HEADER_BYTES / 4);
  return words[10] === one && words[11] === two;
}

const isLittleEndian = (): boolean => new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Null if there is none, or it is not complete. */
function readIndex(file: string): Buffer | null {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const index = Buffer.alloc(INDEX_BYTES);
  const fd = openSync(file, 'r');
  try {
    return readSync(fd, index, 0, INDEX_BYTES, 0) === INDEX_BYTES ? index : null;
  } finally {
    closeSync(fd);
  }
}

function openLog(file: string): Log | null {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? null : new Log(file);
}

class Log {
  readonly bytes: number;
  /** Whether it begins like a log. */
  readonly isReadable: boolean;
  readonly salt: Buffer;
  readonly #fd: number;
  readonly #isLittle: boolean;
  readonly #frameBytes: number;
  readonly #start: Sums;

  constructor(file: string) {
    this.#fd = openSync(file, 'r');
    this.bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    const isWhole = readSync(this.#fd, header, 0, LOG_HEADER_BYTES, 0) === LOG_HEADER_BYTES;
    const magic = header.readUInt32BE(0);
    this.#isLittle = magic === MAGIC;
    this.#start = checksum(header.subarray(0, LOG_HEADER_BYTES - 8), [0, 0], this.#isLittle);
    this.isReadable = isWhole && (magic & ~1) === MAGIC && isAt(header, LOG_HEADER_BYTES - 8, this.#start);
    this.salt = header.subarray(SALT_AT, SALT_AT + SALT_BYTES);
    this.#frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  }

  /** The checksum of so many frames; null if one of them is damaged. */
  checksumAfter(frames: number): Sums | null {
    let sums = this.#start;
    let count = 0;
    for (const frame of this.#frames()) {
      sums = this.#checksumOf(frame, sums);
      if (!this.#isOwn(frame) || !isAt(frame, SALT_AT, sums)) return null;
      count += 1;
      if (count === frames) return sums;
    }
    return null;
  }

  /** Whether several commits follow a damaged frame, which cannot be if the last writer was ended at any moment. */
  hasGap(): boolean {
    if (!this.isReadable) return false;
    let sums: Sums | null = this.#start;
    let commits = 0;
    let before: Sums | null = null;
    for (const frame of this.#frames()) {
      if (sums !== null) {
        sums = this.#checksumOf(frame, sums);
        if (this.#isOwn(frame) && isAt(frame, SALT_AT, sums)) continue;
        sums = null;
      } else if (
        before !== null &&
        this.#isOwn(frame) &&
        isAt(frame, SALT_AT, this.#checksumOf(frame, before)) &&
        frame.readUInt32BE(4) !== 0
      )
        commits += 1;
      if (commits === COMMITS_AS_PROOF) return true;
      before = [frame.readUInt32BE(SALT_AT), frame.readUInt32BE(SALT_AT + 4)];
    }
    return false;
  }

  close(): void {
    closeSync(this.#fd);
  }

  *#frames(): Generator<Buffer> {
    const several = Buffer.alloc(this.#frameBytes * FRAMES_A_READ);
    for (let at = LOG_HEADER_BYTES; at < this.bytes; at += several.length) {
      const bytes = readSync(this.#fd, several, 0, several.length, at);
      for (let end = this.#frameBytes; end <= bytes; end += this.#frameBytes)
        yield several.subarray(end - this.#frameBytes, end);
    }
  }

  #isOwn(frame: Buffer): boolean {
    return frame.subarray(8, 8 + SALT_BYTES).equals(this.salt);
  }

  #checksumOf(frame: Buffer, before: Sums): Sums {
    const ofHeader = checksum(frame.subarray(0, 8), before, this.#isLittle);
    return checksum(frame.subarray(FRAME_HEADER_BYTES), ofHeader, this.#isLittle);
  }
}

const isAt = (bytes: Buffer, at: number, [one, two]: Sums): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;

/** SQLite's checksum of a multiple of eight bytes, which begin at a multiple of four. */
function checksum(bytes: Buffer, [first, second]: Sums, isLittle: boolean): Sums {
  const own = isLittle === isLittleEndian() ? bytes : Buffer.from(bytes).swap32();
  const words = new Int32Array(own.buffer, own.byteOffset, own.byteLength / 4);
  let one = first | 0;
  let two = second | 0;
  for (let at = 0; at < words.length; at += 2) {
    one = (one + (words[at] ?? 0) + two) | 0;
    two = (two + (words[at + 1] ?? 0) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}
