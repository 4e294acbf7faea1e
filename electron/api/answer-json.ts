/**
 * Parses JSON of answers that may contain NaN or Infinity, as some services write missing numbers. These are read as
 * null and marked in the record. Pure.
 */
import { isRawNumber } from '../shared/exact-json.ts';
import { NOT_FINITE } from '../shared/item-row.ts';
import { parseLenient } from '../shared/lenient-json.ts';

const MAX_NAMED = 10;

/**
 * Like `parseExact`, but accepts non-finite numbers. The field `not_finite` of a record lists its fields with such
 * values. Throws SyntaxError.
 */
export function parseAnswerJson(text: string): unknown {
  const { value, oddities } = parseLenient(text);
  return oddities.length === 0 ? value : withMarks(value);
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Marks the records at every place where an answer can have records. */
function withMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markedRecord);
  if (!isFields(value)) return cleared(value, '', []);
  const { data, items } = value;
  const rest = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, cleared(part, name, [])]),
  );
  if (Array.isArray(data)) return { ...rest, data: data.map(markedRecord) };
  if (isFields(data) && Array.isArray(data['items'])) {
    const around = cleared({ ...data, items: [] }, '', []) as Fields;
    return { ...rest, data: { ...around, items: data['items'].map(markedRecord) } };
  }
  if (isFields(data)) return { ...rest, data: markedRecord(data) };
  return Array.isArray(items) ? { ...rest, items: items.map(markedRecord) } : rest;
}

function markedRecord(record: unknown): unknown {
  const found: string[] = [];
  const clear = cleared(record, '', found);
  if (found.length === 0 || !isFields(clear)) return clear;
  const more = found.length > MAX_NAMED ? `, and ${found.length - MAX_NAMED} more` : '';
  return { ...clear, [NOT_FINITE]: `${found.slice(0, MAX_NAMED).join(', ')}${more}` };
}

/** Replaces each non-finite number by null, and appends the original text and its place to `found`. */
function cleared(value: unknown, place: string, found: string[]): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    found.push(`${place === '' ? 'value' : place}: ${value}`);
    return null;
  }
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const inside = (name: string | number) => (place === '' ? String(name) : `${place}.${name}`);
  if (Array.isArray(value)) return value.map((part, index) => cleared(part, inside(index), found));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, cleared(part, inside(name), found)]),
  );
}
