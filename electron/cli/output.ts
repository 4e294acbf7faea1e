import { AppError } from '../shared/errors.ts';
import { GONE_FIELD } from '../shared/gone-field.ts';
import { printable, sentence } from '../shared/untrusted-text.ts';
import { type AnswerFile, recordFile } from './answer-file.ts';
import {
  type MissingFields,
  noRecordHas,
  recordsOf,
  type Shape,
  shaped,
  shapedLines,
} from './answer-shape.ts';
import { sizeText } from './human-text.ts';
import { didYouMean } from './suggestions.ts';
import { cutTo, jsonText, oneLine, widthOf } from './terminal-text.ts';

/** Output of a command. Standard output has only the answer; all other messages go to standard error. */
export interface Output {
  /**
   * Prints the answer: one JSON document with --json, otherwise the text from `human`, in which each part of a list
   * stays on one line. Throws INVALID_ARGUMENT for a chosen field that no record has.
   */
  answer(value: unknown, human: () => string | readonly string[], more?: AnswerParts): void;
  /** Prints one JSON line of a stream of answers. */
  line(value: unknown): void;
  note(text: string): void;
  /** Prints progress in a line that replaces the previous one on a terminal; elsewhere, at most one line in 5 s. */
  progress(text: string): void;
  /** Writes the file of `--to-file`, if it was given and there is an answer. */
  finish(): Promise<void>;
}

interface AnswerParts {
  /**
   * Text about how much of a list is shown, and from when; printed below the text, or as a note if there is no text.
   */
  footer?: string;
  /** Fields that records may have although none of this answer has them. */
  fields?: () => readonly string[];
}

/** How the answer is reduced, and where it is written. */
export interface AnswerOptions extends Shape {
  /** The file that gets the answer instead of standard output; null if there is none. */
  file: AnswerFile | null;
}

const AS_IT_IS: AnswerOptions = { fields: null, budget: null, file: null };

/** Output streams, which know whether they are terminals. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly env: NodeJS.ProcessEnv;
}

const QUIET_MS = 5_000;

export function createOutput(
  isJson: boolean,
  nowMs: () => number,
  { stdout, stderr, env }: Streams,
  options: AnswerOptions = AS_IT_IS,
): Output {
  const { file, budget, fields } = options;
  /** Answers to be written to the file. */
  const kept: string[] = [];
  const rows = file === null ? null : recordFile(file.path);
  const print = (text: string) => {
    if (file === null) stdout.write(`${text}\n`);
    else kept.push(`${text}\n`);
  };
  let saidAtMs = Number.NEGATIVE_INFINITY;
  let isBarOpen = false;
  const closeBar = () => {
    if (!isBarOpen) return;
    stderr.write('\n');
    isBarOpen = false;
  };
  const note = (text: string) => {
    closeBar();
    stderr.write(`${oneLine(text)}\n`);
  };
  return {
    answer: (value, human, { footer = null, fields: possible = null } = {}) => {
      closeBar();
      const isData = isJson || rows !== null;
      // Only data is shortened to the budget here; text for people is shortened by lines when it is printed.
      const answer = shaped(value, { fields, budget: isData ? budget : null }, jsonText);
      // After a change, no unknown field is an error: the answer must not be lost because of a name.
      if (possible !== null) throwIfUnknown(answer.missing, possible);
      for (const text of answer.notes) note(text);
      if (footer !== null && (rows !== null || (!isJson && fields !== null))) note(footer);
      if (rows !== null) return rows.add(answer.value, fields, possible);
      if (isJson) return print(jsonText(answer.value));
      const text = fields === null ? humanText(human()) : chosenText(answer.value, fields);
      const footerBelow = footer !== null && fields === null ? oneLine(footer) : null;
      if (text !== '' || footerBelow === null)
        print(budget === null ? text : shapedLines(text.split('\n'), budget).join('\n'));
      if (footerBelow !== null) print(footerBelow);
    },
    line: (value) => {
      const answer = shaped(value, options, jsonText);
      for (const text of answer.notes) note(text);
      if (rows === null) print(jsonText(answer.value));
      else rows.add(answer.value, fields);
    },
    note,
    progress: (text) => {
      const { isTTY, columns = 80 } = stderr;
      if (isTTY === true && env['TERM'] !== 'dumb') {
        // The text is cut to one line, because a wrapped line could not be replaced.
        stderr.write(`\r\u001b[2K${cutTo(oneLine(text), columns - 1)}`);
        isBarOpen = true;
      } else if (nowMs() - saidAtMs >= QUIET_MS) {
        saidAtMs = nowMs();
        stderr.write(`${oneLine(text)}\n`);
      }
    },
    finish: async () => {
      if (file === null || (kept.length === 0 && rows?.isEmpty() !== false)) return;
      const text = rows === null ? kept.splice(0).join('') : rows.text();
      await file.write(text);
      const bytes = Buffer.byteLength(text);
      const written = { file: file.path, bytes };
      stdout.write(
        `${isJson ? jsonText(written) : oneLine(`Written to ${file.path}: ${sizeText(bytes)}.`)}\n`,
      );
    },
  };
}

function throwIfUnknown({ names, known }: MissingFields, possible: () => readonly string[]): void {
  if (names.length === 0) return;
  const usual = possible();
  const unknown = names.filter((name) => !usual.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const all = [...new Set([...known, ...usual])];
  const guess = didYouMean(first, all);
  throw new AppError('INVALID_ARGUMENT', noRecordHas({ names: unknown, known: all }, guess));
}

/** Records as a table of these fields; a single record with one line for each field. */
function chosenText(value: unknown, fields: readonly string[]): string {
  const records = recordsOf(value);
  if (records !== null) return table(records, fields);
  const record = value as Readonly<Record<string, unknown>>;
  return fields
    .map((field) => oneLine(`${field}: ${cellText(record[field], Number.MAX_SAFE_INTEGER)}`))
    .join('\n');
}

function humanText(said: string | readonly string[]): string {
  return typeof said === 'string' ? sentence(said) : said.map(oneLine).join('\n');
}

const NO_TOKEN_STEP = 'On the command line, set it in SPANDECK_TOKEN.';

const stepOf = ({ code, details }: AppError): string | null =>
  details.nextStep ?? (code === 'NO_TOKEN' ? NO_TOKEN_STEP : null);

/** The line of a failed command with --json; it follows the line for people. */
export function errorJson(error: AppError, exitCode: number): string {
  const { code, message, details } = error;
  return jsonText({
    error: { code, message, nextStep: stepOf(error), status: details.status ?? null, exitCode },
  });
}

/** The line of a failed command for people. */
export function errorLine(error: AppError): string {
  const step = stepOf(error);
  const next = step === null ? '' : ` ${step}`;
  return oneLine(`error ${error.code}: ${error.message}${next}`);
}

export const WIDEST_CELL = 48;

const MAX_COLUMNS = 6;

/** The fields that a list shows: identifying fields first, then the owner, then others in the order of the records. */
export function shownFields(records: readonly Record<string, unknown>[], identity: string | null): string[] {
  const seen = new Set(records.flatMap((record) => Object.keys(record)));
  const first = [identity ?? 'id', 'id', 'name', 'application'].filter(
    (field, index, all) => seen.has(field) && all.indexOf(field) === index,
  );
  const rest = [...seen].filter(
    (field) =>
      field !== GONE_FIELD && !first.includes(field) && records.some((record) => !isEmpty(record[field])),
  );
  const marks = seen.has(GONE_FIELD) ? [GONE_FIELD] : [];
  const fields = [...[...first, ...rest].slice(0, MAX_COLUMNS - marks.length), ...marks];
  return fields.length === 0 ? ['id', 'name'] : fields;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** Fields that a person types again, so that they must not be shortened. */
const TYPED_AGAIN: ReadonlySet<string> = new Set(['id', 'name', 'file']);
const WIDEST_NAME = 255;

/** Rows as aligned columns, with the fields in the given order. Longer cells are cut, except names. */
export function table(
  rows: readonly Record<string, unknown>[],
  fields: readonly string[],
  widest = WIDEST_CELL,
): string {
  const mostOf = (field: string) => (TYPED_AGAIN.has(field) ? Math.max(widest, WIDEST_NAME) : widest);
  const cells = rows.map((row) => fields.map((field) => cellText(row[field], mostOf(field))));
  // Names of fields come from the service, so they are cleaned like values.
  const heads = fields.map((field) => cellText(field, widest));
  const widths = heads.map((head, column) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(head)),
  );
  const line = (parts: readonly string[]) =>
    parts
      .map((part, column) => part + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(part))))
      .join('  ')
      .trimEnd();
  return [line(heads), ...cells.map(line)].join('\n');
}

/** Like `table`, or the sentence `none` if there are no rows. */
export const tableOr = (
  none: string,
  rows: readonly Record<string, unknown>[],
  fields: readonly string[],
): string => (rows.length === 0 ? none : table(rows, fields));

function cellText(value: unknown, widest: number): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'object' ? (nameIn(value) ?? jsonText(value)) : String(value);
  return cutTo(printable(text.replaceAll(/\s+/g, ' ')), widest);
}

/** The name in a reference to another record; null if it has none. */
function nameIn(value: object): string | null {
  return 'name' in value && typeof value.name === 'string' && 'id' in value ? value.name : null;
}
