/** Adds keys and values to the text of a JSON object, for users who do not write JSON. Pure. */
import { parseExact, writeExact } from '../../../electron/shared/exact-json.ts';
import { isObject } from '../records.ts';

export type KeyKind = 'text' | 'json';

/** The text with the key, or the reason why it cannot be added. Numbers keep their exact digits. */
export function withKey(
  text: string,
  { key, kind, value }: { key: string; kind: KeyKind; value: string },
): { text: string } | { problem: string } {
  const object = text.trim() === '' ? {} : parsed(text)?.value;
  if (!isObject(object)) return { problem: 'The text above is not a JSON object. Correct it first.' };
  if (key === '') return { problem: 'Enter a key.' };
  // A key with an empty text or null is still to be filled in.
  if (Object.hasOwn(object, key) && object[key] !== '' && object[key] !== null)
    return { problem: `The key ${key} is there already.` };
  const made = kind === 'text' ? { value } : parsed(value);
  if (made === null) return { problem: 'The value is not JSON. A text can be kept as text.' };
  const lines = Object.entries({ ...object, [key]: made.value }).map(
    ([name, each]) => `  ${JSON.stringify(name)}: ${writeExact(each)}`,
  );
  return { text: `{\n${lines.join(',\n')}\n}` };
}

/** A key of an object and its value as typed: plain text, or JSON. */
export interface KeyRow {
  key: string;
  kind: KeyKind;
  value: string;
}

/** The keys of an object with their values; null if it has none. A null value is still to be filled in. */
export function rowsOf(text: string): KeyRow[] | null {
  const object = parsed(text)?.value;
  if (!isObject(object)) return null;
  const rows = Object.entries(object).map(
    ([key, each]): KeyRow =>
      typeof each === 'string'
        ? { key, kind: 'text', value: each }
        : { key, kind: 'json', value: each === null ? '' : writeExact(each) },
  );
  return rows.length === 0 ? null : rows;
}

/** Whether nothing was entered, so that the key is left out. */
const isBlank = ({ kind, value }: KeyRow): boolean => (kind === 'text' ? value : value.trim()) === '';

/** The rows in which something was entered. */
export const filledRows = (rows: readonly KeyRow[]): KeyRow[] => rows.filter((row) => !isBlank(row));

/** One row for each key to be filled in; null if the text is not an object with only such keys. */
export function blankRows(text: string): KeyRow[] | null {
  const rows = rowsOf(text);
  return rows?.every(isBlank) === true ? rows : null;
}

/**
 * The keys to be filled in, with their values from an object that can have other keys too. Null if the text is not an
 * object, or if it has an empty value: a row cannot distinguish that from a key that is left out.
 */
export function rowsWith(blank: readonly KeyRow[], text: string): KeyRow[] | null {
  const entered = text.trim() === '' ? [] : rowsOf(text);
  if (entered === null || entered.some(isBlank)) return null;
  const found = new Map(entered.map((row) => [row.key, row]));
  const known = blank.map((row) => found.get(row.key) ?? row);
  return [...known, ...entered.filter(({ key }) => !blank.some((row) => row.key === key))];
}

export const isRowValid = ({ kind, value }: KeyRow): boolean =>
  kind === 'text' || value.trim() === '' || parsed(value) !== null;

/**
 * The object with these keys and values. If a value is invalid, the text is invalid JSON too, which the form reports.
 */
export function textOfRows(rows: readonly KeyRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ({ key, kind, value }) =>
      `  ${JSON.stringify(key)}: ${kind === 'text' ? JSON.stringify(value) : value.trim() || 'null'}`,
  );
  return `{\n${lines.join(',\n')}\n${rows.every(isRowValid) ? '}' : ''}`;
}

/** Maximum number of keys; longer lists do not help in a form. */
const MAX_BLANK = 50;

/**
 * An object with these keys to be filled in: empty text for texts, null for other kinds; empty if there are no keys.
 */
export function blankKeys(keys: readonly string[], isText: (key: string) => boolean = () => true): string {
  if (keys.length === 0) return '';
  const blank = Object.fromEntries(keys.slice(0, MAX_BLANK).map((key) => [key, isText(key) ? '' : null]));
  return JSON.stringify(blank, null, 2);
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}
