/**
 * JSON without names of columns: texts, numbers or lists, one on each line or in one list. Each becomes a row with the
 * key `value`; texts that are JSON objects themselves become these objects. Pure.
 */
import { isObject } from '../../core/items/flattened.ts';
import { counted } from '../../shared/count-text.ts';
import { parseAsWritten } from '../../shared/exact-json.ts';
import { parseLenient, writeLenient } from '../../shared/lenient-json.ts';

const JSON_NAME = /\.(?:jsonl|ndjson|jsonlines|json)$/i;
const LIST_OF_VALUES = /^\s*\[\s*(?:"|-?\d|true\b|false\b|null\b|NaN\b|-?Infinity\b)/;
const KEY = 'value';

/**
 * True if a file of this name begins with values that have no names; `head` is the text at its beginning. Lists one to a
 * line, which are no such values, are taken for them if the first line is longer: the whole text shows it.
 */
export function beginsWithValues(name: string, head: string): boolean {
  if (!JSON_NAME.test(name)) return false;
  // Several lists, one to a line, are rows of another kind.
  if (LIST_OF_VALUES.test(head)) return /\.json$/i.test(name) && isOneList(head);
  const [line] = firstLine(head);
  return line.startsWith('"') && typeof parsed(line) === 'string';
}

/** The beginning of a list that holds anything but objects, or nothing. */
const LIST_WITHOUT_NAMES = /^\[\s*(?:[["\]]|-?\d|true\b|false\b|null\b|NaN\b|-?Infinity\b)/;

/** True for a list in a file named as JSON, which is no delimited text. `start` begins with no blank. */
export const isNamedList = (name: string, start: string): boolean =>
  JSON_NAME.test(name) && LIST_WITHOUT_NAMES.test(start);

/** True for lists one to a line: rows of cells without names, which the reader of the rows refuses. */
export const areLists = (text: string): boolean => LIST_OF_VALUES.test(text) && !isOneList(text);

/** True unless the first line is a list by itself and another line follows. */
function isOneList(text: string): boolean {
  const [line, below] = firstLine(text);
  return below.trim() === '' || !Array.isArray(parsed(line));
}

/** The first line that is not blank, and the text below it. */
function firstLine(text: string): [string, string] {
  const start = text.trimStart();
  const [line = start] = start.split(/\r?\n/, 1);
  return [line, start.slice(line.length)];
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
  const texts = values.map(({ value }) => (typeof value === 'string' ? parsed(value) : undefined));
  // A list of rows that was written as JSON twice.
  const [only] = texts;
  const inner = texts.length === 1 && Array.isArray(only) && only.length > 0 ? only : texts;
  if (inner.length > 0 && inner.every(isObject))
    return {
      lines: inner.map(writeLenient),
      note:
        inner === texts
          ? `JSON: ${counted(inner.length, 'text')}, ${where}, that are JSON objects themselves: read as these objects, a row each.`
          : `JSON: one text that is a list of ${counted(inner.length, 'object')} itself: read as these objects, a row each.`,
    };
  // A line that is no JSON stays as it is: the reader of the rows reports it.
  const isUnnamed = ({ value }: { value: unknown }): boolean => value !== undefined && !isObject(value);
  const objects = values.filter(({ value }) => isObject(value)).length;
  const named = objects === 0 ? '' : ` Beside them, ${counted(objects, 'object')}, a row each.`;
  return {
    lines: values.map(({ value, text: line }) =>
      isUnnamed({ value }) ? writeLenient({ [KEY]: value }) : line || writeLenient(value),
    ),
    note: `JSON: ${counted(values.filter(isUnnamed).length, 'value')} without a name, ${where}, a row each with the key “${KEY}”.${named}`,
  };
}

/** Undefined for text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return parseLenient(text, parseAsWritten).value;
  } catch {
    // A text of another form, which is reported where it is read.
    return undefined;
  }
}
