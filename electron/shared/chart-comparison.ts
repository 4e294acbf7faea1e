/**
 * The earlier period that a chart is compared with. Its form in the answer is not published (SERVICE.md F8.2), so every
 * plausible form is accepted: next to the values of a query, as a separate result, or as additional columns. Pure.
 */

import {
  isJsonObject,
  type JsonObject,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
  withFields,
} from './json-fields.ts';
import { civilAt, momentOf } from './zone-time.ts';

/** `Previous Week` in lower case, for use in a sentence. */
export const comparisonWords = (comparison: string): string => comparison.trim().toLowerCase();

const DAY_MS = 86_400_000;
const WORDS = /compar|previous|prior|earlier/i;

/** Fields of a result, or of the whole answer, about an earlier period that contain more than its name. */
function comparedField(of: unknown): unknown {
  if (!isJsonObject(of)) return undefined;
  const found = Object.entries(of).find(
    ([field, value]) => WORDS.test(field) && typeof value === 'object' && value !== null,
  );
  return found?.[1];
}

/** Reads a bare list of rows, or a result with its own names; null if it has no rows. */
function asResult(value: unknown, like: JsonObject): JsonObject | null {
  if (Array.isArray(value)) {
    return value.some((row) => Array.isArray(row)) ? { ...withoutComparison(like), data: value } : null;
  }
  if (!isJsonObject(value) || !Array.isArray(value['data'])) return null;
  return { ...withoutComparison(like), ...value };
}

function withoutComparison(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([field]) => !WORDS.test(field)));
}

/** Finds a result by key, in an object or in a list of results with keys. */
function byKey(value: unknown, key: string): unknown {
  if (!isJsonObject(value)) return undefined;
  const results = isJsonObject(value['results']) ? value['results'] : value;
  return results[key];
}

function listed(value: unknown, key: string): unknown {
  return Array.isArray(value)
    ? objectsOf({ list: value }, 'list').find((each) => textOf(each, 'query_key') === key)
    : undefined;
}

/** Whether `other` is the key of the earlier period of the query `key`, e.g. `a_comparison`. */
export function isComparedKey(other: string, key: string): boolean {
  return key !== '' && other !== key && other.startsWith(key) && WORDS.test(other.slice(key.length));
}

/**
 * Separates the columns of the earlier period, e.g. `traffic (Previous Week)`. `asked`: names of the metric and of
 * columns, which may contain such words themselves.
 */
function splitColumns(
  result: JsonObject,
  asked: readonly string[],
): { current: JsonObject; earlier: JsonObject } | null {
  const names = textsOf(result, 'col_names');
  const isEarlier = (index: number) => {
    const rest = asked.reduce((text, word) => text.replace(word, ''), names[index] ?? '');
    return index > 0 && WORDS.test(rest);
  };
  const places = names.map((_, index) => index);
  const own = places.filter((index) => !isEarlier(index));
  if (own.length === names.length || own.length < 2) return null;
  const data = Array.isArray(result['data']) ? result['data'] : [];
  const only = (kept: readonly number[]): JsonObject => ({
    ...result,
    col_names: kept.map((index) => names[index] ?? ''),
    data: data.map((row) => (Array.isArray(row) ? kept.map((index) => row[index] ?? null) : row)),
  });
  return { current: only(own), earlier: only([0, ...places.filter(isEarlier)]) };
}

interface Compared {
  current: JsonObject;
  /** Null if the answer has no earlier period. */
  earlier: JsonObject | null;
}

/** Separates the result of a query from that of the earlier period. */
export function partComparison(
  record: unknown,
  results: ReadonlyMap<string, JsonObject>,
  { key, metric, columns }: { key: string; metric: string; columns: readonly string[] },
  result: JsonObject,
): Compared {
  const beside = asResult(comparedField(result), result);
  if (beside !== null) return { current: withoutComparison(result), earlier: beside };
  const whole = comparedField(record);
  const apart = asResult(byKey(whole, key) ?? listed(whole, key), result);
  if (apart !== null) return { current: result, earlier: apart };
  for (const [other, found] of results) {
    if (isComparedKey(other, key)) return { current: result, earlier: asResult(found, result) };
  }
  return splitColumns(result, [metric, ...columns]) ?? { current: result, earlier: null };
}

/** The moment one period later (`by` 1) or earlier (-1) on the zone's wall clock; null if there is no such day. */
function movedBy(ms: number, comparison: string, by: 1 | -1, zone: string): number | null {
  const at = civilAt(ms, zone);
  const to = (change: Partial<typeof at>) => momentOf({ ...at, ...change }, zone);
  switch (comparisonWords(comparison).replace(/^previous\s+/, '')) {
    case 'day':
      return to({ day: at.day + by });
    case 'week':
      return to({ day: at.day + 7 * by });
    case 'month':
      return sameDay(to({ month: at.month + by }), at.day, zone);
    case 'quarter':
      return sameDay(to({ month: at.month + 3 * by }), at.day, zone);
    case 'year':
      return sameDay(to({ year: at.year + by }), at.day, zone);
    default:
      return null;
  }
}

function sameDay(ms: number, day: number, zone: string): number | null {
  return civilAt(ms, zone).day === day ? ms : null;
}

/**
 * Maps times of the earlier period to the current one, by index; null for a time without a counterpart. If both have
 * the same number of bins, they correspond by position, because months differ in length.
 */
export function aligned(
  earlier: readonly number[],
  current: readonly number[],
  comparison: string,
  zone: string,
): (number | null)[] {
  const first = current[0];
  const last = current.at(-1);
  if (first === undefined || last === undefined) return earlier.map((ms) => movedBy(ms, comparison, 1, zone));
  const isInPlace = earlier.length > 0 && earlier.every((ms) => ms >= first && ms <= last);
  if (isInPlace) return [...earlier];
  if (earlier.length === current.length) return [...current];
  return earlier.map((ms) => {
    const moved = movedBy(ms, comparison, 1, zone);
    return moved !== null && moved >= first && moved <= last ? moved : null;
  });
}

/**
 * The time in the earlier period that a current time is compared with, if an answer has only the current times; null if
 * there is no such day.
 */
export const earlierTime = (ms: number, comparison: string, zone: string): number | null =>
  movedBy(ms, comparison, -1, zone);

/**
 * The same query for the earlier period, for a service that sends no comparison; null if it is not possible. `current`:
 * the answered series with the times to compare.
 */
export function earlierBody(
  body: JsonObject,
  comparison: string,
  current: readonly { times: readonly number[] }[],
  zone: string,
): JsonObject | null {
  const ends = current.flatMap(({ times }) => [times[0] ?? [], times.at(-1) ?? []].flat());
  if (ends.length === 0) return null;
  const startMs = Math.min(...ends);
  // A range excludes its last moment, but the last bin must be included.
  const endMs = Math.max(...ends) + 1_000;
  const start = movedBy(startMs, comparison, -1, zone) ?? movedBy(startMs - 3 * DAY_MS, comparison, -1, zone);
  const end = movedBy(endMs, comparison, -1, zone) ?? movedBy(endMs + 3 * DAY_MS, comparison, -1, zone);
  if (start === null || end === null || end <= start) return null;
  return {
    ...withFields(body, { time_comparison: undefined }),
    filters: withFields(objectOf(body, 'filters'), {
      time_label: null,
      time_range: { start_time: new Date(start).toISOString(), end_time: new Date(end).toISOString() },
    }),
  };
}

/** Reliable digits in the difference of two doubles: 0.3 minus 0.1 is 0.2. */
const DIGITS = 12;

/** Difference between a value and the earlier one it is compared with; null if either is missing. */
export const differenceOf = (earlier: number | null, now: number | null): number | null =>
  earlier === null || now === null ? null : Number((now - earlier).toPrecision(DIGITS));
