/** From the flags that say how values are read to the readings of the columns of a file, as its first rows show them. */
import type { ColumnReading } from '../shared/column-reading.ts';
import type { PreviewColumn } from '../shared/upload-model.ts';
import type { ValueReading } from '../shared/value-readings.ts';
import { readNumber } from '../uploads/validate/number-reading.ts';
import { readTime } from '../uploads/validate/timestamps.ts';
import type { CommandContext } from './context.ts';
import { readingOfAll, unfitFlags, withValueFlags } from './value-flags.ts';

type Column = Pick<PreviewColumn, 'type' | 'reading'> & { source: string; samples: readonly string[] };

/**
 * One reading for each column, and one for those that only later rows have. A note names each flag that no column fits.
 * Throws INVALID_ARGUMENT.
 */
export function valueReadings(
  { args, output }: Pick<CommandContext, 'args' | 'output'>,
  columns: readonly PreviewColumn[],
): ValueReading[] {
  const plain = columns.map(({ name, ...rest }): Column => ({ ...rest, source: name }));
  const every = readingOfAll(args);
  const known = withValueFlags(args, plain, () => false).map((column, at) => {
    const type = typeBy(every, column);
    return { ...(plain[at] ?? column), type: type ?? plain[at]?.type ?? column.type };
  });
  for (const flag of unfitFlags(args, known))
    output.note(`No column of the file fits --${flag}. It changes nothing.`);
  const readings = withValueFlags(args, known, () => false).map(
    ({ source, type, reading = {} }): ValueReading => ({ source, type, reading }),
  );
  const { nulls } = every;
  return nulls === undefined ? readings : [...readings, { source: null, type: 'json', reading: { nulls } }];
}

/** Number or time, if the sampled texts of a column are such in the reading given for all columns; else null. */
function typeBy({ decimal, days }: ColumnReading, { type, samples, reading }: Column): Column['type'] | null {
  const values = samples.filter((text) => reading?.nulls?.includes(text) !== true);
  if ((type !== 'str' && type !== 'category') || values.length === 0) return null;
  if (decimal !== undefined && values.every((text) => readNumber(text, decimal) !== null)) return 'float';
  if (days !== undefined && values.every((text) => typeof readTime(text, { days }) !== 'string'))
    return 'timestamp';
  return null;
}
