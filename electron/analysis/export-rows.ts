/** Writes rows to a file in one of the formats. Runs in the analysis process. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as duckdb from '@duckdb/node-api';
import { conversationLine } from '../core/items/conversation.ts';
import { heldRows } from '../db/stored-tables.ts';
import { systemClock } from '../platform/system.ts';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { delimitedLine } from '../shared/delimited.ts';
import { canonicalJson, isRawNumber, parseExact, writeExact } from '../shared/exact-json.ts';
import type { ExportColumn, ExportFormat, ExportTimes, SkippedRows } from '../shared/export-model.ts';
import type { ItemTable } from '../shared/item-cells.ts';
import { recordOf } from '../shared/sql-record.ts';
import { writeArrowFile } from './arrow-file.ts';
import { chosenOf, isChosenKey, unknownFields } from './chosen-fields.ts';
import { columnName, type SidecarColumn } from './column-scan.ts';
import { withEngine } from './engine.ts';
import { checkFolders, ExportRefused, partitionOf } from './export-folders.ts';
import { itemLines, itemTable, typedItems } from './item-rows.ts';
import { readLines } from './lines-file.ts';
import { LockedSql } from './locked-sql.ts';
import { asParquet, parquetFormat } from './parquet-types.ts';
import type { AnalysisRequest, ExportedRows, ExportedSource } from './protocol.ts';
import { toExactJson } from './row-json.ts';
import { fill, readAbout, readRecords } from './sidecar-file.ts';
import { placeColumn } from './sidecar-sql.ts';
import { Skips } from './skips.ts';
import { sortedLines, sortKey } from './sorted-lines.ts';
import { spokenSpans } from './spoken-spans.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { type NumberedColumn, numbered, timeTypes, viewColumns } from './view-columns.ts';

type Request = Omit<AnalysisRequest & { operation: 'export-rows' }, 'id' | 'operation'>;

interface Source {
  connection: duckdb.DuckDBConnection;
  /** Query with values in the engine's types, for typed formats. */
  typed: string;
  /** Query with times as their original texts. */
  texts: string;
  /** The JSON of each record, with all digits. */
  records: () => AsyncIterable<string> | Iterable<string>;
  times: () => Promise<ExportTimes[]>;
  onProgress: (rows: number) => void;
}

interface Written {
  rows: number;
  columns: ExportColumn[];
  /** The column whose values become names of folders. */
  partition?: string;
  skipped?: SkippedRows;
  spansRead?: number;
}

const PROGRESS_EVERY_ROWS = 10_000;
/** Number of rows joined into one text. */
const TEXT_ROWS = 500;

const WRITERS: { [F in ExportFormat]: (source: Source, request: Request) => Promise<Written> } = {
  csv: writeCsv,
  jsonl: writeJsonLines,
  parquet: writeParquet,
  arrow: writeArrow,
};

export async function exportRows(
  request: Request,
  onProgress: (rows: number) => void,
): Promise<ExportedRows | { refused: string }> {
  try {
    return await writeRows(request, onProgress);
  } catch (problem) {
    if (problem instanceof ExportRefused) return { refused: problem.message };
    throw problem;
  }
}

async function writeRows(request: Request, onProgress: (rows: number) => void): Promise<ExportedRows> {
  const { source, target } = request;
  await rm(target, WITH_RETRIES);
  const { written, times } = await withSource(source, request, async (open) => {
    const readable = { ...open, onProgress };
    const isTable = request.areItems === true && request.format !== 'jsonl' && request.partitionBy === null;
    const write = isTable ? writeItems : WRITERS[request.format];
    return { written: await write(readable, request), times: await open.times() };
  });
  const { partition, skipped = null, ...said } = written;
  const partitionedBy = partition ?? null;
  return { ...said, skipped, times, partitionedBy, ...(await sealOf(target, partitionedBy !== null)) };
}

type Open = Omit<Source, 'onProgress'>;

async function withSource<T>(
  source: ExportedSource,
  { target, columns, needsColumns = false, spillFolder }: Request,
  use: (open: Open) => Promise<T>,
): Promise<T> {
  const chosen = { chosen: columns, needsColumns };
  if (source.form === 'stored')
    return withEngine({ file: source.sidecar, isReadOnly: true, spillFolder }, async (connection) => {
      const { columns: all } = await readAbout(connection);
      const { stored, positions } = source;
      if (positions !== null) await choose(connection, positions);
      const records = () => readRecords(stored, { positions });
      return use(await filledSource(connection, all, { ...chosen, isOrdered: positions !== null, records }));
    });
  if (source.form !== 'sql')
    return withEngine({ spillFolder }, async (connection, ownFolder) => {
      const records = () => (source.form === 'lines' ? readLines(source.file) : heldRecords(source));
      const { columns: all } = await fill(connection, records(), { spillFolder: ownFolder });
      return use(await filledSource(connection, all, { ...chosen, isOrdered: false, records }));
    });
  const query = await LockedSql.open(source.sql, source.files, spillFolder, target);
  try {
    return await query.use((connection, select) => use(queried(connection, select)));
  } finally {
    query.close();
  }
}

function* heldRecords({ file, table }: ExportedSource & { form: 'held' }): Generator<[number, string]> {
  let position = 0;
  for (const row of heldRows(file, table, systemClock.nowMs())) {
    yield [position, writeExact(row)];
    position += 1;
  }
}

/**
 * The source for a table `rows` with the columns of a sidecar. `isOrdered`: only the rows in `chosen`, in its order.
 */
async function filledSource(
  connection: duckdb.DuckDBConnection,
  all: readonly SidecarColumn[],
  {
    chosen,
    needsColumns,
    isOrdered,
    records,
  }: {
    chosen: readonly string[] | null;
    needsColumns: boolean;
    isOrdered: boolean;
    records: () => Iterable<readonly [number, string]>;
  },
): Promise<Open> {
  const unknown = needsColumns && chosen !== null ? unknownFields(all, chosen) : null;
  if (unknown !== null) throw new ExportRefused(unknown);
  const columns = chosenOf(numbered(all), ({ column }) => column.path, chosen);
  const from = isOrdered ? 'FROM chosen JOIN rows USING (position)' : 'FROM rows';
  const inOrder = isOrdered ? `${from} ORDER BY chosen.place` : from;
  const paths = columns.map(({ column }) => column.path);
  return {
    connection,
    typed: selectOf(viewColumns(columns, await timeTypes(connection, columns, 'rows')), inOrder),
    texts: selectOf(viewColumns(columns, new Map()), inOrder),
    *records() {
      for (const [, text] of records())
        yield chosen === null ? text : writeExact(picked(parseExact(text), paths, chosen));
    },
    times: () => timeRanges(connection, columns, from),
  };
}

/** The source for a query. Its columns have no nested fields to choose from. */
function queried(connection: duckdb.DuckDBConnection, select: string): Open {
  return {
    ...{ connection, typed: select, texts: select },
    async *records() {
      const result = await connection.stream(select);
      const columns = columnsOf(result);
      for await (const rows of chunks(result))
        for (const row of rows) yield writeExact(recordOf(columns, row));
    },
    times: () => Promise.resolve([]),
  };
}

async function* chunks(result: duckdb.DuckDBResult): AsyncGenerator<unknown[][]> {
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield chunk.convertRows(toExactJson);
  }
}

async function choose(connection: duckdb.DuckDBConnection, positions: Int32Array): Promise<void> {
  await connection.run('CREATE TEMP TABLE chosen (place INTEGER, position BIGINT)');
  const appender = await connection.createAppender('chosen', undefined, 'temp');
  for (const [place, position] of positions.entries()) {
    appender.appendInteger(place);
    appender.appendBigInt(BigInt(position));
    appender.endRow();
  }
  appender.closeSync();
}

const selectOf = (names: readonly string[], from: string): string =>
  `SELECT ${names.length === 0 ? 'position' : names.join(', ')} ${from}`;

async function writeParquet(source: Source, { target, partitionBy }: Request): Promise<Written> {
  const { connection } = source;
  const select = await asParquet(connection, source.typed);
  // The manifest lists the columns whose texts are JSON.
  const columns = columnsOf(await connection.runAndReadAll(`SELECT * FROM (${source.typed}) LIMIT 0`));
  const format = parquetFormat(columns.length);
  if (partitionBy === null) return { rows: await copy(connection, select, target, format), columns };
  const { name, value } = await partitionOf(connection, select, columns, partitionBy);
  const kept = name === partitionBy ? `* EXCLUDE (${quoteName(name)})` : '*';
  const rows = await copy(
    connection,
    `SELECT ${kept}, ${value} AS ${quoteName(name)} FROM (${select})`,
    target,
    `${format}, PARTITION_BY (${quoteName(name)})`,
  );
  await checkFolders(connection, { select, value, partitionBy, target, rows });
  return { rows, columns, partition: name };
}

async function copy(
  connection: duckdb.DuckDBConnection,
  select: string,
  target: string,
  options: string,
): Promise<number> {
  const written = await connection.runAndReadAll(`COPY (${select}) TO ${quoteText(target)} (${options})`);
  return Number(written.getRowsJson()[0]?.[0] ?? 0);
}

async function writeArrow({ connection, typed, onProgress }: Source, { target }: Request): Promise<Written> {
  const result = await connection.stream(typed);
  const columns = columnsOf(result);
  return { rows: await writeArrowFile(target, result, columns, onProgress), columns };
}

/** Each key of a bucket gets its own column, with cells that represent values exactly. */
async function writeItems(source: Source, request: Request): Promise<Written> {
  const { format, target, isExact, spillFolder } = request;
  const { records, onProgress } = source;
  const table = await itemTable(records);
  if (format === 'csv') return writeItemLines(source, table, { target, isExact });
  return withEngine({ spillFolder }, async (connection, ownFolder) => {
    const found = records();
    if (!(Symbol.iterator in found))
      throw new Error('Expected records that can be read synchronously, got a stream.');
    const { columns } = await fill(connection, typedItems(found, table), {
      spillFolder: ownFolder,
      onProgress,
    });
    const filled = await filledSource(connection, columns, {
      ...{ chosen: null, needsColumns: false, isOrdered: false },
      records: () => [],
    });
    // Times stay texts, because a time in an item is a text.
    return WRITERS[format]({ ...filled, typed: filled.texts, onProgress }, request);
  });
}

async function writeItemLines(
  { records, onProgress }: Source,
  table: ItemTable,
  { target, isExact }: Pick<Request, 'target' | 'isExact'>,
): Promise<Written> {
  // Starts at -1, because the header is not a row.
  let rows = -1;
  async function* parts() {
    for await (const line of itemLines(records, table, isExact)) {
      yield line;
      rows += 1;
      if (rows % PROGRESS_EVERY_ROWS === 0) onProgress(rows);
    }
  }
  await writeText(target, parts());
  return { rows, columns: table.names.map((name) => ({ name, type: 'VARCHAR' })) };
}

/** Times are written as their original texts. */
async function writeCsv(source: Source, { target, isExact }: Request): Promise<Written> {
  const { connection, texts, onProgress } = source;
  const result = await connection.stream(texts);
  const described = columnsOf(result);
  let rows = 0;
  async function* parts() {
    yield delimitedLine(
      described.map(({ name }) => name),
      { isExact },
    );
    for await (const cells of chunks(result)) {
      yield cells.map((row) => delimitedLine(row.map(cell), { isExact })).join('');
      rows += cells.length;
      if (rows % PROGRESS_EVERY_ROWS < cells.length) onProgress(rows);
    }
  }
  await writeText(target, parts());
  return { rows, columns: described };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Converts a record to a line; null if it is skipped. */
type LineOf = (text: string) => string | null;

/** Writes the original records, nested and with all digits, or conversations made from them. */
async function writeJsonLines(source: Source, request: Request): Promise<Written> {
  const { conversation } = request;
  if (conversation === undefined) return writeLines(source, request, (text) => text);
  const skips = new Skips();
  const { per } = conversation;
  if (per !== undefined) return writeSpoken(source, request, { ...conversation, per });
  const written = await writeLines(source, request, (text) => {
    const item = parseExact(text);
    const made = conversationLine(item, conversation);
    if ('line' in made) {
      skips.leaveOut(made.leftOut);
      return made.line;
    }
    skips.add(made.refused, item);
    return null;
  });
  return { ...written, skipped: skips.all() };
}

/** Writes one line for each trace or session. */
async function writeSpoken(
  source: Source,
  { target }: Request,
  plan: Parameters<typeof spokenSpans>[1],
): Promise<Written> {
  const { connection, texts, records, onProgress } = source;
  const described = await connection.runAndReadAll(`SELECT * FROM (${texts}) LIMIT 0`);
  const skips = new Skips();
  const lines: string[] = [];
  const { spans, spoken: all } = await spokenSpans(records, plan, onProgress);
  for (const spoken of all) {
    if ('line' in spoken) {
      skips.leaveOut(spoken.leftOut);
      lines.push(`${spoken.line}\n`);
    } else skips.add(spoken.refused, spoken);
  }
  await writeText(target, Readable.from(lines));
  return { rows: lines.length, spansRead: spans, columns: columnsOf(described), skipped: skips.all() };
}

async function writeLines(
  source: Source,
  { target, isSorted = false, spillFolder }: Request,
  lineOf: LineOf,
): Promise<Written> {
  const { connection, texts, onProgress } = source;
  const described = await connection.runAndReadAll(`SELECT * FROM (${texts}) LIMIT 0`);
  let rows = 0;
  async function* written(): AsyncGenerator<string> {
    let looked = 0;
    for await (const text of source.records()) {
      looked += 1;
      if (looked % PROGRESS_EVERY_ROWS === 0) onProgress(looked);
      const line = lineOf(text);
      if (line !== null) yield line;
    }
  }
  async function* keyed(): AsyncGenerator<[string, string]> {
    for await (const line of written()) {
      const record = parseExact(line);
      yield [sortKey(record), canonicalJson(record)];
    }
  }
  async function* parts() {
    let lines: string[] = [];
    for await (const line of isSorted ? sortedLines(keyed(), spillFolder) : written()) {
      lines.push(`${line}\n`);
      rows += 1;
      if (lines.length < TEXT_ROWS) continue;
      yield lines.join('');
      lines = [];
    }
    yield lines.join('');
  }
  await writeText(target, parts());
  return { rows, columns: columnsOf(described) };
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/**
 * The record with only the values at these paths, within their objects. The path of the record itself stands for the
 * chosen fields that have no column.
 */
function picked(record: unknown, paths: readonly (readonly string[])[], chosen: readonly string[]): unknown {
  const isRecord = paths.some((path) => path.length === 0);
  if (isRecord && chosen.includes(columnName([]))) return record;
  if (!isObject(record)) return {};
  const target: Fields = {};
  for (const path of paths) {
    let from: unknown = record;
    let to = target;
    for (const [depth, key] of path.entries()) {
      if (!isObject(from) || !Object.hasOwn(from, key)) break;
      from = from[key];
      if (depth === path.length - 1 || !isObject(from)) {
        to[key] = from;
        break;
      }
      const inner = Object.hasOwn(to, key) ? to[key] : {};
      to[key] = inner;
      if (!isObject(inner)) break;
      to = inner;
    }
  }
  if (!isRecord) return target;
  const further = Object.entries(record).filter(
    ([key]) => !Object.hasOwn(target, key) && isChosenKey(key, chosen),
  );
  return { ...target, ...Object.fromEntries(further) };
}

async function writeText(target: string, parts: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(parts), createWriteStream(target, { flush: true }));
}

function columnsOf(result: duckdb.DuckDBResult | duckdb.DuckDBResultReader): ExportColumn[] {
  const names =
    result instanceof duckdb.DuckDBResultReader ? result.columnNames() : result.deduplicatedColumnNames();
  return names.map((name, index) => ({
    name,
    type: result.columnType(index).alias ?? result.columnType(index).toString(),
  }));
}

/** First and last time of the written rows, for each column of times. */
async function timeRanges(
  connection: duckdb.DuckDBConnection,
  columns: readonly NumberedColumn[],
  from: string,
): Promise<ExportTimes[]> {
  const times = columns.filter(({ column }) => column.kind === 'time');
  if (times.length === 0) return [];
  const ends = times.flatMap(({ index }) => [`min(${placeColumn(index)})`, `max(${placeColumn(index)})`]);
  const [row = []] = (await connection.runAndReadAll(`SELECT ${ends.join(', ')} ${from}`)).getRowsJS();
  return times.flatMap(({ column }, at) => {
    const [first, last] = [row[2 * at], row[2 * at + 1]];
    if (typeof first !== 'number' || typeof last !== 'number') return [];
    return [{ column: columnName(column.path), from: isoTime(first), to: isoTime(last) }];
  });
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

type Seal = Pick<ExportedRows, 'sizeBytes' | 'sha256' | 'files'>;

/** `isFolder`: includes all files in the folder, in path order. */
async function sealOf(target: string, isFolder: boolean): Promise<Seal> {
  if (!isFolder) {
    const { sizeBytes, sha256 } = await fileSeal(target);
    return { sizeBytes, sha256, files: null };
  }
  const found = await readdir(target, { recursive: true, withFileTypes: true });
  const paths = found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const files = [];
  for (const path of paths.toSorted())
    files.push({ file: relative(target, path).replaceAll(sep, '/'), ...(await fileSeal(path)) });
  return { sizeBytes: files.reduce((sum, each) => sum + each.sizeBytes, 0), sha256: null, files };
}

async function fileSeal(file: string): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return { sizeBytes: (await stat(file)).size, sha256: hash.digest('hex') };
}
