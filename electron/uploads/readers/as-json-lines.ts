/** Writes the rows of a file of any format as one JSON record per line. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dialect } from '../../shared/dialect.ts';
import { writeExact } from '../../shared/exact-json.ts';
import type { WholeType } from '../../shared/file-profile.ts';
import type { ValueReading } from '../../shared/value-readings.ts';
import { TypeScan } from '../sniff/type-scan.ts';
import { NULL_MARK } from '../validate/column-evidence.ts';
import { openSource, readRows } from './open-source.ts';
import { type Misfits, RowFields } from './row-fields.ts';
import type { SourceRow } from './row-source.ts';

/**
 * Writes cells as texts, except in columns with an entry in `readings`, whose values are converted. Null words of the
 * file or of the column become null. Returns the number of rows written, the number of bad rows left out, the type of
 * each column over all rows, and the values that do not fit the reading of their column. Throws FILE_* errors.
 */
export async function writeJsonLines(
  path: string,
  dialect: Dialect,
  readings: readonly ValueReading[],
  target: string,
): Promise<{ rows: number; badRows: number; types: WholeType[]; misfits: Misfits[] }> {
  const source = await openSource(path, dialect);
  const counts = { rows: 0, badRows: 0 };
  const { header } = source;
  const fields = new RowFields(header, header === null ? readings : withNullWords(header, dialect, readings));
  const types = new TypeScan(header, new Map());
  const read = (row: SourceRow): string => {
    const { fields: record } = fields.read(row);
    types.add(
      row.cells === null
        ? { ...row, record }
        : { ...row, cells: (header ?? []).map((name) => String(record[name] ?? '')) },
    );
    return `${writeExact(record)}\n`;
  };
  const lines = async function* () {
    for await (const { rows } of readRows(source, path, { start: source.dataStart })) {
      const good = rows.filter(({ problem }) => problem === null);
      counts.rows += good.length;
      counts.badRows += rows.length - good.length;
      yield good.map(read).join('');
    }
  };
  try {
    await pipeline(Readable.from(lines()), createWriteStream(target, { mode: 0o600 }));
    return { ...counts, types: types.list(), misfits: fields.misfits() };
  } finally {
    await source.close();
  }
}

/** Returns a reading for each column of a table, with the file's null words added. */
function withNullWords(
  header: readonly string[],
  { nullWords }: Dialect,
  readings: readonly ValueReading[],
): ValueReading[] {
  const other = readings.find(({ source }) => source === null);
  const bySource = new Map(readings.map((each) => [each.source, each]));
  return header.map((name) => {
    const { type, reading } = bySource.get(name) ?? other ?? { type: 'str', reading: {} };
    const own = reading.nulls ?? [NULL_MARK];
    return { source: name, type, reading: { ...reading, nulls: [...nullWords, ...own] } };
  });
}
