/**
 * Converts multi-line JSON objects and OpenTelemetry exports to one object per line, with a line for each span. If a
 * document holds its rows in a list, each row becomes a line.
 */

import { isUtf8 } from 'node:buffer';
import { isObject } from '../../core/items/flattened.ts';
import { spansOfExport, spansOfResource } from '../../core/spans/otlp.ts';
import { counted } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';
import { parseAsWritten } from '../../shared/exact-json.ts';
import { parseLenient, writeLenient } from '../../shared/lenient-json.ts';
import type { LedgerOmission } from '../../shared/value-ledger.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { isMark, MARK } from '../readers/byte-order-mark.ts';
import { ROW_IS_LIST } from '../readers/json-reader.ts';
import { isItemOfDynamo } from '../readers/typed-json.ts';
import type { CopyWriter } from './copy-writer.ts';
import { areRowsByKey, chooseRows, isOtherTable, LINES_NAME } from './document-rows.ts';
import { JsonDocument, type Outline, WHOLE_DOCUMENT } from './json-document.ts';
import { EXPORT_KEYS, JsonPieces } from './json-pieces.ts';
import { TABLE_DOCUMENT, tableOf } from './json-tables.ts';
import { areLists, beginsWithValues, hasOnlyNulls, rowsOfValues } from './json-values.ts';
import { PACKED_HEAD_BYTES } from './packed-format.ts';

interface UnpackedJson {
  /** Notes about the file that the person should read. */
  notes: string[];
  /** The list that was read, and the possible choices; empty for files without such lists. */
  sheet: string | null;
  sheets: string[];
  leftOut: LedgerOmission[];
}

/**
 * `wanted`: the list to read; null to find it. Throws FILE_MALFORMED for an object that is too long, NEEDS_DECISION if
 * several lists can hold the rows, INVALID_ARGUMENT for a list that does not exist, DISK_FULL.
 */
export async function unpackJson(
  file: { path: string; name: string },
  wanted: string | null,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<UnpackedJson> {
  const { path, name } = file;
  const values = await readValues(file, heartbeat);
  if (values !== null) {
    for (const line of values.lines) await writer.text(`${line}\n`);
    return { notes: [values.note], sheet: null, sheets: [], leftOut: [] };
  }
  const outline = await outlineOf(path, name, heartbeat);
  if (!outline.isOne || isExport(outline))
    return { notes: await unpackValues(path, name, writer, heartbeat), sheet: null, sheets: [], leftOut: [] };
  const table = await readTable(file, outline, wanted, heartbeat);
  if (table !== null) {
    for (const row of table.rows) await writer.text(`${writeLenient(row)}\n`);
    const { notes, leftOut } = table;
    const others = outline.lists.map(({ path: list }) => list);
    return { notes, leftOut, sheet: TABLE_DOCUMENT, sheets: [TABLE_DOCUMENT, ...others, WHOLE_DOCUMENT] };
  }
  const { list, choices, notes, leftOut } = chooseRows(name, outline, wanted);
  const sheet = list ?? (choices.length === 0 ? null : WHOLE_DOCUMENT);
  if (list === null) await unpackValues(path, name, writer, heartbeat);
  else {
    const elements = new JsonDocument(name, list);
    const viewer = isOfViewer(outline, list) ? new ViewerRows() : null;
    const plain = isOfDynamo(outline, list) ? asItem : (text: string) => text;
    const written = (text: string) => viewer?.row(text) ?? plain(text);
    for await (const bytes of chunks(path, heartbeat))
      for (const text of elements.push(bytes)) await writer.text(`${written(text)}\n`);
    for (const text of elements.end()) await writer.text(`${written(text)}\n`);
    notes.push(...(viewer?.notes() ?? []));
  }
  return { notes, sheet, sheets: choices, leftOut };
}

/** True for pages of Hugging Face's dataset viewer. */
const isOfViewer = ({ root }: Outline, list: string): boolean =>
  list === 'rows' && root.fields.some(({ key }) => key === 'features');

/** Reads the rows of a dataset viewer page. Each row is in an envelope that lists its truncated cells. */
class ViewerRows {
  #rows = 0;
  #cut = 0;
  #first: string | null = null;

  /** The row of an element; null if the element has another form. */
  row(text: string): string | null {
    const value = parsed(Buffer.from(text));
    if (!isObject(value) || !isObject(value['row']) || !('row_idx' in value)) return null;
    this.#rows += 1;
    const names = Array.isArray(value['truncated_cells']) ? value['truncated_cells'] : [];
    this.#cut += names.length;
    if (names.length > 0) this.#first ??= `“${String(names[0])}” in row ${this.#rows}`;
    return writeLenient(value['row']);
  }

  notes(): string[] {
    if (this.#rows === 0) return [];
    const cut =
      this.#first === null
        ? ''
        : ` The viewer cut off ${counted(this.#cut, 'cell')}, first ${this.#first}: download the dataset itself for the whole texts.`;
    return [`Rows of the dataset viewer of Hugging Face: read as the values under “row”.${cut}`];
  }
}

/** True for the output of `aws dynamodb scan` and `query`. */
const isOfDynamo = ({ root }: Outline, list: string): boolean =>
  list === 'Items' && root.fields.some(({ key }) => key === 'ScannedCount');

/** The item in the form of a DynamoDB table export, whose typed values are converted when the rows are read. */
const asItem = (text: string): string =>
  isItemOfDynamo(parsed(Buffer.from(text))) ? `{"Item":${text}}` : text;

/** Maximum size of a table, because it must be held in memory completely. */
const MAX_TABLE_BYTES = 50_000_000;

/**
 * Null if the object is not a table, or if a list was chosen instead. Throws FILE_MALFORMED for a table that is too
 * large.
 */
async function readTable(
  { path, name }: { path: string; name: string },
  { root }: Outline,
  wanted: string | null,
  heartbeat: Heartbeat,
): Promise<ReturnType<typeof tableOf>> {
  const isAsked = wanted === TABLE_DOCUMENT || (wanted === null && !LINES_NAME.test(name));
  const isChosen = wanted === TABLE_DOCUMENT;
  if (!isAsked || !(isOtherTable(root) || (isChosen && areRowsByKey(root)))) return null;
  const whole = await readWhole(path, heartbeat);
  if (whole === null)
    throw new AppError(
      'FILE_MALFORMED',
      `${name} is a table by columns of more than ${MAX_TABLE_BYTES / 1_000_000} MB. Write it again as a list of rows: pandas does it with orient="records", lines=True.`,
      { file: name },
    );
  const inner = new Map(
    root.fields.flatMap(({ key, inner: own }) => (own === null ? [] : [[key, own.total]])),
  );
  return tableOf(parsed(whole), { keys: root.total, inner, isChosen });
}

/** All bytes of a file; null if they are more than `MAX_TABLE_BYTES`. */
async function readWhole(path: string, heartbeat: Heartbeat): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of chunks(path, heartbeat)) {
    size += bytes.length;
    if (size > MAX_TABLE_BYTES) return null;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** The rows of a file of values without names; null for any other file. Throws FILE_MALFORMED if it is too large. */
async function readValues(
  { path, name }: { path: string; name: string },
  heartbeat: Heartbeat,
): Promise<ReturnType<typeof rowsOfValues>> {
  let head = '';
  for await (const bytes of chunks(path, heartbeat)) {
    head = bytes.subarray(0, PACKED_HEAD_BYTES).toString('utf8');
    break;
  }
  if (!beginsWithValues(name, head)) return null;
  const whole = await readWhole(path, heartbeat);
  if (whole === null)
    throw new AppError(
      'FILE_MALFORMED',
      `${name} has JSON values without names, and more than ${MAX_TABLE_BYTES / 1_000_000} MB of them. Write each as an object, such as {"value": …}, on its own line.`,
      { file: name },
    );
  if (!isUtf8(whole)) return null;
  const text = whole.toString('utf8');
  if (areLists(text))
    throw new AppError('FILE_MALFORMED', `No row of ${name} could be read. Line 1: ${ROW_IS_LIST}`, {
      file: name,
      line: 1,
    });
  if (hasOnlyNulls(text))
    throw new AppError('FILE_EMPTY', `${name} has no rows: it holds nothing but null.`, { file: name });
  const rows = rowsOfValues(text);
  if (rows !== null) return rows;
  throw new AppError(
    'FILE_MALFORMED',
    `${name} begins with a list of JSON values, but is not valid JSON: it may be cut off, or have a comma too many. Save it again, or write each value as an object, such as {"value": …}, on its own line.`,
    { file: name },
  );
}

/**
 * Numbers keep their digits as written. NaN and Infinity stay numbers and are counted when the rows are read. Undefined
 * for text that is not JSON; that error is also reported when the rows are read.
 */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return parseLenient(bytes.toString('utf8'), parseAsWritten).value;
  } catch {
    return undefined;
  }
}

/** Stops as soon as the file cannot be a single object. */
async function outlineOf(path: string, name: string, heartbeat: Heartbeat): Promise<Outline> {
  const scan = new JsonDocument(name);
  for await (const bytes of chunks(path, heartbeat)) {
    scan.push(bytes);
    if (scan.isOther || isExport(scan.outline)) break;
  }
  return scan.outline;
}

const isExport = ({ root }: Outline): boolean => root.fields.some(({ key }) => EXPORT_KEYS.has(key));

/** The bytes of a file without its byte order mark. */
async function* chunks(path: string, heartbeat: Heartbeat): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const bytes of heartbeat.stream(path)) {
    const piece: Buffer = bytes;
    yield isFirst && isMark(piece, 0) ? piece.subarray(MARK.length) : piece;
    isFirst = false;
  }
}

/** Returns the notes that the person should read. */
async function unpackValues(
  path: string,
  name: string,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<string[]> {
  const pieces = new JsonPieces(name);
  let spans = 0;
  let items = 0;
  const write = async (found: ReturnType<JsonPieces['push']>) => {
    for (const { kind, text } of found) {
      const inside = kind === 'rest' ? null : spansIn(kind, text);
      const page = kind === 'value' ? itemsIn(text) : null;
      if (inside === null && page === null) await writer.text(`${text}\n`);
      for (const item of page ?? []) {
        items += 1;
        await writer.text(`${writeLenient({ Item: item })}\n`);
      }
      for (const span of inside ?? []) {
        spans += 1;
        await writer.text(`${writeLenient(span)}\n`);
      }
    }
  };
  for await (const bytes of chunks(path, heartbeat)) await write(pieces.push(bytes));
  await write(pieces.end());
  const notes = [
    ...(spans > 0 ? [`OpenTelemetry: ${counted(spans, 'span')} of an export, a row each.`] : []),
    ...(items > 0 ? [`DynamoDB: ${counted(items, 'item')} of pages, a row each.`] : []),
  ];
  return notes.length > 0 ? notes : ['JSON: objects that are not one to a line, a row each.'];
}

/** The items of a page printed by `aws dynamodb scan`; null for any other text, which stays unchanged. */
function itemsIn(text: string): unknown[] | null {
  // A cheap test first: only parsing proves that a value is a page, and most values are not.
  if (!text.includes('"ScannedCount"')) return null;
  const value = parsed(Buffer.from(text));
  const list = isObject(value) && 'ScannedCount' in value ? value['Items'] : null;
  return Array.isArray(list) && list.every(isItemOfDynamo) ? list : null;
}

/** The spans of an export or of one of its groups; null for any other text, which stays unchanged. */
function spansIn(kind: 'value' | 'group', text: string): unknown[] | null {
  // A cheap test first: only parsing proves that a value is an export, and most values are not.
  if (kind === 'value' && !/"resource_?[sS]pans"/.test(text)) return null;
  try {
    const { value } = parseLenient(text);
    if (kind === 'group') return spansOfResource(value);
    return isObject(value) ? spansOfExport(value) : null;
  } catch {
    // The error is reported when the row is read.
    return null;
  }
}
