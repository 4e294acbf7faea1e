/** Splits texts into words for the search. The index stores each word once, however many rows contain it. Pure. */
import { GAP } from './fold.ts';

/** Consecutive letters of any script, with the separators up to the next letter. */
const WORD = new RegExp(
  `[\\p{L}\\p{N}\\p{M}]+[^\\p{L}\\p{N}\\p{M}${GAP}]*|[^\\p{L}\\p{N}\\p{M}${GAP}]+`,
  'gu',
);

/**
 * The words of a folded text in order, with their separators. A search text is split at the same positions as the full
 * text, so `oun.rat` is found if one word ends with `oun.` and the next one begins with `rat`.
 */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}
