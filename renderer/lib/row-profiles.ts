/** Profiles of rows that are at hand, as the analysis process makes them of stored lists. Pure. */
import type { ColumnFilter, ColumnKind, ColumnProfile, Tally } from '../../electron/shared/analysis-model.ts';
import { edgesOf } from '../../electron/shared/axis-edges.ts';

type Row = Readonly<Record<string, unknown>>;
type Passes = (row: Row) => boolean;

const MOST_TOPS = 10;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMERIC = /^-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
const hasContent = (value: unknown): boolean => value !== undefined && value !== null && !isEmpty(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function kindOf(values: readonly unknown[]): ColumnKind {
  const all = (test: (value: unknown) => boolean) => values.length > 0 && values.every(test);
  if (all((value) => typeof value === 'boolean')) return 'boolean';
  if (all((value) => typeof value === 'number'))
    return values.every((value) => Number.isInteger(value)) ? 'integer' : 'number';
  if (!all((value) => typeof value === 'string')) return values.length === 0 ? 'text' : 'json';
  if (all((value) => TIME.test(String(value)))) return 'time';
  return all((value) => NUMERIC.test(String(value))) ? 'numeric-text' : 'text';
}

/** Where a value stands on its axis; null where it has no place. */
function axisOf(value: unknown): number | null {
  const place =
    typeof value === 'string' && TIME.test(value)
      ? Date.parse(value)
      : typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value))
        ? Number(value)
        : Number.NaN;
  return Number.isNaN(place) ? null : place;
}

/** Does a row pass a filter? */
export function passes({ field, ...filter }: ColumnFilter): Passes {
  return (row) => {
    const value = row[field];
    if (filter.kind === 'emptiness') {
      if (filter.is === 'absent') return value === undefined;
      return filter.is === 'null' ? value === null : isEmpty(value);
    }
    if (filter.kind === 'values')
      return (hasContent(value) && filter.values.includes(textOf(value))) !== filter.excludes;
    const place = axisOf(value);
    const { from, to, includesTo } = filter;
    return (
      place !== null &&
      (from === null || place >= from) &&
      (to === null || place < to || (includesTo && place === to))
    );
  };
}

/** Profiles of these columns: each counts the rows that pass the filters of the others. */
export function profileRows(
  rows: readonly Row[],
  fields: readonly string[],
  filters: readonly ColumnFilter[],
): ColumnProfile[] {
  return fields.map((field) => {
    const others = filters.filter((filter) => filter.field !== field).map(passes);
    const passing = rows.filter((row) => others.every((each) => each(row)));
    return profileOf(
      field,
      (test) => ({
        total: rows.filter(test).length,
        count: passing.filter(test).length,
      }),
      rows.map((row) => row[field]).filter(hasContent),
    );
  });
}

function profileOf(field: string, tally: (test: Passes) => Tally, values: readonly unknown[]): ColumnProfile {
  const kind = kindOf(values);
  const counts = new Map<string, number>();
  for (const text of values.map(textOf)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const places = ['integer', 'number', 'time', 'numeric-text'].includes(kind)
    ? values.map(axisOf).filter((place) => place !== null)
    : [];
  const edges =
    places.length === 0
      ? []
      : edgesOf(
          places.reduce((least, place) => Math.min(least, place)),
          places.reduce((most, place) => Math.max(most, place)),
          kind,
        );
  const bars = edges.slice(1).map((to, at) => {
    const span = { from: edges[at] ?? 0, to, includesTo: at === edges.length - 2 };
    return { ...span, ...tally(passes({ kind: 'range', field, ...span })) };
  });
  const tops =
    bars.length > 0
      ? []
      : [...counts]
          .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
          .slice(0, MOST_TOPS)
          .map(([value]) => ({
            value,
            ...tally(passes({ kind: 'values', field, values: [value], excludes: false })),
          }));
  const shown = [...bars, ...tops];
  const content = tally((row) => hasContent(row[field]));
  const rest = (of: 'total' | 'count') => content[of] - shown.reduce((sum, part) => sum + part[of], 0);
  return {
    ...{ field, kind, bars, tops },
    rows: tally(() => true),
    absent: tally((row) => row[field] === undefined),
    nulls: tally((row) => row[field] === null),
    empty: tally((row) => isEmpty(row[field])),
    others: { total: rest('total'), count: rest('count') },
    distinct: counts.size,
  };
}
