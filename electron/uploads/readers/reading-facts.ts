/**
 * Counts irregularities that do not make a row bad but that a person should know about, with the line of the first one.
 * Pure.
 */

import { counted } from '../../shared/count-text.ts';
import { cutText } from '../../shared/cut-text.ts';

/** Texts of the facts, in the order in which they are shown. */
const WORDS = {
  'blank-before-quote': (cells: string) =>
    `${cells} with a blank before the quote: read as quoted, without the blank`,
  'quote-kept': (cells: string) =>
    `${cells} with a blank before a quote that does not enclose the whole cell: read as written, with the quotes`,
  'other-quote': (cells: string) =>
    `${cells} with " at the beginning, which is not the quote of this file: it stays in the text`,
  'header-again': (lines: string) => `${lines} skipped, equal to the header`,
  'order-mark': (lines: string) =>
    `${lines} with a byte order mark at the beginning, as in files that were joined: read without it`,
  'empty-row': (rows: string) => `${rows} without any value skipped`,
  nameless: (cells: string) => `${cells} in columns without a name that were skipped as empty`,
  'array-again': (arrays: string) => `${arrays} of rows after the first one: read as one list`,
  'not-finite': (values: string) =>
    `${values} written as NaN or Infinity, which JSON does not have: read as no value`,
  'last-of-key': (keys: string) => `${keys} more than once in one object: the last value was taken`,
  'typed-json': (values: string) =>
    `${values} with a type of MongoDB or DynamoDB around it: read as the value in it`,
  wrapped: (rows: string) =>
    `${rows} with the values in an object of their own, as Airtable, GraphQL, JSON:API, ArcGIS and GeoJSON write them: read as columns. Keys beside the object are columns with an underscore in front, such as _id`,
  'not-wrapped': (rows: string) =>
    `${rows} without the object that holds the values of the other rows, or with something else in its place: read as written`,
} as const;
type ReadingFact = keyof typeof WORDS;

const UNITS: Readonly<Record<ReadingFact, string>> = {
  'blank-before-quote': 'cell',
  'quote-kept': 'cell',
  'other-quote': 'cell',
  'header-again': 'line',
  'order-mark': 'line',
  'empty-row': 'row',
  nameless: 'value',
  'array-again': 'further list',
  'not-finite': 'value',
  'last-of-key': 'key',
  'typed-json': 'value',
  wrapped: 'row',
  'not-wrapped': 'row',
};

const MAX_EXAMPLE_CHARS = 80;

interface Found {
  count: number;
  line: number;
  example: string | null;
}

export class ReadingFacts {
  readonly #found = new Map<ReadingFact, Found>();

  /** `example`: the text found, if it is more informative than the line number alone. */
  add(fact: ReadingFact, line: number, count = 1, example: string | null = null): void {
    const found = this.#found.get(fact);
    if (found === undefined) this.#found.set(fact, { count, line, example });
    else found.count += count;
  }

  /** 0 if there is none. */
  count(fact: ReadingFact): number {
    return this.#found.get(fact)?.count ?? 0;
  }

  /** One sentence for each fact. */
  notes(): string[] {
    return (Object.keys(WORDS) as ReadingFact[]).flatMap((fact) => {
      const found = this.#found.get(fact);
      if (found === undefined) return [];
      const { count, line, example } = found;
      const place = count === 1 ? `line ${line}` : `first in line ${line}`;
      const shown = example === null ? '' : `, “${cutText(example, MAX_EXAMPLE_CHARS)}”`;
      return [`${WORDS[fact](counted(count, UNITS[fact]))} (${place}${shown}).`];
    });
  }
}
