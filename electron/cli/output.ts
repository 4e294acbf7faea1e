import type { AppError } from '../shared/errors.ts';

/** Standard output carries the answer and nothing else; everything said on the way goes to standard error. */
export interface Output {
  /** The answer: one JSON document with --json, else what `human` makes of it. */
  answer(value: unknown, human: () => string): void;
  /** One JSON line of a stream of answers. */
  line(value: unknown): void;
  note(text: string): void;
  /** A progress line that replaces itself on a terminal; off a terminal it is said at most every 5 s. */
  progress(text: string): void;
}

const QUIET_MS = 5_000;

export function createOutput(isJson: boolean, nowMs: () => number): Output {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  let isBarOpen = false;
  const closeBar = () => {
    if (!isBarOpen) return;
    process.stderr.write('\n');
    isBarOpen = false;
  };
  return {
    answer: (value, human) => {
      closeBar();
      process.stdout.write(`${isJson ? JSON.stringify(value) : human()}\n`);
    },
    line: (value) => {
      process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    note: (text) => {
      closeBar();
      process.stderr.write(`${text}\n`);
    },
    progress: (text) => {
      if (process.stderr.isTTY === true) {
        process.stderr.write(`\r\u001b[2K${text}`);
        isBarOpen = true;
      } else if (nowMs() - saidAtMs >= QUIET_MS) {
        saidAtMs = nowMs();
        process.stderr.write(`${text}\n`);
      }
    },
  };
}

/** The one line a failed command ends with. */
export function errorLine(error: AppError): string {
  const next = error.details.nextStep === undefined ? '' : ` ${error.details.nextStep}`;
  return `error ${error.code}: ${error.message}${next}`.replaceAll('\n', ' ');
}

const WIDEST_CELL = 48;

const MOST_COLUMNS = 6;

/** The fields a list shows: what identifies a record first, then what comes first in the records. */
export function shownFields(records: readonly Record<string, unknown>[], identity: string | null): string[] {
  const seen = new Set(records.flatMap((record) => Object.keys(record)));
  const first = [identity ?? 'id', 'id', 'name'].filter(
    (field, index, all) => seen.has(field) && all.indexOf(field) === index,
  );
  const rest = [...seen].filter(
    (field) => !first.includes(field) && records.some((record) => !isEmpty(record[field])),
  );
  const fields = [...first, ...rest].slice(0, MOST_COLUMNS);
  return fields.length === 0 ? ['id', 'name'] : fields;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** Rows as aligned columns: the named fields first come first. Longer cells are cut. */
export function table(
  rows: readonly Record<string, unknown>[],
  fields: readonly string[],
  widest = WIDEST_CELL,
): string {
  const cells = rows.map((row) => fields.map((field) => cellText(row[field], widest)));
  const widths = fields.map((field, column) =>
    Math.max(field.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (parts: readonly string[]) =>
    parts
      .map((part, column) => part.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(fields), ...cells.map(line)].join('\n');
}

function cellText(value: unknown, widest: number): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'object' ? (nameIn(value) ?? JSON.stringify(value)) : String(value);
  const flat = text.replaceAll(/\s+/g, ' ');
  return flat.length > widest ? `${flat.slice(0, widest - 1)}…` : flat;
}

/** A reference to another record is shown by its name. */
function nameIn(value: object): string | null {
  return 'name' in value && typeof value.name === 'string' && 'id' in value ? value.name : null;
}
