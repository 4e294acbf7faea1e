/** The flags for how values of columns are read: one table for every command that takes rows from files. */

import type { ColumnReading } from '../shared/column-reading.ts';
import { EPOCH_UNITS } from '../shared/column-reading.ts';
import { AppError } from '../shared/errors.ts';
import type { PreviewColumn } from '../shared/upload-model.ts';
import { isZone, systemZone } from '../shared/zone-time.ts';
import { readNumber } from '../uploads/validate/number-reading.ts';
import { readTime } from '../uploads/validate/timestamps.ts';
import { flag } from './command-options.ts';
import { nameList } from './human-text.ts';
import { didYouMean } from './nearest.ts';

export interface Given {
  texts(flag: string): string[];
  flag(flag: string): boolean;
}

type ColumnType = PreviewColumn['type'];

interface ValueFlag {
  /** The part of a reading that a value of the flag sets. Throws INVALID_ARGUMENT. */
  read: (typed: string) => ColumnReading;
  /** True for the column types that the flag applies to. */
  fits: (type: ColumnType) => boolean;
  /** The type that a text column gets if the flag names the column. */
  of: ColumnType | null;
  /** The columns it applies to, for messages. */
  about: string;
}

/** A column of a file, with the properties that flags concern. */
interface ReadColumn {
  source: string;
  type: ColumnType;
  reading?: ColumnReading | undefined;
}

interface ReadColumns<C> {
  /** True if a model defines the type, which no flag changes. */
  isTyped?: (column: C) => boolean;
  /** True if its values are sent. */
  isSent?: (column: C) => boolean;
  /** Some texts of the column, unchanged. */
  samplesOf: (column: C) => readonly string[];
}

const isNumber = (type: ColumnType) => type === 'int' || type === 'float' || type === 'decimal';
const isTime = (type: ColumnType) => type === 'timestamp';

export function choice<T extends string>(name: string, known: readonly T[], typed: string): T {
  const found = known.find((each) => each === typed);
  if (found !== undefined) return found;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--${name} expects ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(known)}, got ${typed === '' ? 'nothing' : typed}.`,
  );
}

const TIMES = { fits: isTime, of: 'timestamp', about: 'a column of times' } as const;

const FLAGS: Readonly<Record<string, ValueFlag>> = {
  null: {
    read: (typed) => ({ nulls: typed.split(',').map((word) => word.trim()) }),
    fits: () => true,
    of: null,
    about: 'a column',
  },
  decimal: {
    read: (typed) => ({ decimal: choice<'comma' | 'point'>('decimal', ['comma', 'point'], typed) }),
    fits: isNumber,
    of: 'float',
    about: 'a column of numbers',
  },
  'date-order': {
    read: (typed) => ({
      days: choice<'day-first' | 'month-first'>('date-order', ['day-first', 'month-first'], typed),
    }),
    ...TIMES,
  },
  zone: { read: (typed) => ({ zone: zoneOf(typed) }), ...TIMES },
  'time-unit': {
    read: (typed) => ({ unit: choice('time-unit', EPOCH_UNITS, typed) }),
    ...TIMES,
  },
};
/** Short flags, each equivalent to a value of another flag for all columns. */
const SHORT: Readonly<Record<string, { name: string; typed: string }>> = {
  'day-first': { name: 'date-order', typed: 'day-first' },
  'month-first': { name: 'date-order', typed: 'month-first' },
};

/** Options of a command that reads values of columns. */
export const VALUE_OPTIONS = {
  ...Object.fromEntries(
    Object.keys(FLAGS).map((name) => [name, { type: 'string', multiple: true } as const]),
  ),
  'day-first': flag,
  'month-first': flag,
};
/** Names of the flags. */
export const VALUE_FLAGS: readonly string[] = Object.keys(VALUE_OPTIONS);

/** Options of a command that reads spans: their attributes stay unchanged, including numbers. */
export const SPAN_VALUE_OPTIONS = Object.fromEntries(
  Object.entries(VALUE_OPTIONS).filter(([name]) => name !== 'decimal'),
);
export const SPAN_VALUE_FLAGS: readonly string[] = Object.keys(SPAN_VALUE_OPTIONS);

function zoneOf(typed: string): string {
  if (typed === 'local') return systemZone();
  const [, sign, hour, minute] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(typed) ?? [];
  if (sign !== undefined) return `${sign}${(hour ?? '').padStart(2, '0')}:${minute ?? '00'}`;
  if (typed !== '' && isZone(typed)) return typed;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--zone expects UTC, local, a name such as Europe/Berlin, or an offset such as +02:00; got ${typed === '' ? 'nothing' : typed}.`,
  );
}

/** A value and the column it is for; null for all columns. */
export function split(typed: string, names: readonly string[]): { column: string | null; value: string } {
  const at = typed.lastIndexOf('=');
  if (at < 0) return { column: null, value: typed };
  const column = typed.slice(0, at);
  if (names.includes(column)) return { column, value: typed.slice(at + 1) };
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected a column of the file before “=”, got ${column}. The file has the columns ${nameList(names)}.${didYouMean(column, names)}`,
  );
}

/**
 * The columns with the given flags applied: to the named column, otherwise to every column they fit. Text columns whose
 * texts are all numbers or times in the reading for all columns get that type. `unfit`: one sentence for each flag that
 * fits no column that is sent. Throws INVALID_ARGUMENT.
 */
export function withValueFlags<C extends ReadColumn>(
  args: Given,
  columns: readonly C[],
  how: ReadColumns<C>,
): { columns: C[]; unfit: string[] } {
  if (args.flag('day-first') && args.flag('month-first'))
    throw new AppError('INVALID_ARGUMENT', 'Both --day-first and --month-first were given. One is enough.');
  const names = columns.map(({ source }) => source);
  const said = givenIn(args).flatMap(({ name, typed, flag: given }) => {
    const rule = FLAGS[name];
    const { column, value } = split(typed, names);
    return rule === undefined ? [] : [{ name, rule, column, given, value, reading: rule.read(value) }];
  });
  const every = readingOfAll(args);
  const isTyped = how.isTyped ?? (() => false);
  // A flag for one column takes precedence over one for all.
  const ordered = said.toSorted((a, b) => Number(a.column !== null) - Number(b.column !== null));
  const nullsOf = ({ source, reading }: C): readonly string[] =>
    ordered.findLast(({ column, reading: { nulls } }) => nulls !== undefined && (column ?? source) === source)
      ?.reading.nulls ??
    reading?.nulls ??
    [];
  const typed = columns.map((column): C => {
    const values = how.samplesOf(column).filter((text) => !nullsOf(column).includes(text));
    const type = isTyped(column) ? null : typeBy(every, column, values);
    return type === null ? column : { ...column, type };
  });
  const read = typed.map((column) => {
    let changed = column;
    for (const { name, rule, column: of, reading } of ordered) {
      if (of !== null && of !== column.source) continue;
      const fits = rule.fits(changed.type);
      if (!fits && of === null) continue;
      if (!fits && (rule.of === null || isTyped(column))) {
        throw new AppError(
          'INVALID_ARGUMENT',
          `--${name} does not fit ${column.source}: its values are sent as ${changed.type}.`,
        );
      }
      const type = fits ? changed.type : (rule.of ?? changed.type);
      changed = { ...changed, type, reading: { ...changed.reading, ...reading } };
    }
    return changed;
  });
  const sent = read.filter(how.isSent ?? (() => true));
  const fitsNone = ({ rule, column }: (typeof said)[number]) =>
    column === null
      ? !sent.some(({ type }) => rule.fits(type))
      : !sent.some(({ source }) => source === column);
  return { columns: read, unfit: said.filter(fitsNone).map((each) => unfitText(each, sent)) };
}

/** `--zone fits no column: expected a column of times, got amount (float). …` */
function unfitText(
  {
    name,
    given,
    column,
    value,
    rule,
  }: { name: string; given: string; column: string | null; value: string; rule: ValueFlag },
  sent: readonly ReadColumn[],
): string {
  if (column !== null)
    return `--${name} ${column}=${value} changes nothing: “${column}” is left out. Leave the flag out, or give the column a place.`;
  const shown = sent.map(({ source, type }) => `${source} (${type})`);
  return `--${given} fits no column: expected ${rule.about}, got ${nameList(shown)}. Leave it out, or name the column that it is about: --${name} COLUMN=${value}.`;
}

/** Throws INVALID_ARGUMENT with the first of the sentences. */
export function refuseUnfit([first]: readonly string[]): void {
  if (first !== undefined) throw new AppError('INVALID_ARGUMENT', first);
}

/** Number or time, if all sampled texts of a column are such in the reading for all columns; otherwise null. */
function typeBy(
  { decimal, days }: ColumnReading,
  { type }: ReadColumn,
  values: readonly string[],
): ColumnType | null {
  if ((type !== 'str' && type !== 'category') || values.length === 0) return null;
  if (decimal !== undefined && values.every((text) => readNumber(text, decimal) !== null)) return 'float';
  if (days !== undefined && values.every((text) => typeof readTime(text, { days }) !== 'string'))
    return 'timestamp';
  return null;
}

/** Each given flag with its value; a short flag as its equivalent. */
function givenIn(args: Given): { name: string; typed: string; flag: string }[] {
  return [
    ...Object.entries(SHORT).flatMap(([flag, each]) => (args.flag(flag) ? [{ ...each, flag }] : [])),
    ...Object.keys(FLAGS).flatMap((name) => args.texts(name).map((typed) => ({ name, typed, flag: name }))),
  ];
}

const ofAll = (args: Given) => givenIn(args).filter(({ typed }) => !typed.includes('='));

/** The reading that the flags set for all columns. Throws INVALID_ARGUMENT. */
export function readingOfAll(args: Given): ColumnReading {
  const parts = ofAll(args).map(({ name, typed }) => FLAGS[name]?.read(typed) ?? {});
  return Object.assign({}, ...parts) as ColumnReading;
}
