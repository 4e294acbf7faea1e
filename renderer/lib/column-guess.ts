/** Columns of records whose fields are unknown in advance, guessed from the loaded rows. Pure. */

import { isRawNumber } from '../../electron/shared/exact-json.ts';
import { NOT_FINITE, NOT_KEPT, notKept } from '../../electron/shared/item-row.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import type { Column, ColumnKind, Row } from './grid/columns.ts';
import { fieldTitle } from './inspect.ts';
import { isObject } from './records.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WIDTHS: Record<ColumnKind, number> = {
  text: 180,
  number: 110,
  time: 172,
  id: 140,
  json: 240,
  chip: 110,
  pick: 36,
};

/** Approximate width of the longest text, within limits. */
export function guessWidth(kind: ColumnKind, title: string, values: readonly unknown[]): number {
  if (kind !== 'text') return Math.max(WIDTHS[kind], title.length * 7 + 44);
  const longest = values.reduce<number>(
    (most, value) => Math.max(most, String(value ?? '').length),
    title.length,
  );
  return Math.min(280, Math.max(96, Math.round(longest * 6.8) + 30));
}

/** The kind of column for these values; text if they differ. */
export function guessKind(values: readonly unknown[]): ColumnKind {
  const kinds = new Set(
    values.filter((value) => value !== null && value !== undefined && value !== '').map(kindOf),
  );
  const [only] = kinds;
  if (kinds.size === 1 && only !== undefined) return only;
  return kinds.has('json') ? 'json' : 'text';
}

function kindOf(value: unknown): ColumnKind {
  if (typeof value === 'number' || isRawNumber(value)) return 'number';
  if (typeof value === 'object') return 'json';
  if (typeof value === 'string') {
    if (UUID.test(value)) return 'id';
    if (parseTime(value) !== null) return 'time';
  }
  return 'text';
}

/** Field names in the order in which they first occur. */
export function fieldsOf(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/**
 * Marks the rows of items that were too large to be kept whole. The reason is in the tooltip, and is the copied text.
 */
const CUT: Column = {
  id: NOT_KEPT,
  title: 'Cut off',
  kind: 'chip',
  width: 110,
  get: notKept,
  write: (value) => (typeof value === 'string' ? 'Too large' : ''),
  tone: () => 'warn',
  sortField: null,
};

/** Marks rows with values that the service wrote as NaN or Infinity; the tooltip names the values. */
const WITHOUT_NUMBER: Column = {
  id: NOT_FINITE,
  title: 'Not a number',
  kind: 'chip',
  width: 110,
  get: (row) => row[NOT_FINITE] ?? null,
  write: (value) => (typeof value === 'string' ? 'NaN as empty' : ''),
  tone: () => 'warn',
  sortField: null,
};
const MARKS = [CUT, WITHOUT_NUMBER];

/**
 * Titles of fields with the unit in their name: `Latency, ms` for `latency_ms`. If two columns would have the same
 * title, the field's name is used.
 */
function titlesOf(fields: readonly string[], taken: readonly string[]): Map<string, string> {
  const titles = fields.map((field) => fieldTitle(field));
  const isTwice = (title: string) =>
    taken.includes(title) || titles.indexOf(title) !== titles.lastIndexOf(title);
  return new Map(
    fields.map((field, at) => {
      const title = titles[at] ?? field;
      return [field, isTwice(title) ? field : title];
    }),
  );
}

/**
 * One column for each field, except the ids of `known` columns and the fields in `left`. Columns that mark rows come
 * first, if any row is marked. No two columns have the same title.
 */
export function guessColumns(
  rows: readonly Row[],
  known: readonly Pick<Column, 'id' | 'title'>[] = [],
  left: ReadonlySet<string> = new Set(),
): Column[] {
  const fields = fieldsOf(rows);
  const others = new Set([...[...MARKS, ...known].map(({ id }) => id), ...left]);
  const shown = fields.filter((field) => !others.has(field));
  const titles = titlesOf(
    shown,
    [...MARKS, ...known].map(({ title }) => title),
  );
  const guessed = shown.map((field): Column => {
    const title = titles.get(field) ?? field;
    const values = rows.map((row) => row[field]);
    const kind = guessKind(values);
    const isReference = kind === 'json' && values.every(isReferenceOrMissing);
    return {
      id: field,
      title,
      kind: isReference ? 'text' : kind,
      width: isReference ? WIDTHS.text : guessWidth(kind, title, values),
      get: isReference ? (row: Row) => nameOf(row[field]) : (row: Row) => row[field],
      sortField: kind === 'json' ? null : field,
    };
  });
  return [...MARKS.filter(({ id }) => fields.includes(id)), ...guessed];
}

function isReferenceOrMissing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return isObject(value) && typeof value['name'] === 'string';
}

function nameOf(value: unknown): unknown {
  return isObject(value) ? value['name'] : value;
}

export const BUCKETS = [
  { field: 'inputs', title: 'Inputs' },
  { field: 'expected_outputs', title: 'Expected outputs' },
  { field: 'metadata', title: 'Metadata' },
  { field: 'extras', title: 'Extras' },
] as const;

/** Keys of each bucket in these rows, in the order in which they first occur. */
export function bucketKeys(rows: readonly Row[]): Map<string, string[]> {
  return new Map(
    BUCKETS.map(({ field }) => [
      field,
      fieldsOf(rows.map((row) => row[field]).filter((bucket): bucket is Row => isObject(bucket))),
    ]),
  );
}

/** One column for each key of each bucket, grouped under the name of the bucket. */
export function bucketColumns(rows: readonly Row[], keys: ReadonlyMap<string, readonly string[]>): Column[] {
  return BUCKETS.flatMap(({ field, title }) =>
    (keys.get(field) ?? []).map((key): Column => {
      const read = (row: Row) => (isObject(row[field]) ? row[field][key] : undefined);
      const kind = guessKind(rows.map(read));
      return {
        id: `${field}.${key}`,
        title: key,
        kind,
        ...widths(isRare(rows, read) ? RARE_WIDTH : guessWidth(kind, key, rows.map(read))),
        get: read,
        group: title,
      };
    }),
  );
}

const RARE_WIDTH = 90;
/** Whether hardly any row has a value, so that a narrow column suffices. Few rows are no reliable sample. */
function isRare(rows: readonly Row[], read: (row: Row) => unknown): boolean {
  const filled = rows.filter((row) => read(row) != null && read(row) !== '').length;
  return rows.length >= 20 && filled < rows.length / 10;
}
/** Maximum width in pixels of a text column while the inspector is open, so that the next column stays visible. */
const MAX_NARROW = 190;
const widths = (width: number): Pick<Column, 'width' | 'narrow'> => ({
  width,
  ...(width > MAX_NARROW ? { narrow: MAX_NARROW } : {}),
});

/** One JSON column for each bucket. */
export function compactColumns(): Column[] {
  return BUCKETS.map(({ field, title }) => ({
    id: field,
    title,
    kind: 'json' as const,
    width: 260,
    get: (row: Row) => row[field],
    sortField: null,
  }));
}
