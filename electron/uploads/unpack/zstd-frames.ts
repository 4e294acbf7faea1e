/**
 * Finds the ends of the frames in a Zstandard file. `cat`, `pzstd` and multithreaded `zstd` write several, and frames
 * without data may be between them, but Node's decompressor stops after the first. Pure: takes bytes in chunks of any
 * size.
 */

/** Bytes of a data frame. `isLast`: the frame ends with these bytes. */
interface FramePart {
  bytes: Buffer;
  isLast: boolean;
}

const MAGIC = 0xfd2fb528;
/** The first of 16 magic numbers of frames that hold no file data. */
const SKIPPABLE = 0x184d2a50;
const MAGIC_BYTES = 4;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const BLOCK_HEADER_BYTES = 3;
const RUN_BLOCK = 1;
const CHECKSUM_BYTES = 4;

type Step = 'magic' | 'skip-size' | 'descriptor' | 'block' | 'body';

export class ZstdFrames {
  #held: Buffer = Buffer.alloc(0);
  #step: Step = 'magic';
  /** Number of bytes left in the current step. */
  #left = 0;
  #isData = true;
  #next: Step | 'end' = 'magic';
  #hasChecksum = false;

  /** True if the bytes so far end at the end of a frame. */
  get isWhole(): boolean {
    return this.#step === 'magic' && this.#held.length === 0;
  }

  /** Throws an Error for bytes that are not the beginning of a frame. */
  push(chunk: Buffer): FramePart[] {
    const parts: FramePart[] = [];
    let bytes: Buffer = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const take = (count: number, isLast = false) => {
      if (this.#isData) parts.push({ bytes: bytes.subarray(0, count), isLast });
      bytes = bytes.subarray(count);
    };
    for (;;) {
      if (this.#step === 'body') {
        const count = Math.min(this.#left, bytes.length);
        this.#left -= count;
        const isOver = this.#left === 0;
        if (count > 0 || isOver) take(count, isOver && this.#next === 'end');
        if (!isOver) break;
        this.#step = this.#next === 'end' ? 'magic' : this.#next;
      } else {
        const count = this.#read(bytes);
        if (count === null) break;
        take(count);
      }
    }
    this.#held = bytes;
    return parts;
  }

  /** Reads the head of the next step; returns its length, or null if more bytes are needed. */
  #read(bytes: Buffer): number | null {
    switch (this.#step) {
      case 'magic':
        return bytes.length < MAGIC_BYTES ? null : this.#readMagic(bytes.readUInt32LE(0));
      case 'skip-size':
        if (bytes.length < 4) return null;
        this.#expect(bytes.readUInt32LE(0), 'end');
        return 4;
      case 'descriptor':
        return bytes.length < 1 ? null : this.#readDescriptor(bytes[0] ?? 0);
      default:
        return bytes.length < BLOCK_HEADER_BYTES ? null : this.#readBlock(bytes.readUIntLE(0, 3));
    }
  }

  #readMagic(magic: number): number {
    this.#isData = magic === MAGIC;
    if (!this.#isData && (magic & 0xfffffff0) >>> 0 !== SKIPPABLE)
      throw new Error('bytes that begin no Zstandard frame follow a frame');
    this.#step = this.#isData ? 'descriptor' : 'skip-size';
    return MAGIC_BYTES;
  }

  /** Returns the total length of the window, dictionary and content size fields. Each of them may be absent. */
  #readDescriptor(flags: number): number {
    const isSingle = (flags & 0x20) !== 0;
    this.#hasChecksum = (flags & 0x04) !== 0;
    const sizeFlag = flags >> 6;
    const size = sizeFlag === 0 ? Number(isSingle) : 1 << sizeFlag;
    this.#expect((isSingle ? 0 : 1) + (DICTIONARY_BYTES[flags & 3] ?? 0) + size, 'block');
    return 1;
  }

  #readBlock(head: number): number {
    const size = ((head >> 1) & 3) === RUN_BLOCK ? 1 : head >> 3;
    const isLast = (head & 1) === 1;
    this.#expect(size + (isLast && this.#hasChecksum ? CHECKSUM_BYTES : 0), isLast ? 'end' : 'block');
    return BLOCK_HEADER_BYTES;
  }

  #expect(count: number, next: Step | 'end'): void {
    [this.#step, this.#left, this.#next] = ['body', count, next];
  }
}
