/** Flattens nested objects to one level of dotted keys. Pure. */
import { isRawNumber } from '../../shared/exact-json.ts';

/** Every value that is not an object with keys, under its dotted path: `{"a": {"b": 1}}` becomes `a.b`. */
export function flattened(
  value: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): [string, unknown][] {
  return Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    const to = [...path, key];
    return isObject(each) && Object.keys(each).length > 0 ? flattened(each, to) : [[to.join('.'), each]];
  });
}

/** Excludes lists, and numbers that are stored as objects to keep all digits. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
