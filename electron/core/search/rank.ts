/** Ranks matches by the position of the typed text in the title. Pure. */
import type { SearchTerms } from './terms.ts';

interface Ranked {
  id: number;
  /** Folded. */
  title: string;
  atMs: number | null;
}

const EXACT = 0;
const START = 1;
const START_OF_WORD = 2;
const INSIDE = 3;
const ELSEWHERE = 4;

/**
 * Matches a title part that ends with a letter or digit of any script, so that the text after it begins inside a word.
 */
const IN_WORD = /[\p{L}\p{N}\p{M}]$/u;

function placeOf(title: string, wanted: readonly string[]): number {
  const [first] = wanted;
  if (first === undefined || !wanted.every((term) => title.includes(term))) return ELSEWHERE;
  if (wanted.length === 1 && title === first) return EXACT;
  if (title.startsWith(first)) return START;
  for (let at = title.indexOf(first); at !== -1; at = title.indexOf(first, at + 1)) {
    if (!IN_WORD.test(title.slice(0, at))) return START_OF_WORD;
  }
  return INSIDE;
}

/**
 * Sorted best first: the whole title, its start, the start of a word, inside a word, elsewhere; then short titles, then
 * new ones.
 */
export function rankHits<T extends Ranked>(hits: readonly T[], { wanted }: SearchTerms): T[] {
  return hits
    .map((hit) => ({ hit, place: placeOf(hit.title, wanted) }))
    .sort(
      (a, b) =>
        a.place - b.place ||
        (a.place === ELSEWHERE ? 0 : a.hit.title.length - b.hit.title.length) ||
        (b.hit.atMs ?? 0) - (a.hit.atMs ?? 0) ||
        a.hit.id - b.hit.id,
    )
    .map(({ hit }) => hit);
}
