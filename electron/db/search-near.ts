/** Finds words of the index that are spelt similarly to a typed word without hits. */
import { wordsOf } from '../core/search/words.ts';
import { editDistance } from '../core/text/edit-distance.ts';
import type { WordReader } from './search-words.ts';

/** Minimum length; shorter words are similar to too many others. */
const MIN_LETTERS = 4;
/** From this length on, a typo may be two edits. A swap of neighbouring letters counts as two edits. */
const LETTERS_FOR_TWO = 6;
/** From this length on, a third of the word is long enough to be searched for. */
const LETTERS_FOR_THIRDS = 9;
const PART_LETTERS = 3;
const MAX_LOOKED_AT = 2_000;
/** A word must contain a letter, because numbers have no meaningful misspellings. */
const LETTER = /\p{L}/u;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+$/u;

/** The words of the typed terms that no word of the index contains. */
export function unknownWords(terms: readonly string[], readers: readonly WordReader[]): string[] {
  const typed = new Set(terms.flatMap(wordsOf).map((word) => word.replace(SEPARATORS, '')));
  return [...typed].filter(
    (word) =>
      [...word].length >= MIN_LETTERS && LETTER.test(word) && !readers.some((reader) => reader.holds(word)),
  );
}

/**
 * Similar words, the most similar first, at most `most`. They are found by parts of the word, because one or two edits
 * leave at least one part unchanged.
 */
export function wordsNear(word: string, readers: readonly WordReader[], most: number): string[] {
  const letters = [...word];
  const count = letters.length;
  const mostEdits = count < LETTERS_FOR_TWO ? 1 : 2;
  const cut = (from: number, to: number) => letters.slice(from, to).join('');
  const half = count >> 1;
  const third = Math.floor(count / 3);
  const inside = [
    ...(count - half < PART_LETTERS ? [] : [cut(half, count)]),
    ...(half < PART_LETTERS ? [] : [cut(0, half)]),
    ...(count < LETTERS_FOR_THIRDS ? [] : [cut(third, 2 * third), cut(2 * third, count)]),
  ];
  const found = new Map<string, number>();
  for (const reader of readers) {
    for (const text of reader.textsWith(cut(0, 2), inside, MAX_LOOKED_AT)) {
      const known = text.replace(SEPARATORS, '');
      if (found.has(known) || Math.abs(known.length - word.length) > mostEdits) continue;
      const distance = editDistance(word, known);
      if (distance <= mostEdits) found.set(known, distance);
    }
  }
  return [...found]
    .toSorted(([a, one], [b, other]) => one - other || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([text]) => text);
}
