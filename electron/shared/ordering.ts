/** The `ordering` parameter of list operations (SERVICE.md F4): comma-separated fields, `-` is descending. */
import { AppError } from './errors.ts';

export interface OrderingTerm {
  field: string;
  isDescending: boolean;
}

/** Parses `-created_at,name`. Throws INVALID_ARGUMENT for an empty term and for a repeated field. */
export function parseOrdering(text: string): OrderingTerm[] {
  const terms = text.split(',').map((part) => {
    const word = part.trim();
    const isDescending = word.startsWith('-');
    return { field: isDescending ? word.slice(1) : word, isDescending };
  });
  const seen = new Set<string>();
  for (const { field } of terms) {
    if (!/^[^\s,-][^\s,]*$/.test(field)) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'Ordering must be field names separated by commas, with a leading "-" for descending, e.g. "-created_at,name".',
      );
    }
    if (seen.has(field)) throw new AppError('INVALID_ARGUMENT', `Ordering names the field "${field}" twice.`);
    seen.add(field);
  }
  return terms;
}

export function formatOrdering(terms: readonly OrderingTerm[]): string {
  return terms.map((term) => (term.isDescending ? `-${term.field}` : term.field)).join(',');
}
