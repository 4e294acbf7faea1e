/** Finds another quote character for rows that cannot be read with the one guessed from the beginning of the file. */
import { counted, numberText } from '../../shared/count-text.ts';
import type { Dialect } from '../../shared/dialect.ts';
import type { OtherReading } from '../../shared/upload-model.ts';
import { canSeparate } from '../readers/encoding.ts';
import { readRows, type Source } from '../readers/open-source.ts';
import type { RowPosition } from '../readers/row-source.ts';

type Signs = Pick<Dialect, 'quote' | 'escape'>;

/** Maximum number of rows tried, and maximum bytes of each. */
export const MAX_TRIED_ROWS = 50;
const TRIED_BYTES = 64 * 1024;

const OTHERS: readonly (Signs & { words: string })[] = [
  { quote: '"', escape: null, words: 'with the quote " (--quote double)' },
  { quote: "'", escape: null, words: "with the quote ' (--quote single)" },
  { quote: '"', escape: '\\', words: 'with the escape \\ before quotes (--escape backslash)' },
];

/**
 * `places`: rows that are not well formed. Returns the quote and escape with which most of them are well formed, or
 * null if no other reading helps.
 */
export async function otherReading(
  source: Source,
  path: string,
  places: readonly RowPosition[],
): Promise<OtherReading | null> {
  const { dialect } = source;
  if (dialect.format !== 'csv' || places.length === 0) return null;
  const now = (signs: Signs) => signs.quote === dialect.quote && signs.escape === (dialect.escape ?? null);
  const usable = OTHERS.filter(
    (signs) =>
      !now(signs) &&
      signs.quote !== dialect.delimiter &&
      (signs.escape === null || canSeparate(dialect.encoding, '\\')),
  );
  let best: { words: string; signs: Signs; count: number } | null = null;
  for (const { words, ...signs } of usable) {
    const other = { ...source, dialect: { ...dialect, ...signs } };
    let count = 0;
    for (const place of places) if (await isWellFormed(other, path, place)) count += 1;
    if (count > (best?.count ?? 0)) best = { words, signs, count };
  }
  if (best === null || best.count * 2 < places.length) return null;
  const { quote, escape: escaping = null } = best.signs;
  const counts = { rows: best.count, of: places.length, line: places[0]?.line ?? 1 };
  return { quote, escape: escaping, ...counts };
}

/** The note in the result of a check about the other quotes. */
export function otherReadingNote({ quote, escape: escaping, rows, of, line }: OtherReading): string {
  const tried = of === 1 ? '1 row' : `${numberText(rows)} of ${counted(of, 'row')}`;
  const words =
    OTHERS.find((each) => each.quote === quote && (each.escape ?? null) === escaping)?.words ?? '';
  return `${tried} that cannot be read (first in line ${numberText(line)}) can be read ${words}. Check whether the whole file is written so.`;
}

async function isWellFormed(source: Source, path: string, start: RowPosition): Promise<boolean> {
  const endByte = start.byteOffset + TRIED_BYTES;
  for await (const { rows } of readRows(source, path, { start, endByte, chunkBytes: 4_096 })) {
    const [first] = rows;
    if (first !== undefined) return first.problem === null;
  }
  return false;
}
