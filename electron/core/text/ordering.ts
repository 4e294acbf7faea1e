/** Compares records by the `ordering` parameter (parsed in shared/ordering.ts). Pure. */
import { isRawNumber } from '../../shared/exact-json.ts';
import type { OrderingTerm } from '../../shared/ordering.ts';
import type { FieldReader } from './filters.ts';

export * from '../../shared/ordering.ts';

const TYPE_RANK = ['number', 'boolean', 'string', 'object'];

/** A total order over JSON values: numbers, booleans, texts by code unit, then all others by their JSON. */
export function compareValues(a: unknown, b: unknown): number {
  const [typeA, typeB] = [typeOf(a), typeOf(b)];
  if (typeA !== typeB) return TYPE_RANK.indexOf(typeA) < TYPE_RANK.indexOf(typeB) ? -1 : 1;
  if (typeA === 'object') return compareTexts(JSON.stringify(a), JSON.stringify(b));
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return Math.sign(Number(a) - Number(b)) || 0;
}

const typeOf = (value: unknown): string => (isRawNumber(value) ? 'number' : typeof value);

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value));
}

/** Compares two records by the terms in turn. A missing value comes last, ascending or descending. */
export function compareByOrdering(terms: readonly OrderingTerm[], a: FieldReader, b: FieldReader): number {
  for (const { field, isDescending } of terms) {
    const [left, right] = [a(field), b(field)];
    const [missingLeft, missingRight] = [isMissing(left), isMissing(right)];
    if (missingLeft !== missingRight) return missingLeft ? 1 : -1;
    if (missingLeft) continue;
    const order = compareValues(left, right);
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}
