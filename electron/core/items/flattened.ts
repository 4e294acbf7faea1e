/** Objects with keys inside, as one level of keys with dots. Pure. */
import { isRawNumber } from '../../shared/exact-json.ts';

/** Every value that is no object with keys, under the keys that lead to it: `{"a": {"b": 1}}` is `a.b`. */
export function flattened(
  value: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): [string, unknown][] {
  return Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    const to = [...path, key];
    return isObject(each) && Object.keys(each).length > 0 ? flattened(each, to) : [[to.join('.'), each]];
  });
}

/** No list, and no number that is kept digit by digit. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
