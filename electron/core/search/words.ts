/** How texts are cut into words for the search: the index keeps each word once, however many rows hold it. Pure. */
import { GAP } from './fold.ts';

/** Letters of one script or several, with what stands after them up to the next letter. */
const WORD = new RegExp(
  `[\\p{L}\\p{N}\\p{M}]+[^\\p{L}\\p{N}\\p{M}${GAP}]*|[^\\p{L}\\p{N}\\p{M}${GAP}]+`,
  'gu',
);

/**
 * The words of a folded text, in order, with what separates them. A part of a text is cut where the text itself is:
 * `oun.rat` is found where one word ends with `oun.` and the next one begins with `rat`.
 */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}
