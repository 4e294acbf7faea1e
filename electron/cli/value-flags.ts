/** The flags for how values of columns are parsed: one table for all commands that read rows from files. */

import { type ColumnReading, DATE_ORDERS, EPOCH_UNITS } from '../shared/column-reading.ts';
import { AppError } from '../shared/errors.ts';
import type { PreviewColumn } from '../shared/upload-model.ts';
import { isZone, systemZone } from '../shared/zone-time.ts';
import { flag } from './command-options.ts';
import { nameList } from './human-text.ts';
import { didYouMean } from './suggestions.ts';

export interface Given {
  texts(flag: string): string[];
  flag(flag: string): boolean;
}

export type ColumnType = PreviewColumn['type'];

interface ValueFlag {
  /** Parses a value of the flag to the part of a reading that it sets. Throws INVALID_ARGUMENT. */
  read: (typed: string) => ColumnReading;
  /** Whether the flag applies to columns of a type. */
  fits: (type: ColumnType) => boolean;
  /** The type that a text column gets if the flag names it; null: its type does not change. */
  of: ColumnType | null;
  /** The columns that the flag applies to, for messages. */
  about: string;
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
      days: choice('date-order', DATE_ORDERS, typed),
    }),
    ...TIMES,
  },
  zone: { read: (typed) => ({ zone: zoneOf(typed) }), ...TIMES },
  'time-unit': {
    read: (typed) => ({ unit: choice('time-unit', EPOCH_UNITS, typed) }),
    ...TIMES,
  },
};
/** Short flags that stand for a value of another flag, for all columns. */
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
/** Names of all flags. */
export const VALUE_FLAGS: readonly string[] = Object.keys(VALUE_OPTIONS);

/** Options of a command that reads spans, whose attributes stay unchanged, including numbers. */
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

/** Splits the value of a flag into a column and the value for it; `column` is null for all columns. */
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

/** Throws INVALID_ARGUMENT with the first sentence, if there is one. */
export function refuseUnfit([first]: readonly string[]): void {
  if (first !== undefined) throw new AppError('INVALID_ARGUMENT', first);
}

/** A given flag. `column`: null for all columns. `given`: the name as it was typed. */
export interface GivenFlag {
  name: string;
  given: string;
  rule: ValueFlag;
  column: string | null;
  value: string;
  reading: ColumnReading;
}

/** The flags of a command for a file with these columns. Throws INVALID_ARGUMENT. */
export function givenFlags(args: Given, names: readonly string[]): GivenFlag[] {
  return givenIn(args).flatMap(({ name, typed, flag: given }) => {
    const rule = FLAGS[name];
    const { column, value } = split(typed, names);
    return rule === undefined ? [] : [{ name, rule, column, given, value, reading: rule.read(value) }];
  });
}

/** The given flags with their values; a short flag is replaced by the flag that it stands for. */
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
