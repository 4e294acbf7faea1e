/** Rows at hand, narrowed by text or /regex/ and sorted by a field, as the stored lists are. Pure. */
import { isRawNumber } from '../../electron/shared/exact-json.ts';
import { createMatcher, shownTextOf } from '../../electron/shared/narrowing.ts';
import type { JsonObject } from './records.ts';

const isNumber = (value: unknown) => typeof value === 'number' || isRawNumber(value);
const texts = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * The rows found so far, after each of them that was looked at, so that whoever asks can rest between two.
 * Throws AppError where what was typed cannot be used.
 */
export function* narrowedRows(rows: readonly JsonObject[], typed: string): Generator<readonly JsonObject[]> {
  const matches = createMatcher(typed);
  const found: JsonObject[] = [];
  for (const row of rows) {
    if (matches(shownTextOf(row))) found.push(row);
    yield found;
  }
}

/** A missing value comes last in either direction; numbers by size, everything else by its text. */
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
