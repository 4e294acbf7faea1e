/** Reads records whose fields can be missing or of another type. Pure. */
import { isRawNumber, parseExact } from '../../electron/shared/exact-json.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** A field as text; empty if it is missing. */
export function textField(record: JsonObject, field: string): string {
  const value = record[field];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || isRawNumber(value) ? String(value) : '';
}

/** Name of a reference such as `project: {id, name}` or `created_by: {id, full_name}`. */
export function referenceName(record: JsonObject, field: string): string {
  const value = record[field];
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  return textField(value, 'name') || textField(value, 'full_name') || textField(value, 'id');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Name of a person such as `updated_by: {id, full_name}`; empty if only the id is known, which means nothing to a
 * reader.
 */
export function personName(record: JsonObject, field: string): string {
  const name = referenceName(record, field);
  const value = record[field];
  const isId = UUID.test(name) || (isObject(value) && name === textField(value, 'id'));
  return isObject(value) && isId ? textField(value, 'email') : isId ? '' : name;
}

/** First and last name of a person's record; empty if it has neither. */
const fullName = (record: JsonObject): string =>
  [textField(record, 'first_name'), textField(record, 'last_name')].filter((part) => part !== '').join(' ');

const TITLE_FIELDS = ['name', 'value', 'username', 'id'] as const;

/** Display name of the record: its name or the name of the person, otherwise its id, otherwise the fallback. */
export function recordTitle(record: JsonObject, fallback = 'Record'): string {
  const person = textField(record, 'name') === '' ? fullName(record) : '';
  if (person !== '') return person;
  const field = TITLE_FIELDS.find((name) => textField(record, name) !== '');
  return field === undefined ? fallback : textField(record, field);
}

/** The reason why a typed text is not a JSON object; null if it is one or is empty. */
export function objectProblem(text: string): string | null {
  const expected = 'Expected a JSON object like {"owner": "quality"}.';
  if (text.trim() === '') return null;
  try {
    return isObject(parseExact(text)) ? null : expected;
  } catch {
    return expected;
  }
}
