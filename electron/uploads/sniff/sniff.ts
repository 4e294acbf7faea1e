/** Guesses the format of a text file from its content, and the whole dialect of delimited text. */

import { isObject } from '../../core/items/flattened.ts';
import type { Dialect } from '../../shared/dialect.ts';
import { parseExact } from '../../shared/exact-json.ts';
import { parseLenient } from '../../shared/lenient-json.ts';
import { byteStage, decoderFor } from '../readers/encoding.ts';
import { isNamedList } from '../unpack/json-values.ts';
import { unpackedName } from '../unpack/packed-format.ts';
import { type DialectGuess, guessCsv } from './sniff-csv.ts';

const GUESS_BYTES = 128 * 1024;

/**
 * `name`: the name of the file. `head`: its beginning after the byte order mark, or from the header line that
 * `override` names. `pieces`: parts from further down, cut anywhere.
 */
export function guessDialect(
  name: string,
  head: Buffer,
  pieces: readonly Buffer[],
  encoding: string,
  override: Partial<Dialect>,
): DialectGuess {
  const stage = byteStage(encoding);
  const bytes = stage.push(head.subarray(0, GUESS_BYTES));
  const text = decoderFor(encoding)(bytes, 0, Math.min(bytes.length, 64 * 1024));
  // A chosen delimiter means that a person wants cells, whatever the file name suggests.
  const givenName = override.delimiter === undefined ? unpackedName(name) : '';
  const format = override.format ?? guessFormat(givenName, text);
  if (format !== 'csv') {
    const what = format === 'jsonl' ? 'one JSON object per line' : 'one JSON array of objects';
    return {
      dialect: { format, delimiter: ',', quote: '"', hasHeader: false },
      notes: override.format === undefined ? [`Format ${format}: the file begins as ${what}.`] : [],
    };
  }
  const further = pieces.map((piece) => byteStage(encoding).push(piece));
  const isWhole = head.length <= GUESS_BYTES;
  return guessCsv({ bytes, pieces: further, encoding, isWhole }, override);
}

const SEEN_LISTS = 3;

/** True if the rows are JSON arrays, one per line or all in one array. Read as delimited text, they would be wrong. */
function isListOfCells(start: string): boolean {
  if (/^\[\s*\[\s*(?:"|-?\d|null|true|false|\])/.test(start)) return true;
  const lines = start.split(/[\r\n]+/, SEEN_LISTS + 1).slice(0, SEEN_LISTS);
  const widths = lines.filter((line) => line !== '').map(cellsIn);
  return widths.length > 1 && (widths[0] ?? 0) > 1 && widths.every((width) => width === widths[0]);
}

/** Number of elements of a JSON array; 0 for other text, such as names in brackets. */
function cellsIn(line: string): number {
  if (!/^\[.*\]$/.test(line)) return 0;
  try {
    const value = parseExact(line);
    return Array.isArray(value) ? value.length : 0;
  } catch {
    return 0;
  }
}

const SEEN_LINES = 20;
const MIN_OBJECTS = 2;
const MIN_SHARE = 0.8;

/** True for JSON Lines that follow other lines, such as a message of the program that wrote them. */
function isBelowOtherLine(name: string, start: string): boolean {
  if (/\.(?:csv|tsv|tab)$/i.test(name)) return false;
  const lines = start.split(/[\r\n]+/, SEEN_LINES).filter((line) => line.trim() !== '');
  const objects = lines.filter((line) => isWholeObject(line.trim())).length;
  return objects >= MIN_OBJECTS && objects >= (lines.length - 1) * MIN_SHARE;
}

function isWholeObject(line: string): boolean {
  if (!/^\{.*\}$/.test(line)) return false;
  try {
    return isObject(parseLenient(line).value);
  } catch {
    // The text only looks like JSON, because it is in braces.
    return false;
  }
}

function guessFormat(name: string, text: string): Dialect['format'] {
  const start = text.trimStart();
  if (/^\[\s*(?:[{\]]|$)/.test(start)) return 'json';
  if (isListOfCells(start)) return /^\[\s*\[/.test(start) ? 'json' : 'jsonl';
  if (isNamedList(name, start))
    return cellsIn((start.split(/[\r\n]/, 1)[0] ?? '').trim()) > 0 ? 'jsonl' : 'json';
  if (!start.startsWith('{')) return isBelowOtherLine(name, start) ? 'jsonl' : 'csv';
  const lines = start.split('\n', 20).map((line) => line.trim());
  const objects = lines.filter(
    (line) => line.startsWith('{"') || line === '{}' || line === '{' || line.startsWith('{ "'),
  );
  return objects.length > 0 ? 'jsonl' : 'csv';
}
