import * as z from './zod.ts';

/** Last line in which a header may be. */
export const MAX_HEADER_LINE = 100_000;

/** Keys of the objects into which interfaces put the values of a record. */
export const WRAPPERS = ['fields', 'node', 'attributes', 'properties'] as const;
export type Wrapper = (typeof WRAPPERS)[number];

/** How the text of a file is parsed. Guessed from its content; every part can be overridden. */
export const dialect = z.strictObject({
  format: z.enum(['csv', 'jsonl', 'json']),
  /** Encoding name of iconv-lite, e.g. `utf-8`, `utf-16le`, `windows-1252`. */
  encoding: z.string().min(1).max(40),
  /** One character; CSV only. */
  delimiter: z.string().length(1),
  quote: z.enum(['"', "'", 'none']),
  /** Character that makes the following one literal; null and absent: a quote in a quoted cell is doubled. CSV only. */
  escape: z.enum(['\\']).nullish(),
  hasHeader: z.boolean(),
  /**
   * Line of the header, or of the first row if there is none; 1-based. Earlier lines are skipped. Null and absent: the
   * first line that is not blank. CSV only.
   */
  headerLine: z.int().min(1).max(MAX_HEADER_LINE).nullish(),
  /** Each row begins with one more cell than the header has names: the index of the table. */
  hasIndex: z.boolean().nullish(),
  /** Number of cells that each row has beyond the names in the header. */
  trailing: z.int().min(0).max(10_000).nullish(),
  /** Cell texts that mean "no value" and are sent as JSON null. An empty cell always means that. */
  nullWords: z.array(z.string().max(40)).max(50),
  /** The sheet of a workbook, or the list of a JSON document; null and absent: the one that is found. */
  sheet: z.string().max(200).nullish(),
  /**
   * Key of the object whose values are the columns of each row. Null and absent: the values of the row itself. JSON
   * only.
   */
  wrapper: z.enum(WRAPPERS).nullish(),
});
export type Dialect = z.infer<typeof dialect>;

/** Default dialect of a file that could not be read at all, so that a person can correct it. */
export const PLAIN_CSV: Dialect = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
};

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  '\t': 'tab',
  ';': 'semicolon',
  '|': 'bar',
  ' ': 'space',
  '\u0001': 'Ctrl-A',
  '\u001f': 'unit separator',
};

/** Name of a delimiter in a sentence: a word for a character that is hard to see, otherwise the character in quotes. */
export const delimiterName = (delimiter: string): string => DELIMITER_NAMES[delimiter] ?? `“${delimiter}”`;
