/** The `ordering` parameter as terms and in words. Pure. */
import { type OrderingTerm, parseOrdering } from '../../electron/shared/ordering.ts';

/** Terms of a parameter; empty if it is empty or invalid. */
export function orderingTerms(text: string): OrderingTerm[] {
  if (text.trim() === '') return [];
  try {
    return parseOrdering(text);
  } catch {
    // The text was stored by another version or written by hand. The list then has the default order of the service.
    return [];
  }
}

/** `created_at ↓, name ↑`, or a text for the default order. */
export function orderingWords(terms: readonly OrderingTerm[]): string {
  if (terms.length === 0) return 'Default order';
  return terms.map(({ field, isDescending }) => `${field} ${isDescending ? '↓' : '↑'}`).join(', ');
}
