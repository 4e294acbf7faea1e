/** The answer to a metric query as tables: a time and its values in each row. Pure. */
import { isRawNumber } from './exact-json.ts';
import { isJsonObject, type JsonObject, objectsOf, textOf, textsOf } from './json-fields.ts';
import { isMoment, momentOf, parseTime } from './zone-time.ts';

const WITHOUT_OFFSET = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/;

/** A time in an answer; a time without an offset is in the requested zone. */
export function answerTime(value: unknown, zone: string): number | null {
  const ms = typeof value === 'string' ? textTime(value.trim(), zone) : parseTime(value);
  return ms !== null && isMoment(ms) ? ms : null;
}

/**
 * Matches `…Z` and `…+01:00`, the form of nearly every time. Only two characters are checked, because there are
 * thousands of times.
 */
function hasOffset(text: string): boolean {
  if (text.endsWith('Z')) return true;
  const sign = text.length > 16 ? text[text.length - 6] : '';
  return sign === '+' || sign === '-';
}

function textTime(text: string, zone: string): number | null {
  if (hasOffset(text)) return parseTime(text);
  const parts = WITHOUT_OFFSET.exec(text);
  if (parts === null) return parseTime(text);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  return momentOf({ year, month: month - 1, day, hour, minute, second }, zone);
}

/** A value of the answer: null is a gap; undefined is not a number. */
export function answerValue(given: unknown): number | null | undefined {
  const value = isRawNumber(given) ? given.valueOf() : given;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^(nan|null|none|[+-]?inf(inity)?)?$/i.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

interface Row {
  ms: number;
  cells: readonly unknown[];
}

interface AnswerTable {
  rows: Row[];
  names: string[];
  /** Index of the time in each row. */
  timeAt: number;
  lost: { rows: number; repeated: number };
}

const TIME_NAMES = new Set(['timestamp', 'time', 'date', 'bin', 'time_bucket']);

export function tableOf(result: JsonObject, zone: string): AnswerTable {
  const given = textsOf(result, 'col_names');
  const data = Array.isArray(result['data']) ? result['data'] : [];
  const width = data.reduce((most: number, row) => Math.max(most, Array.isArray(row) ? row.length : 0), 0);
  const names = given.length > 0 ? [...given] : ['timestamp'];
  // Cells beyond the last name are named by their position.
  while (names.length < width)
    names.push(given.length === 0 && names.length === 1 ? 'value' : `column ${names.length + 1}`);
  const named = names.findIndex((name) => TIME_NAMES.has(name.toLowerCase()));
  const timeAt = Math.max(0, named);
  const byTime = new Map<number, Row>();
  const lost = { rows: 0, repeated: 0 };
  for (const cells of data) {
    const ms = Array.isArray(cells) ? answerTime(cells[timeAt], zone) : null;
    if (!Array.isArray(cells) || ms === null) lost.rows += 1;
    else {
      if (byTime.has(ms)) lost.repeated += 1;
      byTime.set(ms, { ms, cells });
    }
  }
  return { rows: [...byTime.values()].sort((a, b) => a.ms - b.ms), names, timeAt, lost };
}

/** Results by query key, from an object or a list of results. */
export function answerTables(record: unknown): Map<string, JsonObject> {
  const results = isJsonObject(record) ? record['results'] : undefined;
  if (Array.isArray(results)) {
    return new Map(
      objectsOf(record, 'results').map((result, index) => [
        textOf(result, 'query_key') || String(index),
        result,
      ]),
    );
  }
  if (!isJsonObject(results)) return new Map();
  return new Map(
    Object.entries(results).flatMap(([key, result]) => (isJsonObject(result) ? [[key, result]] : [])),
  );
}
