/** How values of a file are parsed if they do not become rows of an upload: for a profile, and as spans of a basket. */
import { columnReading } from './column-reading.ts';
import { COLUMN_TYPES } from './upload-model.ts';
import * as z from './zod.ts';

const valueReading = z.strictObject({
  /** Null: every column without its own reading, such as keys that only later rows have. */
  source: z.string().nullable(),
  /** Type that its values are parsed as; only for numbers and times. Other values change only by null words. */
  type: z.enum(COLUMN_TYPES),
  reading: columnReading,
});
export type ValueReading = z.infer<typeof valueReading>;

/** At most one for each column. */
export const valueReadings = z.array(valueReading).max(10_000);
