/**
 * Checks whether the write-ahead log of a store is the one that its last process wrote. SQLite reads a log up to its
 * first damaged frame and ignores the rest without an error, and reads the log of another store as if it were its own.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { isOpenHere, readStart } from './open-here.ts';

/**
 * `lost`: committed changes are missing, because the log was removed, cut or damaged. `foreign`: the log belongs to
 * another store, so none of its changes belong to this one. `undecided`: no damage was found in the part of a large log
 * that was read.
 */
type LogState = 'whole' | 'undecided' | 'lost' | 'foreign';

/** Offsets and sizes in the log's index (`-shm`), in the byte order of this computer; see the SQLite WAL format. */
const INDEX_BYTES = 100;
const INDEX_HEADER_BYTES = 48;
const PAGE_SIZE_AT = 7;
const FRAMES_AT = 4;
const LAST_CHECKSUM_AT = 6;
const INDEX_SALT_AT = 32;
const BACKFILLED_AT = 24;
/** Offsets and sizes in the log, whose numbers are big-endian. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const SALT_AT = 16;
const SALT_BYTES = 8;
/**
 * More restarts of a log than can happen between two writes of its index to the disk, for example before a power cut.
 */
const MAX_RESTARTS = 65_536;
/**
 * Number of commits after a damaged frame that prove that the frame had been written; a single commit may have been
 * under way at a power cut.
 */
const COMMITS_AS_PROOF = 2;

const FRAMES_A_READ = 64;
/**
 * Twice the size of a log of 1,000 pages, at which SQLite writes it into the store, so ordinary logs are checked
 * completely. Reading and adding up takes 2 to 4 ms per megabyte and is done only after a process was killed, so it
 * blocks the main thread for up to 32 ms.
 */
const MAX_SUMMED_BYTES = 8_000_000;

type Sums = readonly [number, number];

/**
 * The state of a store's log. `nowMs`: wall time. Of a large log, the checksums of only `maxSummedBytes` are checked,
 * at its end if there is an index, otherwise at its beginning; of the rest only length and salt. A store that this
 * process has open counts as `whole`: it was checked when it was opened, and reading it again would drop its locks.
 */
export function stateOfLog(file: string, nowMs: number, maxSummedBytes = MAX_SUMMED_BYTES): LogState {
  if (isOpenHere(file)) return 'whole';
  const startedMs = nowMs - uptime() * 1_000;
  const index = readIndex(file, startedMs);
  const log = openLog(`${file}-wal`);
  try {
    const state =
      index === null ? stateWithoutIndex(log, maxSummedBytes) : compare(index, log, maxSummedBytes);
    if (state === 'whole' || state === 'undecided') return state;
    // Another process may have just written to the log, or closed the store, which removes the log before its index;
    // another thread may have opened the store.
    const again = readIndex(file, startedMs);
    const isSame = index === null ? again === null : again?.equals(index) === true;
    return isSame && !isOpenHere(file) ? state : 'whole';
  } finally {
    log?.close();
  }
}

function stateWithoutIndex(log: Log | null, maxSummedBytes: number): LogState {
  if (log === null) return 'whole';
  if (log.hasGap(maxSummedBytes)) return 'lost';
  return log.isReadable && log.framesIn(maxSummedBytes) < log.framesIn(log.bytes) ? 'undecided' : 'whole';
}

function compare(index: Buffer, log: Log | null, maxSummedBytes: number): LogState {
  const words = new Uint32Array(index.buffer, index.byteOffset, INDEX_BYTES / 4);
  const frames = words[FRAMES_AT] ?? 0;
  if (frames <= (words[BACKFILLED_AT] ?? 0)) return 'whole';
  const pageBytes = pageBytesOf(
    new Uint16Array(index.buffer, index.byteOffset, INDEX_BYTES / 2)[PAGE_SIZE_AT] ?? 0,
  );
  if (log === null || log.bytes < LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes)) return 'lost';
  if (!log.isReadable) return 'foreign';
  const restarts = log.salt.readUInt32BE(0) - index.readUInt32BE(INDEX_SALT_AT);
  if (!log.salt.equals(index.subarray(INDEX_SALT_AT, INDEX_SALT_AT + SALT_BYTES))) {
    // Each restart of the log increments the first part of the salt.
    const isLater = (restarts + 2 ** 32) % 2 ** 32 < MAX_RESTARTS && restarts !== 0;
    return isLater ? 'whole' : 'foreign';
  }
  const [one, two] = log.checksumAfter(frames, maxSummedBytes) ?? [-1, -1];
  if (one !== words[LAST_CHECKSUM_AT] || two !== words[LAST_CHECKSUM_AT + 1]) return 'lost';
  return log.framesIn(maxSummedBytes) < frames ? 'undecided' : 'whole';
}

/** Page size in bytes. The stored value 1 means 65,536, which does not fit into two bytes. */
const pageBytesOf = (stored: number): number => (stored === 1 ? 65_536 : stored);

/** Whether both copies of the index's header are equal and match their checksum. */
function isConsistent(index: Buffer): boolean {
  const header = index.subarray(0, INDEX_HEADER_BYTES);
  if (!header.equals(index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) return false;
  const [one, two] = checksum(header.subarray(0, INDEX_HEADER_BYTES - SALT_BYTES), [0, 0], isLittleEndian());
  const words = new Uint32Array(index.buffer, index.byteOffset, INDEX_HEADER_BYTES / 4);
  return words[10] === one && words[11] === two;
}

const isLittleEndian = (): boolean => new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * The index of a log; null if there is no index that proves anything about the log. SQLite never flushes the index, so
 * after a power cut it may be newer or older than the log, and a killed process may have left it inconsistent.
 * `startedMs`: wall time of the last start of the computer.
 */
function readIndex(store: string, startedMs: number): Buffer | null {
  const file = `${store}-shm`;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.mtimeMs < startedMs) return null;
  const index = ifThere(() => readStart(file, INDEX_BYTES, store));
  return index?.length === INDEX_BYTES && isConsistent(index) ? index : null;
}

function openLog(file: string): Log | null {
  return ifThere(() => new Log(file));
}

/**
 * The result of `read`; null if the file does not exist, because another process that closes the store can remove its
 * files at any moment.
 */
function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem && problem.code === 'ENOENT') return null;
    throw problem;
  }
}

class Log {
  readonly bytes: number;
  /** Whether the file begins with the header of a log. */
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

  /** Number of complete frames in this many bytes. */
  framesIn(bytes: number): number {
    return Math.floor(bytes / this.#frameBytes);
  }

  /**
   * The checksum of this many frames; null if one of them is damaged. Only the last `maxBytes` of them are added up,
   * starting from the checksum stored before them.
   */
  checksumAfter(frames: number, maxBytes: number): Sums | null {
    const skipped = Math.max(0, frames - this.framesIn(maxBytes));
    let sums = this.#start;
    let count = Math.max(0, skipped - 1);
    for (const frame of this.#frames(count, frames)) {
      count += 1;
      sums = count === skipped ? sumsIn(frame) : this.#checksumOf(frame, sums);
      if (!this.#isOwn(frame) || !isAt(frame, SALT_AT, sums)) return null;
      if (count === frames) return sums;
    }
    return null;
  }

  /**
   * Whether several commits follow a damaged frame, which cannot result from ending the last writer at any moment. A
   * frame that was never written is not damage, because a power cut can lose any part of commits that were not flushed
   * yet. Only the first `maxBytes` are read.
   */
  hasGap(maxBytes: number): boolean {
    if (!this.isReadable) return false;
    let sums: Sums | null = this.#start;
    let commits = 0;
    let before: Sums | null = null;
    for (const frame of this.#frames(0, this.framesIn(maxBytes))) {
      if (sums !== null) {
        sums = this.#checksumOf(frame, sums);
        if (this.#isOwn(frame) && isAt(frame, SALT_AT, sums)) continue;
        if (this.#isUnwritten(frame)) return false;
        sums = null;
      } else if (
        before !== null &&
        this.#isOwn(frame) &&
        isAt(frame, SALT_AT, this.#checksumOf(frame, before)) &&
        frame.readUInt32BE(4) !== 0
      )
        commits += 1;
      if (commits === COMMITS_AS_PROOF) return true;
      before = sumsIn(frame);
    }
    return false;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** The frames with numbers above `from`, up to number `to`. */
  *#frames(from: number, to: number): Generator<Buffer> {
    const end = Math.min(this.bytes, LOG_HEADER_BYTES + to * this.#frameBytes);
    const several = Buffer.alloc(this.#frameBytes * Math.max(1, Math.min(FRAMES_A_READ, to - from)));
    for (let at = LOG_HEADER_BYTES + from * this.#frameBytes; at < end; at += several.length) {
      const bytes = readSync(this.#fd, several, 0, Math.min(several.length, end - at), at);
      for (let last = this.#frameBytes; last <= bytes; last += this.#frameBytes)
        yield several.subarray(last - this.#frameBytes, last);
    }
  }

  #isOwn(frame: Buffer): boolean {
    return frame.subarray(8, 8 + SALT_BYTES).equals(this.salt);
  }

  /** Whether the place of a frame is empty, or holds a frame from before the log was restarted. */
  #isUnwritten(frame: Buffer): boolean {
    if (frame.readUInt32BE(0) === 0) return frame.every((byte) => byte === 0);
    const restarts = (this.salt.readUInt32BE(0) - frame.readUInt32BE(8) + 2 ** 32) % 2 ** 32;
    return restarts > 0 && restarts < MAX_RESTARTS && !frame.subarray(12, 16).equals(this.salt.subarray(4));
  }

  #checksumOf(frame: Buffer, before: Sums): Sums {
    const ofHeader = checksum(frame.subarray(0, 8), before, this.#isLittle);
    return checksum(frame.subarray(FRAME_HEADER_BYTES), ofHeader, this.#isLittle);
  }
}

/** The checksum stored with a frame, over it and all frames before it. */
const sumsIn = (frame: Buffer): Sums => [frame.readUInt32BE(SALT_AT), frame.readUInt32BE(SALT_AT + 4)];

const isAt = (bytes: Buffer, at: number, [one, two]: Sums): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;

/** SQLite's checksum over bytes whose number is a multiple of eight, and whose offset is a multiple of four. */
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
