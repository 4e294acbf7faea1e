/** Detects files whose rows are not lines of text from their content. Pure. */
import type { Dialect } from '../../shared/dialect.ts';
import { holdsRows } from './document-rows.ts';
import { JsonDocument, RECORD_SEPARATOR } from './json-document.ts';

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
} as const;
/** A format that can be converted to text that is read row by row. */
export type PackedFormat = keyof typeof PACKED_FORMATS;

/** How the text of a table with its own columns is read. */
export const LAYOUTS = {
  'typed-rows': { format: 'jsonl', encoding: 'utf-8' },
  sheet: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"' },
} as const satisfies Record<string, Partial<Dialect>>;

/** Number of leading bytes that `packedFormat` checks. */
export const PACKED_HEAD_BYTES = 4_096;

const MARKS: readonly [bytes: readonly number[], format: PackedFormat][] = [
  [[0x1f, 0x8b], 'gzip'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
  [[0x50, 0x41, 0x52, 0x31], 'parquet'],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31], 'arrow-file'],
  // The first message of a stream: a continuation mark, then the length of its schema.
  [[0xff, 0xff, 0xff, 0xff], 'arrow-stream'],
  [[0x50, 0x4b, 0x03, 0x04], 'zip'],
  // An archive without members.
  [[0x50, 0x4b, 0x05, 0x06], 'zip'],
];

/** The first member of a workbook is one of these; any other archive is a zip archive. */
const WORKBOOK_MEMBER = /^(\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/;
/** Spreadsheets of other kinds are refused by the reader of workbooks, which names their kind. */
const SPREADSHEET = /\.(xlsx|xlsm|xlsb|ods|numbers)$/i;

/**
 * Null for text and for formats that cannot be read row by row. `name` matters only for Brotli, which has no magic
 * number.
 */
export function packedFormat(name: string, head: Buffer): PackedFormat | null {
  const found = MARKS.find(([bytes]) => bytes.every((byte, index) => head[index] === byte));
  if (found === undefined) return /\.br$/i.test(name) ? 'brotli' : isSpreadJson(head) ? 'json-objects' : null;
  if (found[1] !== 'zip') return found[1];
  return isWorkbook(name, head) ? 'excel' : 'zip';
}

/** Objects over several lines, OpenTelemetry exports, whose rows are nested, and tables by column of pandas. */
const SPREAD_JSON = /^\s*(?:\{[ \t]*\r?\n|\[?\s*\{\s*"resource_?[sS]pans"\s*:|\{"[^"]{0,200}":\{"0":)/;

function isSpreadJson(head: Buffer): boolean {
  if (SPREAD_JSON.test(head.toString('utf8').replace(/^\ufeff/, ''))) return true;
  const scan = new JsonDocument('');
  scan.push(head.subarray(head.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0));
  return isDocument(scan, head.length < PACKED_HEAD_BYTES) || isUnseparated(head, scan.outline.between);
}

/** True for one object on a line that holds its rows in a list; rows of JSON Lines end within the beginning. */
function isDocument({ outline, isOpen }: JsonDocument, isWhole: boolean): boolean {
  return (
    outline.isOne &&
    (isOpen || isWhole) &&
    (holdsRows(outline).length > 0 || (isWhole && outline.isOfColumns))
  );
}

/** True for objects that follow one another without a line end, after commas, or in a JSON text sequence. */
function isUnseparated(head: Buffer, between: string | null): boolean {
  return (between !== null && !/^\n+$/.test(between)) || (head[0] === RECORD_SEPARATOR && head[1] === OPEN);
}

const OPEN = 0x7b;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function isWorkbook(name: string, head: Buffer): boolean {
  if (SPREADSHEET.test(name)) return true;
  const nameBytes = head.length >= 30 ? head.readUInt16LE(26) : 0;
  return WORKBOOK_MEMBER.test(head.subarray(30, 30 + nameBytes).toString('utf8'));
}

/** The name of a compressed file without the suffix of its compression, e.g. `events.csv` of `events.csv.gz`. */
export function unpackedName(name: string): string {
  return name.replace(/\.(gz|gzip|zst|zstd|br)$/i, '');
}
