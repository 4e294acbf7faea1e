/** Short signatures of sets: two of them agree in as many places as the sets have in common. Pure. */
import { mixed } from './shingles.ts';

export const SIGNATURE = 128;
const BIN_SHIFT = 25;
const EMPTY = 0xffffffff;
/** Chance of missing a pair that is just as alike as asked for. */
const MOST_MISSED = 0.001;

/** MinHash by one permutation: the least hash of each of 128 bins. `into` is filled; the set must not be empty. */
export function sign(hashes: Uint32Array, into: Uint32Array): void {
  into.fill(EMPTY);
  let filled = 0;
  for (const hash of hashes) {
    const bin = hash >>> BIN_SHIFT;
    const before = into[bin] ?? EMPTY;
    if (before === EMPTY) filled += 1;
    if (hash < before) into[bin] = hash;
  }
  if (filled > 0 && filled < SIGNATURE) densify(into);
}

/** An empty bin takes over from one that is not: which one depends on the bin alone, so alike sets agree. */
function densify(signature: Uint32Array): void {
  const own = signature.slice();
  for (let bin = 0; bin < SIGNATURE; bin += 1) {
    for (let attempt = 1; signature[bin] === EMPTY; attempt += 1) {
      const from = mixed(Math.imul(bin + 1, 0x9e3779b1) + attempt) >>> BIN_SHIFT;
      signature[bin] = own[from] ?? EMPTY;
    }
  }
}

/** Locality-sensitive hashing: pairs that agree in all rows of a band are candidates. */
export interface Bands {
  bands: number;
  rows: number;
}

/** As many rows as find nearly every pair that reaches the threshold: fewer false candidates. */
export function bandsFor(threshold: number): Bands {
  for (let rows = 16; rows > 1; rows -= 1) {
    const bands = Math.floor(SIGNATURE / rows);
    if ((1 - threshold ** rows) ** bands <= MOST_MISSED) return { bands, rows };
  }
  return { bands: SIGNATURE, rows: 1 };
}

export function bandHash(signature: Uint32Array, band: number, rows: number): number {
  let hash = band;
  for (let row = band * rows; row < (band + 1) * rows; row += 1) {
    hash = mixed(Math.imul(hash, 31) + (signature[row] ?? 0));
  }
  return hash;
}
