/** What dates in digits say of the order of day and month. Pure. */

/**
 * `sure`: only this order makes it a date. `likely`: points between the parts, as where the day comes first. `either`: a
 * date in both orders, and another one in each. `same`: day and month are equal.
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
