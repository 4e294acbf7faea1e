/** Profiles of fake rows that look like those of the analysis process. */
import type { ColumnFilter, ListProfile } from '../../../electron/shared/analysis-model.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import { profileRows } from '../../../renderer/lib/row-profiles.ts';
import { scenario } from './scenario.ts';

type Row = Record<string, unknown>;

const SAMPLE = 400;
const DISK_FULL: WireError = {
  code: 'DISK_FULL',
  title: 'The disk is full',
  message: 'The disk has no room to prepare the columns of this list. Free some space, then try again.',
  retry: 'later',
  details: {},
};

/** Throws the error of a full disk if the scenario requires it. */
export function profileOf(
  rows: readonly Row[],
  totalRows: number,
  { fields, filters }: { fields: readonly string[]; filters: readonly ColumnFilter[] },
): ListProfile {
  if (scenario.profiles === 'failed') throw DISK_FULL;
  const isSample = scenario.profiles === 'sample';
  const looked = (isSample ? rows.slice(0, SAMPLE) : rows).map(flat);
  return {
    isSample,
    preparation: isSample ? { rows: Math.floor(rows.length / 3), totalRows: rows.length } : null,
    storedRows: rows.length,
    matchingRows: rows.length,
    totalRows,
    isComplete: rows.length >= totalRows,
    columns: profileRows(
      looked,
      fields.filter((field) => looked.some((row) => row[field] !== undefined)),
      filters,
    ),
  };
}

/** Makes fields of nested objects separate fields, with the names that the analysis process uses. */
export function flat(row: Row): Row {
  const inner = Object.entries(row).flatMap(([field, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([key, part]) => [`${field}.${key}`, part] as const)
      : [],
  );
  return { ...row, ...Object.fromEntries(inner) };
}
