/** Parses search input: words in any order, "a phrase", -word to exclude. Pure. */
import { foldForSearch } from './fold.ts';

export interface SearchTerms {
  /** Folded; each must occur. */
  wanted: readonly string[];
  /** Folded; none may occur. */
  unwanted: readonly string[];
}

const PART = /(-?)"([^"]*)"?|(\S+)/gu;

/** Null if nothing searchable is typed. */
export function parseTerms(typed: string): SearchTerms | null {
  const wanted = new Set<string>();
  const unwanted = new Set<string>();
  for (const [, minus, phrase, word = ''] of typed.matchAll(PART)) {
    const isLeftOut = minus === '-' || (word.startsWith('-') && word.length > 1);
    const text = phrase ?? (isLeftOut ? word.slice(1) : word);
    const folded = foldForSearch(text);
    if (folded.trim() !== '') (isLeftOut ? unwanted : wanted).add(folded);
  }
  if (wanted.size > 0) return { wanted: [...wanted], unwanted: [...unwanted] };
  // Input with exclusions only, such as "-5", is searched literally.
  const whole = foldForSearch(typed.trim());
  return whole === '' ? null : { wanted: [whole], unwanted: [] };
}

/** `text` is folded. */
export function matchesTerms(text: string, { wanted, unwanted }: SearchTerms): boolean {
  return wanted.every((term) => text.includes(term)) && !unwanted.some((term) => text.includes(term));
}

/** Number of letters in a text, counted in the same way by a person and by the index. */
export function lettersOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
