/** How the values of one column are parsed: decided by all of its values, or by a person. */
import { AppError } from './errors.ts';
import * as z from './zod.ts';

/** Longer texts are not words for "no value". */
const NULL_WORD_CHARS = 40;
const MAX_NULL_WORDS = 50;
const ZONE_CHARS = 60;

/** Unit of a number in a time column, since 1970, except for the days of spreadsheets, which count from 1900. */
export const EPOCH_UNITS = ['s', 'ms', 'us', 'ns', 'excel'] as const;

/** Missing parts are decided from the values of the column. */
export const DATE_ORDERS = ['day-first', 'month-first', 'year-first'] as const;
export type DateReading = (typeof DATE_ORDERS)[number];

export const columnReading = z.strictObject({
  /** Words that mean "no value" in this column, in addition to empty cells. */
  nulls: z.array(z.string().max(NULL_WORD_CHARS)).max(MAX_NULL_WORDS).optional(),
  /** Decimal separator. The other one, of point and comma, separates thousands. */
  decimal: z.enum(['point', 'comma']).optional(),
  /** Order of day and month in dates such as 03/05/2026; the year can be first if it has two digits, as in 26-05-03. */
  days: z.enum(DATE_ORDERS).optional(),
  /**
   * Zone of times that state none: an IANA name, or an offset such as +02:00. If absent, such times are sent unchanged.
   */
  zone: z.string().max(ZONE_CHARS).optional(),
  /** Unit of numbers in a column of times. */
  unit: z.enum(EPOCH_UNITS).optional(),
});
export type ColumnReading = z.infer<typeof columnReading>;

/** A column whose values can be parsed in several ways with different results. */
export const columnQuestion = z.object({
  source: z.string(),
  /** The field of `ColumnReading` that holds the answer. */
  kind: z.enum(['decimal', 'days']),
  /** Why the values leave the question open. */
  reason: z.string(),
  readings: z.array(
    z.object({
      /** The answer that selects this reading. */
      id: z.enum(['point', 'comma', ...DATE_ORDERS]),
      /** Examples from the same cells in every reading; `after` is null if the text is not a value in this reading. */
      examples: z.array(z.object({ line: z.number(), before: z.string(), after: z.string().nullable() })),
    }),
  ),
});
export type ColumnQuestion = z.infer<typeof columnQuestion>;

/** The meaning of each reading, for people. */
export const READING_WORDS: Readonly<Record<ColumnQuestion['readings'][number]['id'], string>> = {
  point: 'the point separates decimals',
  comma: 'the comma separates decimals',
  'day-first': 'the day comes first',
  'month-first': 'the month comes first',
  'year-first': 'the year comes first',
};

/** Number of ways in which a column can be read, in words. */
export const waysText = ({ readings }: Pick<ColumnQuestion, 'readings'>): string =>
  readings.length > 2 ? 'three ways' : 'two ways';

/** The command-line flag that answers a question of this kind. */
function questionFlag({ kind, source, readings }: ColumnQuestion): string {
  if (kind === 'decimal') {
    const flags = `--decimal ${source}=comma or --decimal ${source}=point`;
    const isMixed = readings.every(({ examples }) => examples.some(({ after }) => after === null));
    return isMixed ? `${flags}, or read both forms with --repair ${source}=decimal-comma` : flags;
  }
  return readings.map(({ id }) => `--date-order ${source}=${id}`).join(' or ');
}

/** The error that ends an upload before anything is sent; `questions`: at least one. */
export function questionError(questions: readonly ColumnQuestion[]): AppError {
  const [first, ...others] = questions;
  const texts = (first?.readings ?? []).map(({ id, examples }) => {
    const shown = examples.map(({ before, after }) => `${before} is ${after ?? 'no value of the column'}`);
    return `${READING_WORDS[id]} (${shown.join(', ')})`;
  });
  const more =
    others.length === 0 ? '' : ` The same goes for ${others.map(({ source }) => source).join(', ')}.`;
  return new AppError(
    'NEEDS_DECISION',
    `“${first?.source ?? ''}” can be read in ${waysText({ readings: first?.readings ?? [] })}. ${first?.reason ?? ''} Either ${texts.join(', or ')}.${more} Nothing was sent.`,
    { nextStep: `Say which with ${questions.map(questionFlag).join('; ')}` },
  );
}
