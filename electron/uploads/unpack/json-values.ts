/**
 * JSON without names of columns: texts, numbers or lists, one on each line or in one list. Each becomes a row with the
 * key `value`; texts that are JSON objects themselves become these objects. Pure.
 */
import { isObject } from '../../core/items/flattened.ts';
import { counted } from '../../shared/count-text.ts';
import { parseExact, writeExact } from '../../shared/exact-json.ts';

const JSON_NAME = /\.(?:jsonl|ndjson|jsonlines|json)$/i;
const LIST_OF_VALUES = /^\s*\[\s*(?:"|-?\d|true\b|false\b|null\b)/;
const KEY = 'value';

/** True if a file of this name begins with values that have no names; `head` is the text at its beginning. */
export function beginsWithValues(name: string, head: string): boolean {
  if (!JSON_NAME.test(name)) return false;
  const [line = '', ...below] = head.trimStart().split(/\r?\n/);
  // Several lists, one to a line, are rows of another kind.
  const isOneList = () => !below.some((text) => text.trim() !== '') || !Array.isArray(parsed(line));
  if (LIST_OF_VALUES.test(head)) return /\.json$/i.test(name) && isOneList();
  return line.startsWith('"') && typeof parsed(line) === 'string';
}

/** The rows as JSON, with a note; null for the beginning of a list that is not valid JSON. */
export function rowsOfValues(text: string): { lines: string[]; note: string } | null {
  const isList = LIST_OF_VALUES.test(text);
  const list = isList ? parsed(text) : null;
  if (isList && !Array.isArray(list)) return null;
  const values = Array.isArray(list)
    ? list.map((value: unknown) => ({ value, text: '' }))
    : text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => ({ value: parsed(line), text: line }));
  const where = isList ? 'in one list' : 'one to a line';
  const inner = values.map(({ value }) => (typeof value === 'string' ? parsed(value) : undefined));
  if (inner.length > 0 && inner.every(isObject))
    return {
      lines: inner.map(writeExact),
      note: `JSON: ${counted(inner.length, 'text')}, ${where}, that are JSON objects themselves: read as these objects, a row each.`,
    };
  return {
    // A line that is no JSON stays as it is: the reader of the rows reports it.
    lines: values.map(({ value, text: line }) =>
      value === undefined || isObject(value) ? line || writeExact(value) : writeExact({ [KEY]: value }),
    ),
    note: `JSON: ${counted(values.length, 'value')} without a name, ${where}, a row each with the key “${KEY}”.`,
  };
}

/** Undefined for text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // A text of another form, which is reported where it is read.
    return undefined;
  }
}
