/** Detects from its content that a file must be converted before its rows can be read as lines of text. Pure. */
import { isUtf8 } from 'node:buffer';
import type { Dialect } from '../../shared/dialect.ts';
import { isMark, MARK } from '../readers/byte-order-mark.ts';
import {
  areRowsByKey,
  isDoubtfulRow,
  isOtherTable,
  LINES_NAME,
  listWithoutRows,
  mayHoldRows,
} from './document-rows.ts';
import { type DocumentFields, JsonDocument, RECORD_SEPARATOR } from './json-document.ts';
import { beginsWithValues } from './json-values.ts';
import { hasMarkdownTable } from './markdown-table.ts';

export const PACKED_FORMATS = {
  gzip: 'gzip',
  zstd: 'Zstandard',
  brotli: 'Brotli',
  zip: 'zip archive',
  excel: 'Excel workbook',
  parquet: 'Parquet',
  'arrow-file': 'Arrow',
  'arrow-stream': 'Arrow stream',
  'json-objects': 'JSON objects',
  markdown: 'Markdown table',
} as const;
/** A format that can be converted to text that is read row by row. */
export type PackedFormat = keyof typeof PACKED_FORMATS;

/** Settings for reading the converted text of a table that defines its own columns. */
export const LAYOUTS = {
  'typed-rows': { format: 'jsonl', encoding: 'utf-8' },
  sheet: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"' },
  table: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, headerLine: 1 },
} as const satisfies Record<string, Partial<Dialect>>;

/** Number of leading bytes that `packedFormat` checks. */
export const PACKED_HEAD_BYTES = 4_096;

const MARKS: readonly [bytes: readonly number[], format: PackedFormat][] = [
  [[0x1f, 0x8b], 'gzip'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
  // A frame without data, which pzstd writes first.
  ...Array.from({ length: 16 }, (_, low): [number[], PackedFormat] => [
    [0x50 + low, 0x2a, 0x4d, 0x18],
    'zstd',
  ]),
  [[0x50, 0x41, 0x52, 0x31], 'parquet'],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31], 'arrow-file'],
  // The first message of an Arrow stream: a continuation mark, then the length of its schema.
  [[0xff, 0xff, 0xff, 0xff], 'arrow-stream'],
  [[0x50, 0x4b, 0x03, 0x04], 'zip'],
  // An archive without members.
  [[0x50, 0x4b, 0x05, 0x06], 'zip'],
];

/** Names of the first member of a workbook. An archive that begins with another member is a plain zip archive. */
const WORKBOOK_MEMBER = /^(\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/;
/** Other kinds of spreadsheets also match. Reading the workbook refuses them and names their kind. */
const SPREADSHEET = /\.(xlsx|xlsm|xlsb|ods|numbers)$/i;

/**
 * Null for text and for formats that cannot be converted to rows. `name` is only used for Brotli, which has no magic
 * number, and for JSON Lines.
 */
export function packedFormat(name: string, head: Buffer): PackedFormat | null {
  const found = MARKS.find(
    ([bytes]) => bytes.every((byte, index) => head[index] === byte) && !isName(name, bytes, head),
  );
  if (found === undefined) {
    if (/\.br$/i.test(name)) return 'brotli';
    if (jsonForm(name, head) !== null) return 'json-objects';
    return isText(head) && hasMarkdownTable(name, head.toString('utf8')) ? 'markdown' : null;
  }
  if (found[1] !== 'zip') return found[1];
  return isWorkbook(name, head) ? 'excel' : 'zip';
}

const TYPED_NAME = /\.(parquet|arrow|arrows|feather|ipc)$/i;
const NAME_BYTES = 64;

/** True for text whose first column name looks like a magic number made of letters, such as PAR1. */
function isName(name: string, mark: readonly number[], head: Buffer): boolean {
  if (TYPED_NAME.test(name) || mark.some((byte) => byte < 0x20 || byte > 0x7e)) return false;
  const start = head.subarray(0, NAME_BYTES);
  return isText(start) && start.every((byte) => byte >= 0x20 || TEXT_CONTROLS.has(byte));
}

/** Tab, line feed and carriage return. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0d]);

/**
 * True for a document whose beginning has no line end. If it ends with its first line and another object follows, the
 * file is JSON Lines.
 */
export function mayBeLines(name: string, head: Buffer): boolean {
  return packedFormat(name, head) === 'json-objects' && jsonForm(name, head) === 'open-document';
}

/** Objects over several lines, and OpenTelemetry exports, whose rows are nested. */
const SPREAD_JSON = /^\s*(?:\{[ \t]*\r?\n|\[?\s*\{\s*"resource_?[sS]pans"\s*:)/;
/** The beginning of a table that is not a list of rows, up to its first list of values, column or row. */
const OPEN_TABLE = /^\s*\{\s*(?:"0":\s*\{|"[^"]{0,200}":\s*(?:\{\s*"0":|\[\s*[^\s{\]]))/;

type JsonForm = 'objects' | 'document' | 'open-document';

/** Null for JSON with one row per line, and for other text. */
function jsonForm(name: string, head: Buffer): JsonForm | null {
  const bytes = head.subarray(isMark(head, 0) ? MARK.length : 0);
  const text = bytes.toString('utf8');
  if (SPREAD_JSON.test(text) || beginsWithValues(name, text)) return 'objects';
  const scan = new JsonDocument('');
  scan.push(bytes);
  const { outline, isOpen } = scan;
  if (isUnseparated(head, outline.between)) return 'objects';
  if (!outline.isOne || LINES_NAME.test(name) || !isText(bytes)) return null;
  const isWhole = head.length < PACKED_HEAD_BYTES;
  // If the first object ends within the part that was read, it is the first row of JSON Lines.
  if (!isOpen && !isWhole) return null;
  const isTable = isWhole ? isOtherTable(outline.root) : OPEN_TABLE.test(text);
  const empty = listWithoutRows(outline);
  // A list that is cut off may still get rows.
  const isWithoutRows = empty !== null && (isWhole || empty.lists > 0);
  const isNamed =
    isTable ||
    mayHoldRows(outline) ||
    isWithoutRows ||
    (isWhole ? isDoubtfulRow(outline) : areRowsByKey(withoutCutField(outline.root, text)));
  if (!isNamed) return null;
  return isWhole ? 'document' : 'open-document';
}

/** The fields of an object without the last one if the text is cut off before the first key of its value. */
function withoutCutField({ fields, total }: DocumentFields, text: string): DocumentFields {
  const last = fields.at(-1);
  const hasNoValue = last?.inner === null && last.list === null && /[":]\s*$/.test(text);
  return { fields: hasNoValue || last?.inner?.fields.length === 0 ? fields.slice(0, -1) : fields, total };
}

/** True for UTF-8, which may be cut off within its last character. Text in other encodings is read by lines. */
function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)));
}

/** True for objects that follow one another without a line end, separated by commas, or in a JSON text sequence. */
function isUnseparated(head: Buffer, between: string | null): boolean {
  return (between !== null && !/^\n+$/.test(between)) || (head[0] === RECORD_SEPARATOR && head[1] === OPEN);
}

const OPEN = 0x7b;

function isWorkbook(name: string, head: Buffer): boolean {
  if (SPREADSHEET.test(name)) return true;
  const nameBytes = head.length >= 30 ? head.readUInt16LE(26) : 0;
  return WORKBOOK_MEMBER.test(head.subarray(30, 30 + nameBytes).toString('utf8'));
}

/** The name of a compressed file without the suffix of the compression: `events.csv` for `events.csv.gz`. */
export function unpackedName(name: string): string {
  return name.replace(/\.(gz|gzip|zst|zstd|br)$/i, '');
}
