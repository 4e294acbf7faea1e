/**
 * Represents a text as a set: the hashes of all sequences of five characters, ignoring case, width and spacing. Pure.
 */

const SHINGLE = 5;
const BASE = 0x01000193;
/** BASE to the power of SHINGLE: removes the oldest character from a rolling hash. */
const LEAVES = Array.from({ length: SHINGLE }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Normalizes a text for near-duplicates: ignores case, character width and spacing. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** Spreads the bits of a number over all 32 bits (the last step of MurmurHash3). */
export function mixed(number: number): number {
  let bits = number ^ (number >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * Shingles of a normalized text. A text shorter than a shingle is one shingle, an empty text has none. May contain
 * duplicates.
 */
export function shinglesOf(text: string): Uint32Array {
  const count = text === '' ? 0 : Math.max(1, text.length - SHINGLE + 1);
  const hashes = new Uint32Array(count);
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at) + 1) | 0;
    if (at >= SHINGLE) hash = (hash - Math.imul(LEAVES, text.charCodeAt(at - SHINGLE) + 1)) | 0;
    const place = at - SHINGLE + 1;
    if (place >= 0) hashes[place] = mixed(hash);
  }
  if (text.length < SHINGLE && count === 1) hashes[0] = mixed(hash ^ text.length);
  return hashes;
}

/** The values in ascending order, without duplicates. */
export function distinct(hashes: Uint32Array): Uint32Array {
  const sorted = hashes.slice().sort();
  let kept = 0;
  for (const hash of sorted) {
    if (kept > 0 && sorted[kept - 1] === hash) continue;
    sorted[kept] = hash;
    kept += 1;
  }
  return sorted.subarray(0, kept);
}

/** Jaccard similarity: the share of common shingles. Takes sets from `distinct`. */
export function likeness(one: Uint32Array, other: Uint32Array): number {
  if (one.length === 0 || other.length === 0) return 0;
  let common = 0;
  for (let x = 0, y = 0; x < one.length && y < other.length; ) {
    const left = one[x] ?? 0;
    const right = other[y] ?? 0;
    if (left === right) common += 1;
    if (left <= right) x += 1;
    if (right <= left) y += 1;
  }
  return common / (one.length + other.length - common);
}
