/** Filters loaded rows by text or /regex/ and sorts them by field, in the same way as stored lists. Pure. */
import { isRawNumber } from '../../electron/shared/exact-json.ts';
import type { WordTable } from '../../electron/shared/shown-words.ts';
import { createMatcher, shownTextOf } from '../../electron/shared/text-filter.ts';
import type { JsonObject } from './records.ts';

const isNumber = (value: unknown) => typeof value === 'number' || isRawNumber(value);
const texts = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * Yields the matches so far after each checked row, so that the caller can pause in between. Throws AppError if the
 * typed text is invalid. `tables`: those by which the rows show constants.
 */
export function* filteredRows(
  rows: readonly JsonObject[],
  typed: string,
  tables: readonly WordTable[] = [],
): Generator<readonly JsonObject[]> {
  const matches = createMatcher(typed, tables);
  const found: JsonObject[] = [];
  for (const row of rows) {
    if (matches(shownTextOf(row))) found.push(row);
    yield found;
  }
}

/** Sorts rows. Missing values come last in both directions; numbers are compared by value, everything else as text. */
export function sortRows(
  rows: readonly JsonObject[],
  { field, isDescending }: { field: string; isDescending: boolean },
): readonly JsonObject[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const isMissing = (value: unknown) => value === null || value === undefined || value === '';
  return rows.toSorted((a, b) => {
    const [left, right] = [a[field], b[field]];
    if (isMissing(left) || isMissing(right)) return Number(isMissing(left)) - Number(isMissing(right));
    const order =
      isNumber(left) && isNumber(right)
        ? Number(left) - Number(right)
        : collator.compare(texts(left), texts(right));
    return isDescending ? -order : order;
  });
}
