/** Evidence of a numeric date for the order of day and month. Pure. */

/**
 * `sure`: valid in this order only. `likely`: has points between the parts, which usually means day first. `either`:
 * valid in both orders, with different dates. `same`: day and month are equal.
 */
export type DateOrder = 'sure-day' | 'sure-month' | 'likely-day' | 'either' | 'same' | 'none';

export function dateOrderOf(first: number, sign: string, second: number): DateOrder {
  const isDay = first >= 1 && first <= 31 && second >= 1 && second <= 12;
  const isMonth = first >= 1 && first <= 12 && second >= 1 && second <= 31;
  if (!isDay && !isMonth) return 'none';
  if (!isMonth) return 'sure-day';
  if (!isDay) return 'sure-month';
  if (sign === '.') return 'likely-day';
  return first === second ? 'same' : 'either';
}
