/** How values of a file are parsed if they do not become rows of an upload: in a profile, and as spans of a build. */
import { columnReading } from './column-reading.ts';
import { COLUMN_TYPES } from './upload-model.ts';
import * as z from './zod.ts';

const valueReading = z.strictObject({
  /** Null: every column that has no reading of its own, such as keys that only later rows have. */
  source: z.string().nullable(),
  /** Type of the values, only for numbers and times. Values of other types change only by null words. */
  type: z.enum(COLUMN_TYPES),
  reading: columnReading,
});
export type ValueReading = z.infer<typeof valueReading>;

/** At most one for each column. */
export const valueReadings = z.array(valueReading).max(10_000);
