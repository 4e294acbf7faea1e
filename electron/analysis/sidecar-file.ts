/** Builds the sidecar of a list: a file with typed columns for its stored rows. Runs in the analysis process. */
import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type KeptRows, readKept } from '../db/kept-tables.ts';
import { IS_SOUND, WHOLE_RECORD } from '../db/list-reads.ts';
import { openToRead } from '../db/open-file.ts';
import { systemClock } from '../platform/system.ts';
import { COLUMN_KINDS } from '../shared/analysis-model.ts';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { isRawNumber, mayLose, parseExact, writeExact } from '../shared/exact-json.ts';
import { giveMode } from '../shared/file-modes.ts';
import { soundJson } from '../shared/record-parts.ts';
import * as z from '../shared/zod.ts';
import { ColumnScan, type SidecarColumn } from './column-scan.ts';
import { withEngine } from './engine.ts';
import { fillRows } from './sidecar-sql.ts';
import { quoteText } from './sql-text.ts';
import { readUnion, type UnionPart } from './union-rows.ts';
import { useFile, useRoomFor } from './wide-rows.ts';

interface StoredSource {
  /** Path of the store with the connection's lists. */
  libraryFile: string;
  generationId: number;
}
export type SidecarSource = StoredSource | { libraryFile: string; parts: readonly UnionPart[] } | KeptRows;

const builtSidecar: z.ZodType<BuiltSidecar> = z.object({
  rows: z.int(),
  columns: z.array(
    z.object({
      path: z.array(z.string()),
      kind: z.enum(COLUMN_KINDS),
      precision: z.object({ width: z.int(), scale: z.int() }).optional(),
      hasNulls: z.boolean().optional(),
    }),
  ),
});
interface BuiltSidecar {
  rows: number;
  columns: readonly SidecarColumn[];
}

const PROGRESS_EVERY_ROWS = 10_000;
/**
 * Number of neighbouring rows in a sample group. Neighbours are read together, while the groups cover the whole list.
 */
const NEIGHBOURS = 4;

/** Writes the sidecar to `target`, which appears atomically. */
export async function buildSidecar(
  source: SidecarSource,
  target: string,
  spillFolder: string,
  onProgress: (rows: number) => void,
): Promise<BuiltSidecar> {
  // Uses a folder of its own, because another process may be preparing the same list.
  const home = await mkdtemp(`${target}.part-`);
  const part = join(home, 'rows');
  try {
    const built = await withEngine({ spillFolder }, async (connection) => {
      const filled = await fillTable(connection, recordsOf(source), onProgress, (columns) =>
        useFile(connection, { file: part, database: 'sidecar', columns }),
      );
      await connection.run(`CREATE TABLE about AS SELECT ${quoteText(JSON.stringify(filled))} AS sidecar`);
      await connection.run('CHECKPOINT');
      return filled;
    });
    await giveMode(part, 0o600, { stat, chmod });
    await whenFreeLater(() => rename(part, target));
    return built;
  } finally {
    await rm(home, WITH_RETRIES);
  }
}

export function recordsOf(source: SidecarSource): Iterable<readonly [number, string]> {
  if ('name' in source) return readKept(source, systemClock.nowMs());
  return 'parts' in source ? readUnion(source.libraryFile, source.parts) : readRecords(source, {});
}

/**
 * Creates the table `rows` in the engine, from records with their positions. `database`: name of a new database for it;
 * default: any.
 */
export const fill = (
  connection: DuckDBConnection,
  records: Iterable<readonly [number, string]>,
  {
    spillFolder,
    database = null,
    onProgress = () => undefined,
  }: { spillFolder: string; database?: string | null; onProgress?: (rows: number) => void },
): Promise<BuiltSidecar> =>
  fillTable(connection, records, onProgress, (columns) =>
    useRoomFor(connection, { columns, spillFolder, database }),
  );

/** `useDatabase`: makes the database current in which the table is created, once its number of columns is known. */
async function fillTable(
  connection: DuckDBConnection,
  records: Iterable<readonly [number, string]>,
  onProgress: (rows: number) => void,
  useDatabase: (columns: number) => Promise<void>,
): Promise<BuiltSidecar> {
  await connection.run('CREATE TEMP TABLE raw (position BIGINT, record VARCHAR)');
  const scan = new ColumnScan();
  let rows = 0;
  const appender = await connection.createAppender('raw');
  for (const [position, text] of records) {
    const { record, held } = readForEngine(text);
    scan.add(record);
    appender.appendBigInt(BigInt(position));
    appender.appendVarchar(held);
    appender.endRow();
    rows += 1;
    if (rows % PROGRESS_EVERY_ROWS === 0) {
      appender.flushSync();
      onProgress(rows);
    }
  }
  appender.flushSync();
  appender.closeSync();
  const columns = scan.columns();
  await useDatabase(columns.length);
  await connection.run(fillRows(columns));
  await connection.run('DROP TABLE raw');
  return { rows, columns };
}

/** The parsed record of a JSON text, and the text that the engine reads instead of it. */
export function readForEngine(text: string): { record: unknown; held: string } {
  const isExact = mayLose(text);
  const record: unknown = isExact ? parseExact(text) : JSON.parse(text);
  const held = isExact ? writeExact(withExactDecimalsAsText(record)) : text;
  return { record, held: HALF_SIGN.test(held) ? wellFormed(record) : held };
}

/** The escape of a lone surrogate, which the engine does not accept as JSON. */
const HALF_SIGN = /\\ud[89a-f]/i;

/** The JSON with a replacement character for each lone surrogate. The record itself is not changed. */
const wellFormed = (record: unknown): string =>
  writeExact(withExactDecimalsAsText(record)).replace(
    /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi,
    String.raw`\ufffd`,
  );

/** A row that is not JSON is reported as damaged, with its position. */
function soundRow(row: unknown): [number, string] {
  const [position, json, isSound] = row as [number, string, number];
  return [position, isSound === 1 ? json : soundJson(json)];
}

/** `sample`: approximate number of rows, taken from the whole list. `positions`: only these rows, in this order. */
export function* readRecords(
  { libraryFile, generationId }: StoredSource,
  { sample, positions = null }: { sample?: number | undefined; positions?: Int32Array | null },
): Generator<[number, string]> {
  const db = openToRead(libraryFile, 'copy');
  try {
    const last = db
      .prepare('SELECT coalesce(max(position), -1) FROM list_row WHERE generation_id = ?')
      .pluck()
      .get(generationId) as number;
    const step = sample === undefined ? 1 : Math.max(1, Math.floor((last + 1) / sample));
    const select = `SELECT position, ${WHOLE_RECORD}, ${IS_SOUND} FROM list_row WHERE generation_id = ?`;
    if (positions !== null) {
      const one = db.prepare(`${select} AND position = ?`).raw();
      // All rows are read in the same state, even if the list is refreshed meanwhile.
      db.exec('BEGIN');
      for (const position of positions) {
        const row = one.get(generationId, position);
        if (row !== undefined) yield soundRow(row);
      }
      return;
    }
    if (step === 1) {
      const rows = db.prepare(`${select} ORDER BY position`).raw().iterate(generationId);
      for (const row of rows) yield soundRow(row);
      return;
    }
    const some = db.prepare(`${select} AND position >= ? ORDER BY position LIMIT ${NEIGHBOURS}`).raw();
    for (let from = 0; from <= last; from += step * NEIGHBOURS) {
      const rows = some.all(generationId, from).map(soundRow);
      yield* rows;
      // If rows are missing, continue after the gap.
      from = Math.max(from, (rows.at(-1)?.[0] ?? last) + 1 - step * NEIGHBOURS);
    }
  } finally {
    db.close();
  }
}

/**
 * The engine reads a number with a fraction as a double, so a number that a double cannot represent is passed as text.
 */
function withExactDecimalsAsText(value: unknown): unknown {
  if (isRawNumber(value)) return /^-?\d+$/.test(value.digits) ? value : value.digits;
  if (Array.isArray(value)) return value.map(withExactDecimalsAsText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withExactDecimalsAsText(part)]));
}

/** The description stored in an open sidecar. `database`: the name under which it is attached. */
export async function readAbout(connection: DuckDBConnection, database?: string): Promise<BuiltSidecar> {
  const about = database === undefined ? 'about' : `${database}.about`;
  const [row] = (await connection.runAndReadAll(`SELECT sidecar FROM ${about}`)).getRowsJS();
  return builtSidecar.parse(JSON.parse(String(row?.[0])));
}
