/** The rows of a checked file by outcome. */
import type { DryRun } from './upload-model.ts';

/** Rows = good + unusual + bad. */
export function checkedRows({
  rows,
  badRows,
  unusualRows = 0,
}: Pick<DryRun, 'rows' | 'badRows' | 'unusualRows'>): { good: number; unusual: number; bad: number } {
  return { good: rows - unusualRows - badRows, unusual: unusualRows, bad: badRows };
}
