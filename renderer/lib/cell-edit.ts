/** Values of item fields typed into a grid cell, and blocks of cells pasted from a spreadsheet. Pure. */
import { BUCKETS, type Bucket } from '../../electron/shared/dataset-model.ts';
import { withFormula } from '../../electron/shared/delimited.ts';
import { holdsRawNumber, parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import { formatCount } from './format.ts';
import type { ColumnKind, Row } from './grid/columns.ts';
import { isObject } from './records.ts';

/** The field of an item that a column shows; `key` is null for a column of a whole bucket. */
export interface CellPath {
  bucket: Bucket;
  key: string | null;
}

/** The field that a column shows; null if the column does not show content of an item. */
export function cellPath(columnId: string): CellPath | null {
  const bucket = BUCKETS.find((each) => columnId === each || columnId.startsWith(`${each}.`));
  if (bucket === undefined) return null;
  return { bucket, key: columnId === bucket ? null : columnId.slice(bucket.length + 1) };
}

export type CellKind = 'text' | 'json';

/** A cell whose value is being typed, with its position in pixels. */
export interface OpenCell {
  row: Row;
  index: number;
  columnId: string;
  path: CellPath;
  title: string;
  was: unknown;
  left: number;
  top: number;
  width: number;
}

/** Whether the text differs from the cell's text when it was opened. */
export function isTyped(
  { was, path }: Pick<OpenCell, 'was' | 'path'>,
  text: string,
  kind: CellKind,
): boolean {
  const before = cellText(was, path.key === null);
  return text !== before.text || kind !== before.kind;
}

/** The text to edit, and whether it is JSON. */
export function cellText(value: unknown, isBucket: boolean): { text: string; kind: CellKind } {
  if (typeof value === 'string') return { text: value, kind: 'text' };
  if (value === undefined || value === null)
    return { text: isBucket ? '{}' : '', kind: isBucket ? 'json' : 'text' };
  return { text: isObject(value) || Array.isArray(value) ? pretty(value) : writeExact(value), kind: 'json' };
}

/**
 * Long JSON on several lines. JSON with numbers beyond the precision of JavaScript stays on one line with all digits.
 */
function pretty(value: object): string {
  const exact = writeExact(value);
  const lines = JSON.stringify(value, null, 2);
  return lines.length > MAX_LINE && !holdsRawNumber(value, exact) ? lines : exact;
}
const MAX_LINE = 80;

/** The typed value, or the reason why it is invalid. An empty JSON text is null. */
export function typedValue(
  text: string,
  kind: CellKind,
  isBucket: boolean,
): { value: unknown } | { problem: string } {
  if (kind === 'text') return { value: text };
  if (text.trim() === '' && !isBucket) return { value: null };
  try {
    const value = parseExact(text);
    if (isBucket && !isObject(value))
      return { problem: 'Expected an object with keys, like {"question": "…"}.' };
    return { value };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: `No JSON: ${reason}` };
  }
}

/** The cells of a copied block, separated by tabs. A quoted cell can contain tabs, line breaks and doubled quotes. */
export function pastedCells(text: string): string[][] {
  const lines: string[][] = [[]];
  let at = 0;
  for (;;) {
    const close = text[at] === '"' ? closingQuote(text, at + 1) : text.length;
    // A quoted cell ends at a tab, a line break or the end of the text; other quotes belong to the text.
    const isQuoted = close < text.length && /^[\t\r\n]?$/.test(text.charAt(close + 1));
    const end = isQuoted ? close : nextBreak(text, at);
    const cell = isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end);
    lines.at(-1)?.push(cell);
    at = isQuoted ? end + 1 : end;
    if (at >= text.length) break;
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    const isLine = text[at] !== '\t';
    at += 1;
    // A line break at the end does not begin another line.
    if (isLine && at >= text.length) break;
    if (isLine) lines.push([]);
  }
  return lines;
}

/** Position of the quote that ends a cell; the length of the text if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    if (text[at + 1] !== '"') return at;
  }
}

function nextBreak(text: string, from: number): number {
  const breaks = /[\t\r\n]/g;
  breaks.lastIndex = from;
  return breaks.exec(text)?.index ?? text.length;
}

/**
 * The pasted value of a cell, and whether it became text because it is not JSON. The type of the old value decides;
 * without an old value, the type of the column does. Null for an empty text at an absent field, which stays absent.
 */
export function pastedValue(
  cell: string,
  old: unknown,
  column: ColumnKind,
): { value: unknown; becameText: boolean } | null {
  const text = withFormula(cell);
  const isMissing = old === undefined || old === null;
  if (isMissing && text === '') return null;
  const isText = isMissing ? column !== 'number' && column !== 'json' : typeof old === 'string';
  if (isText) return { value: text, becameText: false };
  const typed = typedValue(text, 'json', false);
  return 'value' in typed ? { ...typed, becameText: false } : { value: text, becameText: true };
}

interface Pasted {
  values: number;
  items: number;
  /** Number of values that became text because they are not JSON. */
  texts: number;
  /** Number of rows and columns of the block beyond the end of the grid. */
  rowsLeft: number;
  columnsLeft: number;
  /** Number of items that were not changed, because they are unavailable or not stored whole. */
  cut: number;
  /** Number of cells in columns that cannot be edited. */
  skipped: number;
}

/** `6 values of 3 items pasted. 1 row did not fit.` */
export function pastedText({ values, items, texts, rowsLeft, columnsLeft, cut, skipped }: Pasted): string {
  const rest = [
    texts > 0 ? `${formatCount(texts, 'value')} became text: no JSON.` : '',
    rowsLeft > 0 ? `${formatCount(rowsLeft, 'row')} did not fit.` : '',
    columnsLeft > 0 ? `${formatCount(columnsLeft, 'column')} did not fit.` : '',
    cut > 0 ? `${formatCount(cut, 'item')} left as they are: not stored whole.` : '',
    skipped > 0 ? `${formatCount(skipped, 'cell')} skipped: the column cannot be edited.` : '',
  ];
  return [`${formatCount(values, 'value')} of ${formatCount(items, 'item')} pasted.`, ...rest]
    .filter((part) => part !== '')
    .join(' ');
}
