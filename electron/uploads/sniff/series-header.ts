/** Recognizes headers whose names are numbers or dates in order: years, days, or column numbers. Pure. */
import { isObject } from '../../core/items/flattened.ts';
import { parseExact } from '../../shared/exact-json.ts';
import { looksLikeNumber } from '../validate/number-reading.ts';
import { readTime } from '../validate/timestamps.ts';

const [FIRST_YEAR, LAST_YEAR] = [1900, 2100];
const WHOLE = /^\d{1,6}$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A year: exactly four digits, in any script. */
const FULL_YEAR = /(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})/u;

/**
 * True for a number in any notation and script, a JSON value, or a time that begins with a digit. A time with a month
 * in words must have a full year, because texts like 5-Mar are as often names.
 */
export function isDatum(cell: string): boolean {
  const text = cell.trim();
  if (NUMBER.test(text) || isJsonValue(text)) return true;
  if (!/^[^\p{L}]*\p{Nd}/u.test(text)) return false;
  if (looksLikeNumber(text, 'point') || looksLikeNumber(text, 'comma')) return true;
  const form = timeForm(text);
  return form !== null && (form !== 'month-name' || FULL_YEAR.test(text));
}

/** True for a JSON object, or a JSON array of several values. An array of one value may be a name in brackets. */
function isJsonValue(text: string): boolean {
  if (!/^(?:\{.*\}|\[.*\])$/s.test(text)) return false;
  try {
    const value = parseExact(text);
    return Array.isArray(value) ? value.length > 1 : isObject(value) && Object.keys(value).length > 0;
  } catch {
    // A name in brackets.
    return false;
  }
}

/** True for a time with a month in words above other such times. For example, 5-Mar-24 above 6-Mar-24 is not a name. */
export const isTimeAmongTimes = (cell: string, below: readonly string[]): boolean =>
  timeForm(cell.trim()) !== null && below.some((text) => timeForm(text.trim()) !== null);

function timeForm(text: string): string | null {
  const time = /^\p{Nd}/u.test(text) ? readTime(text) : '';
  return typeof time === 'string' ? null : time.form;
}

type Kind = 'year' | 'date' | 'count' | 'other';

function kindOf(text: string): Kind {
  if (WHOLE.test(text)) {
    const number = Number(text);
    return number >= FIRST_YEAR && number <= LAST_YEAR ? 'year' : 'count';
  }
  return /^\d{4}-\d\d-\d\d/.test(text) ? 'date' : 'other';
}

/**
 * True if the numbers and dates of the first row are column names: years or dates in order above values of another
 * kind, or 0, 1, 2… over all columns. Every other cell must be a text that its column does not repeat. There must be at
 * least one, which is empty above an index without a name.
 */
export function isSeriesOfNames(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const cells = first.map((cell) => cell.trim());
  const places = cells.flatMap((cell, at) => (isDatum(cell) ? [at] : []));
  const others = cells.flatMap((cell, at) => (isDatum(cell) ? [] : [at]));
  const kinds = new Set(places.map((at) => kindOf(cells[at] ?? '')));
  const [kind] = kinds;
  if (kinds.size !== 1 || kind === undefined || kind === 'other' || body.length === 0) return false;
  // A printed pandas series has an unnamed index and one column of values, which is named 0.
  if (places.length < 2) return cells.length === 2 && cells[0] === '' && cells[1] === '0';
  const isText = (at: number): boolean =>
    body.every((row) => row[at]?.trim() !== cells[at] || cells[at] === '');
  if (others.length === 0 || !others.every(isText)) return false;
  const series = places.map((at) => cells[at] ?? '');
  if (kind === 'count')
    return isCounted(series) && !body.some((row) => isCounted(places.map((at) => row[at] ?? '')));
  const numbers = series.map((text) => (kind === 'year' ? Number(text) : Date.parse(text.slice(0, 10))));
  const isRising = numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? number));
  const isFalling = numbers.every((number, at) => at === 0 || number < (numbers[at - 1] ?? number));
  const isOfOthers = body.every((row) => places.some((at) => kindOf(row[at]?.trim() ?? '') !== kind));
  return (isRising || isFalling) && isOfOthers;
}

/** True for 0, 1, 2… or 1, 2, 3… */
export function isCounted(texts: readonly string[]): boolean {
  const start = Number(texts[0]);
  return (start === 0 || start === 1) && texts.every((text, at) => text.trim() === String(start + at));
}
