/** The `ordering` parameter as terms and in words. Pure. */
import { type OrderingTerm, parseOrdering } from '../../electron/shared/ordering.ts';

/** Terms of a parameter; none for an empty one and for one that cannot be read. */
export function orderingTerms(text: string): OrderingTerm[] {
  if (text.trim() === '') return [];
  try {
    return parseOrdering(text);
  } catch {
    // Kept by another version or written by hand: the list then comes as the service gives it.
    return [];
  }
}

/** `created_at ↓, name ↑`, or what it is without any. */
export function orderingWords(terms: readonly OrderingTerm[]): string {
  if (terms.length === 0) return 'Default order';
  return terms.map(({ field, isDescending }) => `${field} ${isDescending ? '↓' : '↑'}`).join(', ');
}
