/** Equality of JSON values: numbers by their value, objects whatever the order of their keys. Pure. */
import { compareDecimals, decimalKey, numberDigits } from '../../shared/exact-decimal.ts';
import { isRawNumber, type RawNumber } from '../../shared/exact-json.ts';
import { isObject } from './flattened.ts';

export const isNumber = (value: unknown): value is number | RawNumber =>
  typeof value === 'number' || isRawNumber(value);

/** Compares only as deep as the less deep value. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (isNumber(one) && isNumber(other)) return compareDecimals(numberDigits(one), numberDigits(other)) === 0;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((part, at) => isEqual(part, other[at]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const keys = Object.keys(one);
  const isIn = (key: string) => Object.hasOwn(other, key) && isEqual(one[key], other[key]);
  return keys.length === Object.keys(other).length && keys.every(isIn);
}

/** A text that is the same for equal values, and only for them. Throws RangeError for values of thousands of levels. */
export function equalText(value: unknown): string {
  if (isNumber(value)) return decimalKey(numberDigits(value));
  if (Array.isArray(value)) return `[${value.map(equalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value).toSorted();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${equalText(value[name])}`).join()}}`;
}
