/** Rows of a file that cannot be sent, and what a person can do about them. */
import type { ItemsPlan } from '../shared/items-model.ts';
import type { BadRow } from '../shared/upload-model.ts';
import { counted } from './human-text.ts';

const MAX_LINES = 3;

/**
 * The advice for bad rows. `bad`: those that are known; if all of them are lines that cannot be read as rows, no reading
 * of values helps.
 */
export function badRowsStep(bad: readonly BadRow[] = [], leaveOut = '--policy skip'): string {
  if (bad.length > 0 && bad.every(({ column }) => column === null))
    return `Correct these lines in the file, or leave them out (${leaveOut}).`;
  return `Read values such as these as no value (--null COLUMN=VALUE), change them (--repair), correct the file, or leave the rows out (${leaveOut}).`;
}

/** The advice for rows that become items, or results of an experiment, whose values are not repaired. */
export const badItemsStep = (
  { experiment }: Pick<ItemsPlan, 'experiment'>,
  bad: readonly BadRow[] = [],
): string =>
  experiment === undefined || experiment === null
    ? badRowsStep(bad, '--on-bad-row skip')
    : 'Correct these rows in the file, or leave them out (--on-bad-row skip).';

/** One line for each value of a column with the same reason, the most frequent first. */
export function badRowLines(bad: readonly BadRow[]): string[] {
  const groups = new Map<string, BadRow[]>();
  for (const row of bad) {
    const key = JSON.stringify([row.column, row.value, row.reason]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()]
    .toSorted((a, b) => b.length - a.length)
    .map((rows) => {
      const [{ column, value, reason }, lines] = [rows[0] ?? bad[0], rows.map(({ line }) => line)] as [
        BadRow,
        number[],
      ];
      const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, MAX_LINES).join(', ')}${lines.length > MAX_LINES ? ' …' : ''}`;
      const what = column === null ? '' : `, ${column}${value === null ? '' : ` ${JSON.stringify(value)}`}`;
      return `${where}${what}: ${reason}${lines.length === 1 ? '' : ` (${counted(lines.length, 'row')})`}`;
    });
}
