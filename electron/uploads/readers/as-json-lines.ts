/** The rows of a file as one JSON record in each line, however the file is written. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dialect } from '../../shared/dialect.ts';
import { writeExact } from '../../shared/exact-json.ts';
import type { WholeType } from '../../shared/file-profile.ts';
import { TypeScan } from '../sniff/type-scan.ts';
import { openSource, readRows } from './open-source.ts';
import type { SourceRow } from './row-source.ts';

/**
 * Cells are texts; those that mean "no value" in their column, by `nulls` or in every one, are null. Answers how many rows were written, and how many are no rows and
 * were left out, and the type of each column over all of them. Throws FILE_* errors.
 */
export async function writeJsonLines(
  path: string,
  dialect: Dialect,
  nulls: Readonly<Record<string, readonly string[]>>,
  target: string,
): Promise<{ rows: number; badRows: number; types: WholeType[] }> {
  const source = await openSource(path, dialect);
  const counts = { rows: 0, badRows: 0 };
  const nullWordsOf = (name: string) => new Set([...dialect.nullWords, ...(nulls[name] ?? [])]);
  const nullWords = new Map((source.header ?? []).map((name) => [name, nullWordsOf(name)]));
  const types = new TypeScan(source.header, nullWords);
  const recordOf = ({ cells, record }: SourceRow): unknown =>
    cells === null
      ? record
      : Object.fromEntries(
          (source.header ?? []).map((name, index) => {
            const cell = cells[index] ?? null;
            return [name, cell !== null && nullWords.get(name)?.has(cell.trim()) === true ? null : cell];
          }),
        );
  const lines = async function* () {
    for await (const { rows } of readRows(source, path, { start: source.dataStart })) {
      const good = rows.filter(({ problem }) => problem === null);
      counts.rows += good.length;
      for (const row of good) types.add(row);
      counts.badRows += rows.length - good.length;
      yield good.map((row) => `${writeExact(recordOf(row))}\n`).join('');
    }
  };
  try {
    await pipeline(Readable.from(lines()), createWriteStream(target, { mode: 0o600 }));
    return { ...counts, types: types.list() };
  } finally {
    await source.close();
  }
}
