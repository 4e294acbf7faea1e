import { z } from 'zod';

/** How the text of a file is to be read. Guessed from its content; every part can be overridden. */
export const dialect = z.strictObject({
  format: z.enum(['csv', 'jsonl', 'json']),
  /** Name as iconv-lite knows it, e.g. `utf-8`, `utf-16le`, `windows-1252`. */
  encoding: z.string().min(1).max(40),
  /** One character; CSV only. */
  delimiter: z.string().length(1),
  quote: z.enum(['"', "'", 'none']),
  hasHeader: z.boolean(),
  /** Cell texts that mean "no value" and are sent as JSON null. The empty cell is always one. */
  nullWords: z.array(z.string().max(40)).max(50),
  /** Of a workbook: the sheet; null and absent: the first that holds something. */
  sheet: z.string().max(200).nullish(),
});
export type Dialect = z.infer<typeof dialect>;

/** What is assumed of a file that could not be read at all, so that it can be corrected. */
export const PLAIN_CSV: Dialect = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
};
