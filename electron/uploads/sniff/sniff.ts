/** Guesses how a text file is to be read, from its content: format, delimiter, quote and header. */
import type { Dialect } from '../../shared/dialect.ts';
import { CsvReader } from '../readers/csv-reader.ts';
import { byteStage, decoderFor } from '../readers/encoding.ts';
import { MAX_ROW_BYTES } from '../readers/row-source.ts';
import { readTime } from '../validate/timestamps.ts';

interface DialectGuess {
  dialect: Omit<Dialect, 'encoding' | 'nullWords'>;
  notes: string[];
}

const GUESS_BYTES = 128 * 1024;
const GUESS_ROWS = 500;
const DELIMITERS = [',', '\t', ';', '|'];
const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  '\t': 'tab',
  ';': 'semicolon',
  '|': 'bar',
};

/** `head` begins after the byte order mark. */
export function guessDialect(head: Buffer, encoding: string, override: Partial<Dialect>): DialectGuess {
  const stage = byteStage(encoding);
  const bytes = stage.push(head.subarray(0, GUESS_BYTES));
  const text = decoderFor(encoding)(bytes, 0, Math.min(bytes.length, 64 * 1024));
  const format = override.format ?? guessFormat(text);
  if (format !== 'csv') {
    const what = format === 'jsonl' ? 'one JSON object per line' : 'one JSON array of objects';
    return {
      dialect: { format, delimiter: ',', quote: '"', hasHeader: false },
      notes: override.format === undefined ? [`Format ${format}: the file begins as ${what}.`] : [],
    };
  }
  return guessCsv(bytes, encoding, text, override);
}

function guessFormat(text: string): Dialect['format'] {
  const start = text.trimStart();
  if (/^\[\s*(?:[{\]]|$)/.test(start)) return 'json';
  if (!start.startsWith('{')) return 'csv';
  const lines = start.split('\n', 20).map((line) => line.trim());
  const objects = lines.filter(
    (line) => line.startsWith('{"') || line === '{}' || line === '{' || line.startsWith('{ "'),
  );
  return objects.length > 0 ? 'jsonl' : 'csv';
}

interface Trial {
  delimiter: string;
  quote: '"' | "'" | null;
  rows: string[][];
  /** Share of rows that have the most frequent number of cells. */
  fit: number;
  columns: number;
}

function tryDelimiter(bytes: Buffer, encoding: string, delimiter: string, quote: Trial['quote']): Trial {
  const reader = new CsvReader({
    start: { byteOffset: 0, line: 1, row: 1 },
    decode: decoderFor(encoding),
    measure: (_bytes, from, to) => to - from,
    maxRowBytes: MAX_ROW_BYTES,
    delimiter,
    quote,
    columns: null,
  });
  let read = reader.push(bytes);
  // A file of one line, or a quote that never closes.
  if (read.length < 2) read = [...read, ...reader.end()];
  const sampled = read.slice(0, GUESS_ROWS);
  const counts = new Map<number, number>();
  for (const { cells } of sampled) {
    if (cells !== null) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  }
  const [columns, times] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  const rows = sampled.flatMap(({ cells }) => (cells === null ? [] : [cells]));
  return { delimiter, quote, rows, fit: sampled.length === 0 ? 0 : times / sampled.length, columns };
}

/** How many rows fit counts most; among equals more columns win. */
function score(trial: Trial): number {
  return trial.columns < 2 ? 0 : trial.fit + Math.min(trial.columns, 100) / 1_000;
}

function guessCsv(bytes: Buffer, encoding: string, text: string, override: Partial<Dialect>): DialectGuess {
  const quotes = quoteCandidates(text, override.quote);
  const delimiters = override.delimiter === undefined ? DELIMITERS : [override.delimiter];
  const trials = delimiters.flatMap((delimiter) =>
    quotes
      .filter((quote) => quote !== delimiter)
      .map((quote) => tryDelimiter(bytes, encoding, delimiter, quote)),
  );
  const [best] = [...trials].sort((a, b) => score(b) - score(a));
  const chosen = best ?? tryDelimiter(bytes, encoding, ',', '"');
  const delimiter = score(chosen) === 0 ? (delimiters[0] ?? ',') : chosen.delimiter;
  const hasHeader = override.hasHeader ?? guessHeader(chosen.rows, text);
  const name = DELIMITER_NAMES[delimiter] ?? `“${delimiter}”`;
  const notes: string[] = [];
  // What was given is no guess.
  if (override.delimiter === undefined) {
    notes.push(
      score(chosen) === 0
        ? `Delimiter ${name}: nothing separates the lines into columns, so there is one column.`
        : `Delimiter ${name}: ${Math.round(chosen.fit * 100)} % of the first rows have ${chosen.columns} columns.`,
    );
  }
  if (override.hasHeader === undefined) {
    notes.push(
      hasHeader ? 'Header: the first line looks like names.' : 'No header: the first line looks like data.',
    );
  }
  if (chosen.quote === null && text.includes('"'))
    notes.push('No quotes: read as quotes, they do not close.');
  if (chosen.quote === "'") notes.push("Quote ': cells begin and end with it.");
  return {
    dialect: {
      format: 'csv',
      delimiter,
      quote: chosen.quote ?? (text.includes('"') ? 'none' : '"'),
      hasHeader,
    },
    notes,
  };
}

function quoteCandidates(text: string, override: Dialect['quote'] | undefined): Trial['quote'][] {
  if (override !== undefined) return [override === 'none' ? null : override];
  const single = /(?:^|[,;|\t])'[^'\n]*'(?=[,;|\t\r\n])/m;
  // One quote that does not close is a bad row to be shown, never a stray character to be sent. Only where
  // several cells begin with a quote and none ends with one, it is no quote at all.
  const opening = text.match(/(?:^|[,;|\t])"/gm)?.length ?? 0;
  const isQuoting = opening > 0 && (opening < 3 || /"(?=[,;|\t\r\n]|$)/.test(text));
  if (text.includes('"')) return isQuoting ? ['"'] : ['"', null];
  return single.test(text) ? ["'"] : ['"'];
}

const isDatum = (cell: string): boolean => {
  const text = cell.trim();
  return (
    /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ||
    (/^\d/.test(text) && typeof readTime(text) !== 'string')
  );
};

/** Names are neither numbers nor times, and do not come again in their own column. */
function guessHeader(rows: readonly string[][], text: string): boolean {
  // An empty first line is a header without names: said as an error, not read as data.
  if (/^[ \t]*\r?\n/.test(text)) return true;
  const [first, ...rest] = rows;
  if (first === undefined || first.some(isDatum)) return false;
  const body = rest.slice(0, 200);
  const isTyped = first.some((_cell, index) => {
    const values = body.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== '');
    return values.length > 0 && values.every(isDatum);
  });
  if (isTyped || body.length === 0) return true;
  const comesAgain = first.some((cell, index) => cell !== '' && body.some((row) => row[index] === cell));
  return !comesAgain && new Set(first).size === first.length;
}
