/** Random numbers that are reproducible by a seed. Pure. */

const RANGE = 0x1_0000_0000;

/** Whole numbers from 1 to 2³² − 1, by Marsaglia's xorshift (2003). A seed of 0 counts as 1. */
export function seededWords(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

/** Numbers in (0, 1). */
export function seededNumbers(seed: number): () => number {
  const next = seededWords(seed);
  return () => next() / RANGE;
}
