/** The flags that say how values of columns are read: one table for every command that takes rows from files. */

import type { ColumnReading } from '../shared/column-reading.ts';
import { EPOCH_UNITS } from '../shared/column-reading.ts';
import { AppError } from '../shared/errors.ts';
import { REPAIRS_OF } from '../shared/repair-options.ts';
import {
  PROBLEM_KINDS,
  type PreviewColumn,
  REPAIR_KINDS,
  type Repair,
  type Replacement,
} from '../shared/upload-model.ts';
import { isZone, systemZone } from '../shared/zone-time.ts';
import { flag } from './command-options.ts';
import { nameList } from './human-text.ts';
import { didYouMean } from './nearest.ts';
import { replacementOf } from './replacement-flag.ts';

interface Given {
  texts(flag: string): string[];
  flag(flag: string): boolean;
}

type ColumnType = PreviewColumn['type'];

interface ValueFlag {
  /** Part of a reading that a value of the flag sets. Throws INVALID_ARGUMENT. */
  read: (typed: string) => ColumnReading;
  /** Types of the columns that it can be said of. */
  fits: (type: ColumnType) => boolean;
  /** Type of a column of texts of which it is said by name. */
  of: ColumnType | null;
}

const isNumber = (type: ColumnType) => type === 'int' || type === 'float' || type === 'decimal';
const isTime = (type: ColumnType) => type === 'timestamp';

function choice<T extends string>(name: string, known: readonly T[], typed: string): T {
  const found = known.find((each) => each === typed);
  if (found !== undefined) return found;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--${name} expects ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(known)}, got ${typed === '' ? 'nothing' : typed}.`,
  );
}

const FLAGS: Readonly<Record<string, ValueFlag>> = {
  null: {
    read: (typed) => ({ nulls: typed.split(',').map((word) => word.trim()) }),
    fits: () => true,
    of: null,
  },
  decimal: {
    read: (typed) => ({ decimal: choice<'comma' | 'point'>('decimal', ['comma', 'point'], typed) }),
    fits: isNumber,
    of: 'float',
  },
  'date-order': {
    read: (typed) => ({
      days: choice<'day-first' | 'month-first'>('date-order', ['day-first', 'month-first'], typed),
    }),
    fits: isTime,
    of: 'timestamp',
  },
  zone: { read: (typed) => ({ zone: zoneOf(typed) }), fits: isTime, of: 'timestamp' },
  'time-unit': {
    read: (typed) => ({ unit: choice('time-unit', EPOCH_UNITS, typed) }),
    fits: isTime,
    of: 'timestamp',
  },
};
/** Each stands for a value of another flag, for every column. */
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
export const REPAIR_OPTION = { repair: { type: 'string', multiple: true } } as const;
/** Names of the flags. */
export const VALUE_FLAGS: readonly string[] = Object.keys(VALUE_OPTIONS);

/** Options of a command that reads spans: their attributes stay as they stand, numbers too. */
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

/** A value, and the column that it is said of; null: of all. */
function split(typed: string, names: readonly string[]): { column: string | null; value: string } {
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
 * The columns with what the given flags say of them: of one by its name, else of every one that it fits. `isTyped`: the
 * type of a column is not changed. Throws INVALID_ARGUMENT.
 */
export function withValueFlags<
  C extends { source: string; type: ColumnType; reading?: ColumnReading | undefined },
>(args: Given, columns: readonly C[], isTyped: (column: C) => boolean): C[] {
  if (args.flag('day-first') && args.flag('month-first'))
    throw new AppError('INVALID_ARGUMENT', 'Both --day-first and --month-first were given. One is enough.');
  const names = columns.map(({ source }) => source);
  const said = givenIn(args).flatMap(({ name, typed }) => {
    const rule = FLAGS[name];
    const { column, value } = split(typed, names);
    return rule === undefined ? [] : [{ name, rule, column, reading: rule.read(value) }];
  });
  // What is said of one column wins over what is said of all.
  const ordered = said.toSorted((a, b) => Number(a.column !== null) - Number(b.column !== null));
  return columns.map((column) => {
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
}

/** Each given flag with its typed value; a short flag as the one it stands for. */
function givenIn(args: Given): { name: string; typed: string; flag: string }[] {
  return [
    ...Object.entries(SHORT).flatMap(([flag, each]) => (args.flag(flag) ? [{ ...each, flag }] : [])),
    ...Object.keys(FLAGS).flatMap((name) => args.texts(name).map((typed) => ({ name, typed, flag: name }))),
  ];
}

const ofAll = (args: Given) => givenIn(args).filter(({ typed }) => !typed.includes('='));

/** The reading that the flags give to all columns. Throws INVALID_ARGUMENT. */
export function readingOfAll(args: Given): ColumnReading {
  const parts = ofAll(args).map(({ name, typed }) => FLAGS[name]?.read(typed) ?? {});
  return Object.assign({}, ...parts) as ColumnReading;
}

/** Flags given for all columns, but of a type that no column has. */
export function unfitFlags(args: Given, columns: readonly { type: ColumnType }[]): string[] {
  return ofAll(args).flatMap(({ name, flag: given }) =>
    columns.some(({ type }) => FLAGS[name]?.fits(type) === true) ? [] : [given],
  );
}

/** Values that `--repair COLUMN:VALUE=REPLACEMENT` replaces. Throws INVALID_ARGUMENT. */
export function replacementsOf(args: Given, sources: readonly string[]): Replacement[] {
  return args.texts('repair').flatMap((typed) => replacementOf(typed, sources) ?? []);
}

/** Repairs that `--repair KIND` or `--repair COLUMN=KIND` asks for. Throws INVALID_ARGUMENT. */
export function repairsOf(args: Given, sources: readonly string[]): Repair[] {
  return args.texts('repair').flatMap((typed) => {
    if (replacementOf(typed, sources) !== null) return [];
    const { column, value } = split(typed, sources);
    const kind = choice('repair', REPAIR_KINDS, value);
    const problems = PROBLEM_KINDS.filter((problem) => kind === 'null' || REPAIRS_OF[problem].includes(kind));
    return (column === null ? sources : [column]).flatMap((source) =>
      problems.map((problem) => ({ source, problem, kind })),
    );
  });
}
