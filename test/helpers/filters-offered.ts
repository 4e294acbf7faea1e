import type { ColumnFilter, ColumnProfile } from '../../electron/shared/analysis-model.ts';

/** The filters of all clickable parts of a column summary, including the one for missing values. */
export function filtersOffered({
  field,
  bars,
  tops,
  absent,
  nulls,
  empty,
}: ColumnProfile): [ColumnFilter, number][] {
  return [
    ...bars.map(({ from, to, includesTo, count }): [ColumnFilter, number] => [
      { kind: 'range', field, from, to, includesTo },
      count,
    ]),
    ...tops.map(({ value, count }): [ColumnFilter, number] => [
      { kind: 'values', field, values: [value], excludes: false },
      count,
    ]),
    [{ kind: 'emptiness', field, is: 'absent' }, absent.count],
    [{ kind: 'emptiness', field, is: 'null' }, nulls.count],
    [{ kind: 'emptiness', field, is: 'empty' }, empty.count],
    [{ kind: 'emptiness', field, is: 'missing' }, absent.count + nulls.count + empty.count],
  ];
}
