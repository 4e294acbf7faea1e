import { z } from 'zod';

/** Further down no header is looked for. */
export const MAX_HEADER_LINE = 100_000;

/** How the text of a file is to be read. Guessed from its content; every part can be overridden. */
export const dialect = z.strictObject({
  format: z.enum(['csv', 'jsonl', 'json']),
  /** Name as iconv-lite knows it, e.g. `utf-8`, `utf-16le`, `windows-1252`. */
  encoding: z.string().min(1).max(40),
  /** One character; CSV only. */
  delimiter: z.string().length(1),
  quote: z.enum(['"', "'", 'none']),
  /** Makes the character after it a part of the text; null and absent: a quote in a quoted cell is doubled. CSV only. */
  escape: z.enum(['\\']).nullish(),
  hasHeader: z.boolean(),
  /**
   * Line of the header, of the first row where there is none; 1-based. What stands before it is passed over. Null and
   * absent: the first line that is not blank. CSV only.
   */
  headerLine: z.int().min(1).max(MAX_HEADER_LINE).nullish(),
  /** Each row begins with a cell more than the header has names for: the index of the table. */
  hasIndex: z.boolean().nullish(),
  /** So many cells at the end of each row have no name in the header. */
  trailing: z.int().min(0).max(10_000).nullish(),
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
