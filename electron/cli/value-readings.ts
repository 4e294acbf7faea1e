/** Converts the flags for values to readings of a file's columns, using its first rows. */
import { READING_WORDS } from '../shared/column-reading.ts';
import type { PreviewColumn } from '../shared/upload-model.ts';
import type { ValueReading } from '../shared/value-readings.ts';
import type { CommandContext } from './context.ts';
import { withValueFlags } from './value-columns.ts';
import { readingOfAll, refuseUnfit } from './value-flags.ts';

/**
 * One reading for each column, and one for columns that occur only in later rows. Throws INVALID_ARGUMENT, also for a
 * flag that fits no column.
 */
export function valueReadings(
  { args }: Pick<CommandContext, 'args'>,
  columns: readonly PreviewColumn[],
): ValueReading[] {
  const plain = columns.map(({ name, ...rest }) => ({ ...rest, source: name }));
  const read = withValueFlags(args, plain, { samplesOf: ({ samples }) => samples });
  refuseUnfit(read.unfit);
  const readings = read.columns.map(
    ({ source, type, reading = {} }): ValueReading => ({ source, type, reading }),
  );
  const { nulls } = readingOfAll(args);
  return nulls === undefined ? readings : [...readings, { source: null, type: 'json', reading: { nulls } }];
}

/** One sentence for each column that is parsed differently from the proposal because of a flag. */
export function readingNotes(columns: readonly PreviewColumn[], readings: readonly ValueReading[]): string[] {
  const proposed = new Map(columns.map((column) => [column.name, column]));
  return readings.flatMap(({ source, type, reading }) => {
    const before = source === null ? undefined : proposed.get(source);
    if (before === undefined || isSame(before, { type, reading })) return [];
    return [`“${before.name}” is read as ${[type, ...wordsOf(reading)].join('; ')}.`];
  });
}

const isSame = (before: PreviewColumn, { type, reading }: Omit<ValueReading, 'source'>): boolean =>
  before.type === type && JSON.stringify(before.reading ?? {}) === JSON.stringify(reading);

function wordsOf({ decimal, days, zone, unit, nulls = [] }: ValueReading['reading']): string[] {
  return [
    ...(decimal === undefined ? [] : [READING_WORDS[decimal]]),
    ...(days === undefined ? [] : [READING_WORDS[days]]),
    ...(zone === undefined ? [] : [`times without a zone are in ${zone}`]),
    ...(unit === undefined ? [] : [`numbers count ${unit === 'excel' ? 'days since 1900' : unit}`]),
    ...(nulls.length === 0 ? [] : [`no value: ${nulls.join(', ')}`]),
  ];
}
