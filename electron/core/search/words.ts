/** Splits texts into words for the search: the index stores each word once, however many rows have it. Pure. */
import { GAP } from './fold.ts';

/** Letters of any scripts, with the separators up to the next letter. */
const WORD = new RegExp(
  `[\\p{L}\\p{N}\\p{M}]+[^\\p{L}\\p{N}\\p{M}${GAP}]*|[^\\p{L}\\p{N}\\p{M}${GAP}]+`,
  'gu',
);

/**
 * The words of a folded text in order, with their separators. A part of a text is split at the same places as the text
 * itself: `oun.rat` is found if one word ends with `oun.` and the next one begins with `rat`.
 */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}
