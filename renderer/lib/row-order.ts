/** Rows at hand, narrowed by text or /regex/ and sorted by a field, as the stored lists are. Pure. */
import type { JsonObject } from './records.ts';

const texts = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Rows of which some field holds the text, or fits the expression between slashes. */
export function narrowRows(
  rows: readonly JsonObject[],
  wanted: string,
): { rows: readonly JsonObject[]; problem: string | null } {
  if (wanted === '') return { rows, problem: null };
  const expression = /^\/(.+)\/$/.exec(wanted)?.[1];
  let fits = (text: string) => text.toLowerCase().includes(wanted.toLowerCase());
  if (expression !== undefined) {
    try {
      const regex = new RegExp(expression, 'i');
      fits = (text) => regex.test(text);
    } catch {
      return { rows, problem: 'This regular expression is not finished.' };
    }
  }
  return {
    rows: rows.filter((row) => Object.values(row).some((value) => fits(texts(value)))),
    problem: null,
  };
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
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : collator.compare(texts(left), texts(right));
    return isDescending ? -order : order;
  });
}
