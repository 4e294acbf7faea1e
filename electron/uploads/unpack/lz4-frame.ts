/** Decompresses LZ4 frames of Arrow files, in which blocks may refer to earlier blocks. */
import { AppError } from '../../shared/errors.ts';

const MAGIC = 0x184d2204;
/** Maximum size of an unpacked frame. It is larger than any buffer of an Arrow file, so a larger frame is damaged. */
const MAX_BYTES = 2_000_000_000;

/** Returns the bytes of one frame. Throws FILE_MALFORMED if it is not valid. */
export function lz4Frame(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 7 || view.getUint32(0, true) !== MAGIC) throw malformed();
  const flags = view.getUint8(4);
  const sumBytes = (flags & 0x10) === 0 ? 0 : 4;
  let at = 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4);
  const output = new Output(bytes.length * 4);
  for (;;) {
    if (at + 4 > bytes.length) throw malformed();
    const size = view.getUint32(at, true);
    if (size === 0) return output.bytes();
    const length = size & 0x7fff_ffff;
    at += 4;
    const block = bytes.subarray(at, at + length);
    if (block.length < length) throw malformed();
    // The highest bit means that the block is stored uncompressed.
    if (length === size) unpackBlock(block, output);
    else output.copy(block);
    at += length + sumBytes;
  }
}

function unpackBlock(block: Uint8Array, output: Output): void {
  let at = 0;
  const longer = (start: number): number => {
    let length = start;
    for (let byte = 255; start === 15 && byte === 255; length += byte) {
      if (at >= block.length) throw malformed();
      byte = block[at] ?? 0;
      at += 1;
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at] ?? 0;
    at += 1;
    const literals = longer(token >> 4);
    if (at + literals > block.length) throw malformed();
    output.copy(block.subarray(at, at + literals));
    at += literals;
    // The last sequence of a block has no match.
    if (at === block.length) return;
    const distance = (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8);
    at += 2;
    output.repeat(distance, longer(token & 15) + 4);
  }
}

class Output {
  #bytes: Uint8Array;
  #length = 0;

  constructor(guess: number) {
    this.#bytes = new Uint8Array(Math.min(guess, MAX_BYTES));
  }

  copy(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends bytes that were written `distance` bytes earlier. The two ranges may overlap. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.#length) throw malformed();
    this.#makeRoom(count);
    const bytes = this.#bytes;
    for (let index = this.#length; index < this.#length + count; index += 1) {
      bytes[index] = bytes[index - distance] ?? 0;
    }
    this.#length += count;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    if (needed > MAX_BYTES) throw malformed();
    const larger = new Uint8Array(Math.min(Math.max(needed, this.#bytes.length * 2), MAX_BYTES));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

function malformed(): AppError {
  return new AppError(
    'FILE_MALFORMED',
    'Expected data compressed with LZ4 or Zstandard, got something else.',
  );
}
