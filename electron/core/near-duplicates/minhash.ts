/**
 * Computes short signatures of sets. The share of equal slots in two signatures estimates the similarity of the sets.
 * Pure.
 */
import { mixed } from './shingles.ts';

export const SIGNATURE = 128;
const BIN_SHIFT = 25;
const EMPTY = 0xffffffff;
/** Probability of missing a pair exactly at the threshold. */
const MAX_MISSED = 0.001;

/** One-permutation MinHash: the smallest hash of each of 128 bins. Fills `into`; the set must not be empty. */
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

/** An empty bin copies a filled one that depends only on the bin's index, so that similar sets agree. */
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

/**
 * The maximum number of rows that still finds nearly every pair at the threshold: more rows give fewer false
 * candidates.
 */
export function bandsFor(threshold: number): Bands {
  for (let rows = 16; rows > 1; rows -= 1) {
    const bands = Math.floor(SIGNATURE / rows);
    if ((1 - threshold ** rows) ** bands <= MAX_MISSED) return { bands, rows };
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
