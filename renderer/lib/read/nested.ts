/** What is inside a value: objects and lists, and JSON that came as text. Pure. */
import { isRawNumber, parseExact } from '../../../electron/shared/exact-json.ts';

/** Characters of a text that is looked into for JSON. */
const MOST_PARSED = 200_000;

/** An object or list with something in it. */
export const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isRawNumber(value) && Object.keys(value).length > 0;

/** The object or list that a text is as JSON; anything else as it came. */
export function readNested(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MOST_PARSED || !/^\s*[[{]/.test(value)) return value;
  try {
    const read = parseExact(value);
    return isNested(read) ? read : value;
  } catch {
    return value;
  }
}
