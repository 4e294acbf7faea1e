/** Profiles of made-up rows, and the rows that pass filters, as the analysis process would answer. */
import type {
  ColumnFilter,
  ColumnProfile,
  ListProfile,
  Tally,
} from '../../../electron/shared/analysis-model.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import { scenario } from './scenario.ts';

type Row = Record<string, unknown>;
type Passes = (row: Row) => boolean;

const BARS = 20;
const SAMPLE = 400;
const DISK_FULL: WireError = {
  code: 'DISK_FULL',
  title: 'The disk is full',
  message: 'The disk has no room to prepare the columns of this list. Free some space, then try again.',
  retry: 'later',
  details: {},
};

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
const axisOf = (value: unknown): number | null => {
  if (typeof value === 'number') return value;
  return isTime(value) ? Date.parse(value) : null;
};

export function passes({ field, ...filter }: ColumnFilter): Passes {
  return (row) => {
    const value = row[field];
    if (filter.kind === 'emptiness') {
      if (filter.is === 'absent') return value === undefined;
      return filter.is === 'null' ? value === null : value === '';
    }
    if (filter.kind === 'values') return filter.values.includes(String(value)) !== filter.excludes;
    const place = axisOf(value);
    const { from, to, includesTo } = filter;
    return (
      place !== null &&
      (from === null || place >= from) &&
      (to === null || place < to || (includesTo && place === to))
    );
  };
}

/** Throws what a full disk would, where the scenario says so. */
export function profileOf(
  rows: readonly Row[],
  totalRows: number,
  { fields, filters }: { fields: readonly string[]; filters: readonly ColumnFilter[] },
): ListProfile {
  if (scenario.profiles === 'failed') throw DISK_FULL;
  const isSample = scenario.profiles === 'sample';
  const looked = isSample ? rows.slice(0, SAMPLE) : rows;
  return {
    isSample,
    preparation: isSample ? { rows: Math.floor(rows.length / 3), totalRows: rows.length } : null,
    storedRows: rows.length,
    totalRows,
    columns: fields
      .filter((field) => looked.some((row) => row[field] !== undefined))
      .map((field) => columnOf(looked, field, filters)),
  };
}

function columnOf(rows: readonly Row[], field: string, filters: readonly ColumnFilter[]): ColumnProfile {
  const others = filters.filter((filter) => filter.field !== field).map(passes);
  const passing = rows.filter((row) => others.every((each) => each(row)));
  const tally = (test: Passes): Tally => ({
    total: rows.filter(test).length,
    count: passing.filter(test).length,
  });
  const values = rows.map((row) => row[field]).filter((value) => value !== undefined && value !== null);
  const places = values.map(axisOf);
  const isOnAxis = values.length > 0 && !places.includes(null);
  const shared = {
    field,
    rows: tally(() => true),
    absent: tally((row) => row[field] === undefined),
    nulls: tally((row) => row[field] === null),
    empty: tally((row) => row[field] === ''),
    others: { total: 0, count: 0 },
    distinct: new Set(values.map(String)).size,
  };
  if (isOnAxis) {
    const axis = places.map(Number);
    const [min, max] = [Math.min(...axis), Math.max(...axis)];
    const count = max > min ? BARS : 1;
    const edge = (at: number): number => (at === count ? max : min + ((max - min) * at) / count);
    const bars = Array.from({ length: count }, (_, at) => {
      const span = { from: edge(at), to: edge(at + 1), includesTo: at === count - 1 };
      return { ...span, ...tally(passes({ kind: 'range', field, ...span })) };
    });
    return { ...shared, kind: isTime(values[0]) ? 'time' : 'number', bars, tops: [] };
  }
  const counts = new Map<string, number>();
  for (const value of values.map(String)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const tops = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 10)
    .map(([value]) => ({
      value,
      ...tally(passes({ kind: 'values', field, values: [value], excludes: false })),
    }));
  return { ...shared, kind: typeof values[0] === 'boolean' ? 'boolean' : 'text', bars: [], tops };
}
