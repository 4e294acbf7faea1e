/**
 * Reads JSON without column names: texts, numbers or lists, one per line or in one list. Each value becomes a row with
 * the key `value`. Texts that contain JSON objects become these objects. Pure.
 */
import { isObject } from '../../core/items/flattened.ts';
import { counted } from '../../shared/count-text.ts';
import { parseAsWritten } from '../../shared/exact-json.ts';
import { parseLenient, writeLenient } from '../../shared/lenient-json.ts';

const JSON_NAME = /\.(?:jsonl|ndjson|jsonlines|json)$/i;
const LIST_OF_VALUES = /^\s*\[\s*(?:"|-?\d|true\b|false\b|null\b|NaN\b|-?Infinity\b)/;
const SCALAR = /^(?:null|true|false|NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*$/;
const ONLY_NULLS = /^(?:[\s,[\]]|null)*$/;
const KEY = 'value';

/** True for JSON without any value: null alone, or lists of nothing but null. */
export const hasOnlyNulls = (text: string): boolean => ONLY_NULLS.test(text);

/**
 * True if a file of this name begins with values that have no names. `head`: the text at its beginning. If the first
 * line is longer than `head`, lines of lists cannot be excluded; the whole text shows whether they are.
 */
export function beginsWithValues(name: string, head: string): boolean {
  if (!JSON_NAME.test(name)) return false;
  // Several lists, one per line, are rows of another kind.
  if (LIST_OF_VALUES.test(head)) return /\.json$/i.test(name) && isOneList(head);
  const [line] = firstLine(head);
  if (SCALAR.test(line)) return true;
  return line.startsWith('"') && typeof parsed(line) === 'string';
}

/** The beginning of a list that is empty or holds anything but objects. */
const LIST_WITHOUT_NAMES = /^\[\s*(?:[["\]]|-?\d|true\b|false\b|null\b|NaN\b|-?Infinity\b)/;

/** True for a list in a file with a JSON name. Such a list is not delimited text. `start` begins without blanks. */
export const isNamedList = (name: string, start: string): boolean =>
  JSON_NAME.test(name) && LIST_WITHOUT_NAMES.test(start);

/** True for lists, one per line: rows of cells without names, which are refused when the rows are read. */
export const areLists = (text: string): boolean => LIST_OF_VALUES.test(text) && !isOneList(text);

/** False if the first line is a complete list and another line follows. */
function isOneList(text: string): boolean {
  const [line, below] = firstLine(text);
  return below.trim() === '' || !Array.isArray(parsed(line));
}

/** The first line that is not blank, and the text after it. */
function firstLine(text: string): [string, string] {
  const start = text.trimStart();
  const [line = start] = start.split(/\r?\n/, 1);
  return [line, start.slice(line.length)];
}

/** The rows as JSON, with a note; null if the text begins like a list but is not valid JSON. */
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
  // The only text may be a whole list of rows that was serialized twice.
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
  // A line that is not JSON stays unchanged and is reported when the rows are read.
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

/** Undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseLenient(text, parseAsWritten).value;
  } catch {
    // The error is reported when the rows are read.
    return undefined;
  }
}
