/** Compares the bytes of a file, read in order, with the checksums that a check of the file stored. Pure. */
import { crc32 } from 'node:zlib';
import type { Spool } from './spool-file.ts';

export class PieceCheck {
  readonly #pieces: Spool['pieces'];
  readonly #isWhole: boolean;
  readonly #onOther: () => Error;
  #piece: number;
  #crc = 0;

  /** `onOther`: builds the error for bytes that differ from those that were checked. */
  constructor({ pieces, isWhole }: Pick<Spool, 'pieces' | 'isWhole'>, first: number, onOther: () => Error) {
    this.#pieces = pieces;
    this.#isWhole = isWhole;
    this.#piece = first;
    this.#onOther = onOther;
  }

  /**
   * Adds the bytes that follow those of the last call; the first call begins at the start of a piece. Throws if they
   * differ, or if they follow the last piece of a file that was checked to its end.
   */
  add(bytes: Buffer, offset: number): void {
    for (let from = 0; from < bytes.length; ) {
      const piece = this.#pieces[this.#piece];
      if (piece === undefined) {
        if (this.#isWhole) throw this.#onOther();
        return;
      }
      const to = Math.min(bytes.length, piece.byteEnd - offset);
      this.#crc = crc32(bytes.subarray(from, to), this.#crc);
      from = to;
      if (offset + to < piece.byteEnd) return;
      if (this.#crc !== piece.crc) throw this.#onOther();
      this.#piece += 1;
      this.#crc = 0;
    }
  }

  /** Throws if bytes before this offset belong to an incomplete piece, which means that the file became shorter. */
  expectWhole(offset: number): void {
    const piece = this.#pieces[this.#piece];
    if (piece !== undefined && offset > piece.byteStart) throw this.#onOther();
  }

  /** Call this at the end of the file. Throws if bytes are missing. */
  end(): void {
    const isShort = this.#pieces.slice(this.#piece).some(({ byteStart, byteEnd }) => byteStart < byteEnd);
    if (isShort) throw this.#onOther();
  }
}
