/** Finds private values that are stored next to the name of their field instead of under it. Pure. */
import type { ListQuery } from '../../shared/model.ts';
import { jsonOf, MASKED, type Redactor } from './redact.ts';
import { isFormulaOfMasked, isValueBesideName, namesMasked } from './spoken-of.ts';

/** The part of a query that determines the form of its rows. */
type Asked = Pick<ListQuery, 'operation' | 'query'>;

/** Fields with counts and times of a catalog value, which reveal nothing about the value. */
const ABOUT_VALUES: ReadonlySet<string> = new Set(['first_seen', 'last_seen', 'row_count']);

/** The name of the masked field whose values are the rows of a list; null for any other list. */
export function maskedFieldOf({ operation, query }: Asked, redactor: Redactor): string | null {
  const name = operation === 'catalog.values' ? query['name'] : undefined;
  return name !== undefined && redactor.isMaskedPath(name) ? name : null;
}

/** Masks a row that stands for a value of a masked field. Only counts and times are kept. */
export function maskedValue(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, part]) => [
      name,
      ABOUT_VALUES.has(name) || part === null ? part : MASKED,
    ]),
  );
}

/** Whether a query or a view contains a value next to the name of a masked field, for example in its filter. */
export function tellsNamedValue(of: unknown, redactor: Redactor): boolean {
  if (typeof of === 'string') {
    const opened = jsonOf(of);
    return opened !== null && tellsNamedValue(opened.value, redactor);
  }
  if (typeof of !== 'object' || of === null) return false;
  const { isMaskedPath } = redactor;
  const isOfMasked = !Array.isArray(of) && namesMasked(of, isMaskedPath);
  return Object.entries(of).some(
    ([name, part]) =>
      (isOfMasked && isValueBesideName(of, name)) ||
      isFormulaOfMasked(name, part, isMaskedPath) ||
      tellsNamedValue(part, redactor),
  );
}
