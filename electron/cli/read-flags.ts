/** The flags for how a file is parsed: one table of options and one parser for all commands that read files. */
import { type Dialect, MAX_HEADER_LINE } from '../shared/dialect.ts';
import { AppError } from '../shared/errors.ts';
import type { FilePreview } from '../shared/upload-model.ts';
import { text } from './command-options.ts';

/** The part of a parsed command line that is needed here. */
interface Given {
  text(flag: string): string | null;
}

/** Kinds of files that differ in the flags that apply to them. */
const FILE_KINDS = {
  table: 'text with delimiters, such as CSV',
  json: 'JSON or JSON Lines',
  workbook: 'a workbook',
  document: 'a JSON document with lists of objects',
  typed: 'Parquet or Arrow, which say themselves how they are read',
} as const;
type FileKind = keyof typeof FILE_KINDS;

interface ReadFlag {
  /** The part of a dialect that the flag sets. */
  part: keyof Dialect;
  /** Parses the value of that part. Throws INVALID_ARGUMENT. */
  read: (typed: string) => Dialect[keyof Dialect];
  fits: readonly FileKind[];
}

const READERS: Readonly<Record<string, ReadFlag>> = {
  delimiter: { part: 'delimiter', read: delimiterOf, fits: ['table'] },
  quote: { part: 'quote', read: quoteOf, fits: ['table'] },
  escape: { part: 'escape', read: escapeOf, fits: ['table'] },
  'header-line': { part: 'headerLine', read: headerLineOf, fits: ['table', 'workbook'] },
  encoding: { part: 'encoding', read: (encoding) => encoding, fits: ['table', 'json'] },
  sheet: { part: 'sheet', read: (sheet) => sheet, fits: ['workbook', 'document'] },
};

/** Names of all flags. */
export const READ_FLAGS: readonly string[] = Object.keys(READERS);

/** Options of a command that reads a file. */
export const READ_OPTIONS = Object.fromEntries(READ_FLAGS.map((name) => [name, text]));

/**
 * The parts of a dialect from the given flags, which override `before` (e.g. a preset); null if there are none. Throws
 * INVALID_ARGUMENT.
 */
export function readingOf(args: Given, before: Partial<Dialect> = {}): Partial<Dialect> | null {
  const parts = Object.entries(READERS).flatMap(([flag, { part, read }]) => {
    const typed = args.text(flag);
    return typed === null ? [] : [[part, read(typed)] as const];
  });
  const reading = { ...before, ...Object.fromEntries(parts) } as Partial<Dialect>;
  return Object.keys(reading).length === 0 ? null : reading;
}

type Kinded = Pick<FilePreview, 'name' | 'dialect' | 'sheets' | 'isTyped'>;

function kindOf({ dialect, sheets, isTyped }: Kinded): FileKind {
  if (sheets.length > 0) return isTyped ? 'workbook' : 'document';
  if (isTyped) return 'typed';
  return dialect.format === 'csv' ? 'table' : 'json';
}

/** Whether some part of the dialect has a flag and therefore applies only to some kinds of files. */
export const hasReadFlags = (parts: Partial<Dialect>): boolean =>
  Object.values(READERS).some(({ part }) => (parts[part] ?? null) !== null);

/** The parts of an earlier dialect that apply to this kind of file, and one sentence for each of the others. */
export function fittingParts(
  before: Partial<Dialect>,
  file: Kinded,
): { fitting: Partial<Dialect>; left: string[] } {
  const kind = kindOf(file);
  const unfit = Object.entries(READERS).filter(
    ([, { part, fits }]) => (before[part] ?? null) !== null && !fits.includes(kind),
  );
  const others = new Set(unfit.map(([, { part }]) => part));
  return {
    fitting: Object.fromEntries(
      Object.entries(before).filter(([part]) => !others.has(part as keyof Dialect)),
    ) as Partial<Dialect>,
    left: unfit.map(
      ([flag]) => `--${flag} of the earlier file is not taken over: ${file.name} is ${FILE_KINDS[kind]}.`,
    ),
  };
}

/** One sentence for each given flag that does not apply to this kind of file. */
export function unfitReadFlags(args: Given, file: Kinded): string[] {
  const kind = kindOf(file);
  return Object.entries(READERS).flatMap(([flag, { fits }]) => {
    if (args.text(flag) === null || fits.includes(kind)) return [];
    const expected = fits.map((each) => FILE_KINDS[each]).join(', or ');
    return [`--${flag} expects ${expected}; ${file.name} is ${FILE_KINDS[kind]}. Leave it out.`];
  });
}

const DELIMITERS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  bar: '|',
  pipe: '|',
  space: ' ',
};

function delimiterOf(typed: string): string {
  const name = typed.toLowerCase();
  // The name is checked with `hasOwn`, because it may be typed like an inherited property.
  const delimiter = Object.hasOwn(DELIMITERS, name) ? (DELIMITERS[name] ?? typed) : typed;
  const code = /^\\x([0-7][\da-f])$/i.exec(delimiter)?.[1];
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (delimiter.length === 1) return delimiter;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--delimiter expects one character, comma, semicolon, tab, bar or space, or its code such as \\x01; got ${typed === '' ? 'nothing' : typed}.`,
  );
}

const QUOTES: Readonly<Record<string, Dialect['quote']>> = {
  '"': '"',
  double: '"',
  "'": "'",
  single: "'",
  none: 'none',
};

function quoteOf(typed: string): Dialect['quote'] {
  const name = typed.toLowerCase();
  const quote = Object.hasOwn(QUOTES, name) ? QUOTES[name] : undefined;
  if (quote !== undefined) return quote;
  throw new AppError('INVALID_ARGUMENT', `--quote expects double, single or none; got ${typed}.`);
}

function escapeOf(typed: string): Dialect['escape'] {
  if (typed === '\\' || typed === 'backslash') return '\\';
  if (typed === 'none') return null;
  throw new AppError('INVALID_ARGUMENT', `--escape expects backslash or none; got ${typed}.`);
}

function headerLineOf(typed: string): number {
  const line = Number(typed);
  if (Number.isSafeInteger(line) && line >= 1 && line <= MAX_HEADER_LINE) return line;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--header-line expects a whole number from 1 to ${MAX_HEADER_LINE}, got ${typed}.`,
  );
}
