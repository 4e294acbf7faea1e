/** Whether rows that cannot be read as the beginning of their file suggested can be read with other quotes. */
import { counted, numberText } from '../../shared/count-text.ts';
import type { Dialect } from '../../shared/dialect.ts';
import { canSeparate } from '../readers/encoding.ts';
import { readRows, type Source } from '../readers/open-source.ts';
import type { RowPosition } from '../readers/row-source.ts';

type Signs = Pick<Dialect, 'quote' | 'escape'>;

/** So many rows are tried at most, each with so many bytes. */
export const MAX_TRIED_ROWS = 50;
const TRIED_BYTES = 64 * 1024;

const OTHERS: readonly (Signs & { words: string })[] = [
  { quote: '"', escape: null, words: 'with the quote " (--quote double)' },
  { quote: "'", escape: null, words: "with the quote ' (--quote single)" },
  { quote: '"', escape: '\\', words: 'with the escape \\ before quotes (--escape backslash)' },
];

/** `places`: rows that are not well formed. A sentence on the reading that most of them are well formed in, or none. */
export async function otherReading(
  source: Source,
  path: string,
  places: readonly RowPosition[],
): Promise<string[]> {
  const { dialect } = source;
  if (dialect.format !== 'csv' || places.length === 0) return [];
  const now = (signs: Signs) => signs.quote === dialect.quote && signs.escape === (dialect.escape ?? null);
  const usable = OTHERS.filter(
    (signs) =>
      !now(signs) &&
      signs.quote !== dialect.delimiter &&
      (signs.escape === null || canSeparate(dialect.encoding, '\\')),
  );
  let best = { words: '', count: 0 };
  for (const { words, ...signs } of usable) {
    const other = { ...source, dialect: { ...dialect, ...signs } };
    let count = 0;
    for (const place of places) if (await isWellFormed(other, path, place)) count += 1;
    if (count > best.count) best = { words, count };
  }
  if (best.count * 2 < places.length || best.count === 0) return [];
  const of = places.length === 1 ? '1 row' : `${numberText(best.count)} of ${counted(places.length, 'row')}`;
  return [
    `${of} that cannot be read (first in line ${numberText(places[0]?.line ?? 1)}) can be read ${best.words}. Check whether the whole file is written so.`,
  ];
}

async function isWellFormed(source: Source, path: string, start: RowPosition): Promise<boolean> {
  const endByte = start.byteOffset + TRIED_BYTES;
  for await (const { rows } of readRows(source, path, { start, endByte, chunkBytes: 4_096 })) {
    const [first] = rows;
    if (first !== undefined) return first.problem === null;
  }
  return false;
}
