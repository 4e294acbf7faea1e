/** Operations on positions of stored rows. Long lists have millions of rows, so every pass over them pauses. */
import type { Slices } from './slices.ts';

export type Positions = Int32Array<ArrayBuffer>;

/** Number of positions handled between two pauses, in well below a millisecond. */
const PIECE = 65_536;

/** A set of positions, with one bit for each position up to the highest. */
export class PositionSet {
  readonly #bits: Uint8Array;
  readonly size: number;

  private constructor(bits: Uint8Array, size: number) {
    this.#bits = bits;
    this.size = size;
  }

  /** `positions`: not negative and without repetitions, in any order. */
  static async of(positions: Positions, slices: Slices): Promise<PositionSet> {
    let highest = -1;
    await inPieces(positions.length, slices, (from, to) => {
      for (let at = from; at < to; at += 1) highest = Math.max(highest, positions[at] ?? 0);
    });
    const bits = new Uint8Array((highest >> 3) + 1);
    await inPieces(positions.length, slices, (from, to) => {
      for (let at = from; at < to; at += 1) {
        const position = positions[at] ?? 0;
        const byte = position >> 3;
        bits[byte] = (bits[byte] ?? 0) | (1 << (position & 7));
      }
    });
    return new PositionSet(bits, positions.length);
  }

  has(position: number): boolean {
    return ((this.#bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
  }

  /** All positions of the set, ascending. */
  async ascending(slices: Slices): Promise<Positions> {
    const found = new Int32Array(this.size);
    let count = 0;
    await inPieces(this.#bits.length, slices, (from, to) => {
      for (let byte = from; byte < to; byte += 1) {
        const bits = this.#bits[byte] ?? 0;
        for (let bit = 0; bits >> bit !== 0; bit += 1)
          if (((bits >> bit) & 1) === 1) {
            found[count] = byte * 8 + bit;
            count += 1;
          }
      }
    });
    return found;
  }
}

/** The positions of `order` that `others` also contains, in the order of `order`. */
export async function commonOf(order: Positions, others: Positions, slices: Slices): Promise<Positions> {
  const set = await PositionSet.of(others, slices);
  const found = new Int32Array(Math.min(order.length, others.length));
  let count = 0;
  await inPieces(order.length, slices, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const position = order[at] ?? 0;
      if (!set.has(position)) continue;
      found[count] = position;
      count += 1;
    }
  });
  return found.slice(0, count);
}

/** The same positions, ascending. */
export async function ascending(positions: Positions, slices: Slices): Promise<Positions> {
  const set = await PositionSet.of(positions, slices);
  return set.ascending(slices);
}

async function inPieces(
  length: number,
  slices: Slices,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < length; from += PIECE) {
    work(from, Math.min(length, from + PIECE));
    await slices.pause();
  }
}
