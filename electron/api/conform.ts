/**
 * Reads a record whose fields have another form than the endpoint table states: a number written as text, a text
 * written as number, or another type where nothing depends on the field. Each such field is reported as a difference.
 * Pure.
 */
import type { Difference } from '../shared/answer-differences.ts';
import { isRawNumber, withPlainNumbers } from '../shared/exact-json.ts';
import type * as z from '../shared/zod.ts';

/** A record in the form of the schema, and how the received record differs. */
interface Conformed {
  value: unknown;
  differences: readonly Difference[];
}

/** Maximum number of rounds. If an inner field cannot be left out, the next round tries the outer one. */
const MAX_ROUNDS = 6;
/** Maximum number of differences reported for one record. */
const MAX_NAMED = 10;

type Place = readonly PropertyKey[];

const isContainer = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null && !isRawNumber(value);

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((at, name) => (isContainer(at) ? at[name] : undefined), value);
}

/** A copy with the value at a place replaced. */
function replaced(value: unknown, [name, ...rest]: Place, by: unknown): unknown {
  if (name === undefined) return by;
  if (!isContainer(value)) return value;
  if (Array.isArray(value))
    return value.map((part: unknown, index) => (index === name ? replaced(part, rest, by) : part));
  return { ...value, [name]: replaced(value[name], rest, by) };
}

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value converted to the expected type; null if it is not just another notation for that type. */
function converted(value: unknown, expected: string): unknown {
  if (expected === 'number' && typeof value === 'string' && DECIMAL.test(value)) {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  if (expected === 'string') {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (isRawNumber(value)) return value.digits;
  }
  return null;
}

const expectedOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' ? issue.expected : 'other';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number' || isRawNumber(value))
    return Number.isFinite(Number(value)) ? 'a number' : 'a number too large to calculate with';
  return typeof value === 'boolean' ? 'true or false' : 'an object';
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Expected and actual type as text; null if the type is correct but the value is not. */
export function wrongType(issue: z.core.$ZodIssue, item: unknown): string | null {
  const expected = EXPECTED[expectedOf(issue)];
  return expected === undefined ? null : `expected ${expected}, got ${typeOf(valueAt(item, issue.path))}`;
}

/** Positions in lists are left out, because the difference is the same for each item. */
const placeText = (place: Place): string => place.filter((name) => typeof name !== 'number').join('.');

/**
 * The record with each field in the form of the schema. A field in another notation is converted; any other deviating
 * field is left without a value. `value` is undefined if a required field is missing or has another form.
 */
export function conform(schema: z.ZodType, item: unknown): Conformed {
  const first = schema.safeParse(withPlainNumbers(item));
  if (first.success) return { value: item, differences: [] };
  const differences = first.error.issues.slice(0, MAX_NAMED).map((issue): Difference => {
    const got = typeOf(valueAt(item, issue.path));
    return { place: placeText(issue.path), expected: EXPECTED[expectedOf(issue)] ?? 'another form', got };
  });
  let value = item;
  let { issues } = first.error;
  let depth = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const issue of issues) {
      const place = depth === 0 ? issue.path : issue.path.slice(0, -depth);
      if (place.length === 0) return { value: undefined, differences };
      value = replaced(
        value,
        place,
        depth === 0 ? converted(valueAt(value, place), expectedOf(issue)) : null,
      );
    }
    const again = schema.safeParse(withPlainNumbers(value));
    if (again.success) return { value, differences };
    // A list entry or a required field cannot be left out, so the object that contains it is left out.
    const isSame = again.error.issues.some(({ path }) =>
      issues.some((issue) => path.join() === issue.path.join()),
    );
    depth = isSame ? depth + 1 : 0;
    ({ issues } = again.error);
  }
  return { value: undefined, differences };
}
