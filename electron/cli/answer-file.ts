/** An answer written to a `--to-file` whose extension names a form of records: .csv or .jsonl. Pure. */
import { extname } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { recordsOf } from './answer-shape.ts';
import { csvText } from './row-files.ts';
import { jsonText } from './terminal-text.ts';

export interface AnswerFile {
  path: string;
  write: (text: string) => Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;

interface RecordFile {
  /**
   * `fields`: the columns in order; null: all fields of the records. `possible`: the columns of a file without records,
   * because readers of tables refuse a file without a header.
   */
  add(value: unknown, fields: readonly string[] | null, possible?: (() => readonly string[]) | null): void;
  isEmpty(): boolean;
  text(): string;
}

/** Extensions of formats that only exports write. */
const BY_EXPORT = ['.parquet', '.arrow', '.xlsx', '.feather'];

/** Throws INVALID_ARGUMENT for the extension of a format in which answers are not written, such as .parquet. */
export function checkAnswerFile(path: string): void {
  const ending = extname(path).toLowerCase();
  if (!BY_EXPORT.includes(ending)) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--to-file writes no ${ending} file. It writes .csv, .jsonl, and with --json a JSON document; export and sql --output write .parquet and .arrow.`,
  );
}

/** The writer for a file of records; null for a file that gets the answer as it would be printed. */
export function recordFile(path: string): RecordFile | null {
  const ending = extname(path).toLowerCase();
  if (ending !== '.csv' && ending !== '.jsonl') return null;
  const records: Fields[] = [];
  let chosen: readonly string[] | null = null;
  let usual: readonly string[] = [];
  let isAnswered = false;
  return {
    add: (value, fields, possible = null) => {
      isAnswered = true;
      chosen = fields;
      if (possible !== null) usual = possible();
      // A value that is neither a list nor a record becomes a record with a single field.
      for (const record of recordsOf(value) ?? (isRecord(value) ? [value] : [{ value }]))
        records.push(record);
    },
    isEmpty: () => !isAnswered,
    text: () =>
      ending === '.jsonl'
        ? records.map((record) => `${jsonText(record)}\n`).join('')
        : csvOf(records, chosen ?? (records.length === 0 ? usual : namesOf(records))),
  };
}

const namesOf = (records: readonly Fields[]): string[] => [
  ...new Set(records.flatMap((record) => Object.keys(record))),
];

function csvOf(records: readonly Fields[], names: readonly string[]): string {
  const columns = names.map((name) => ({ name, type: 'VARCHAR' }));
  return csvText(false)({ columns, rows: records.map((record) => names.map((name) => record[name])) });
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
