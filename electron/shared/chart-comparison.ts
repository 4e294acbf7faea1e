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
/** Changes of the clocks in a zone. */
const CLOCK_CHANGES_MS = [3_600_000, -3_600_000, 1_800_000, -1_800_000];
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
 * Whether the earlier values came with current times: none lies outside the current period, and the last one is later
 * than the earlier period. `current` is not empty.
 */
function isInPlace(
  earlier: readonly number[],
  current: readonly number[],
  comparison: string,
  zone: string,
): boolean {
  const [first = 0, last = first] = [current[0], current.at(-1)];
  const [from, to] = [earlier[0], earlier.at(-1)];
  if (from === undefined || to === undefined || from < first || to > last) return false;
  const earlierLast = movedBy(last, comparison, -1, zone);
  return earlierLast === null || to > earlierLast;
}

/** Shortest length of a bin, by its size in a query. */
const BIN_MS: Readonly<Record<string, number>> = {
  Hour: 3_600_000,
  Day: DAY_MS,
  Week: 7 * DAY_MS,
  Month: 28 * DAY_MS,
  Quarter: 90 * DAY_MS,
};

/** Whether any step from one time to the next skips a bin. */
function hasGaps(series: readonly (readonly number[])[]): boolean {
  const steps = series.flatMap((times) => times.slice(1).map((ms, at) => ms - (times[at] ?? ms)));
  const shortestMs = steps.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
  // Months, and days on which the clocks change, differ in length by less than a half.
  return steps.some((step) => step >= 1.5 * shortestMs);
}

/** Omits all but one of the times that were moved to the same place, e.g. to the end of an hour that the clocks skip. */
function withoutRepeats(
  places: readonly (number | null)[],
  isExact: (place: number, at: number) => boolean,
): (number | null)[] {
  const kept = new Map<number, number>();
  for (const [at, place] of places.entries())
    if (place !== null && (!kept.has(place) || isExact(place, at))) kept.set(place, at);
  return places.map((place, at) => (place !== null && kept.get(place) === at ? place : null));
}

/** The comparison of a query, and its bins. */
export interface Compare {
  comparison: string;
  zone: string;
  binSize: string;
  /**
   * Whether the earlier period was queried separately, so that its times are its own. Otherwise its values can have
   * current times.
   */
  isApart: boolean;
}

/**
 * Maps times of the earlier period to the current one, by index; null for a time without a counterpart. Both are
 * ascending. Times correspond by the calendar. If the bins do not fit that, such as weeks in months, close ones
 * correspond by position if both periods have the same number of bins and none is missing.
 */
export function aligned(
  earlier: readonly number[],
  current: readonly number[],
  { comparison, zone, binSize, isApart }: Compare,
): (number | null)[] {
  const moved = earlier.map((ms) => movedBy(ms, comparison, 1, zone));
  const first = current[0];
  const last = current.at(-1);
  if (first === undefined || last === undefined) return moved;
  if (!isApart && isInPlace(earlier, current, comparison, zone)) return [...earlier];
  const known = new Set(current);
  const binMs = BIN_MS[binSize] ?? 0;
  // Days of UTC begin at another hour of the zone after its clocks were changed.
  const changes = [0, ...CLOCK_CHANGES_MS.filter((ms) => Math.abs(ms) < binMs / 2)];
  const places = moved.map((ms) => {
    if (ms === null) return null;
    const place = ms + (changes.find((change) => known.has(ms + change)) ?? 0);
    return place >= first && place <= last ? place : null;
  });
  const isFitting = (ms: number | null, at: number) => ms === null || known.has(places[at] ?? Number.NaN);
  const fits = moved.some((ms) => ms !== null) && moved.every(isFitting);
  // Bins that are a whole bin apart are different ones; a day on which the clocks change is an hour shorter.
  const isClose = moved.every((ms, at) => ms === null || Math.abs(ms - (current[at] ?? 0)) < 0.9 * binMs);
  if (!fits && isClose && earlier.length === current.length && !hasGaps([earlier, current]))
    return [...current];
  return withoutRepeats(places, (place, at) => movedBy(place, comparison, -1, zone) === earlier[at]);
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
