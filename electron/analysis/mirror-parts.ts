/** Writes segments of a table as Parquet files of a mirror. Runs in the analysis process. */
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { maskedUrl } from '../core/masking/masked-url.ts';
import { maskedFieldOf, maskedValue } from '../core/masking/named-values.ts';
import { createRedactor, type Redactor } from '../core/masking/redact.ts';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { parseExactObject, writeExact } from '../shared/exact-json.ts';
import type { ColumnSummary, MirrorColumn, MirrorPart, TimeCounts } from '../shared/mirror-model.ts';
import { soundJson } from '../shared/record-parts.ts';
import { ColumnScan, type SidecarColumn } from './column-scan.ts';
import { withEngine } from './engine.ts';
import {
  type CountedRows,
  commonColumns,
  type MirroredColumn,
  mergeCounts,
  ownColumns,
  pathKey,
  shapeOf,
} from './mirror-columns.ts';
import {
  digestsOf,
  firstRows,
  type MirrorBounds,
  type MirrorSegment,
  type MirrorSource,
  planSegments,
  RowsChanged,
  readSegments,
} from './mirror-segments.ts';
import { asParquet, parquetFormat } from './parquet-types.ts';
import { columnsOf } from './result-columns.ts';
import { readForEngine } from './sidecar-file.ts';
import { fillRows, pointer } from './sidecar-sql.ts';
import { ADDED, quoteText } from './sql-text.ts';
import type { UnionPart } from './union-rows.ts';
import { numbered, type TimeType, timeCounts, viewColumns } from './view-columns.ts';
import { useRoomFor } from './wide-rows.ts';

/** The rules by which rows are masked. */
interface Rules {
  /** Patterns of private fields. */
  maskedFields: readonly string[];
}

interface SegmentsRequest extends Rules {
  source: MirrorSource;
  segments: readonly MirrorBounds[];
}

interface WriteRequest extends SegmentsRequest {
  segments: readonly MirrorSegment[];
  /** Counts of further rows whose columns all files must have; null if all files have only their own columns. */
  known: CountedRows | null;
  /** Paths of the first columns, as JSON. */
  order: readonly string[];
  folder: string;
}

export interface WrittenParts {
  parts: MirrorPart[];
  /** The columns of the file written last, with the engine's types. */
  columns: MirrorColumn[];
}

/** The query of the list that a row belongs to; null for a local table. */
type ListedBy = UnionPart['query'] | null;

/** Number of rows in a sample. Its columns are expected in all other rows. */
const SAMPLE_ROWS = 2_000;
const PROGRESS_EVERY_ROWS = 5_000;

const rulesOf = ({ maskedFields }: Rules): string => JSON.stringify(maskedFields.toSorted());

/** The segments of a table. Null if rows have changed since it was examined. */
export const planMirror = (request: Rules & { source: MirrorSource }) =>
  orChanged(async () => ({ segments: planSegments(request.source, rulesOf(request)) }));

/** The digests of segments and their numbers of rows. Null in the same case as for `planMirror`. */
export const digestMirror = (request: SegmentsRequest) =>
  orChanged(async () => ({ segments: digestsOf(request.source, request.segments, rulesOf(request)) }));

/**
 * The columns of the first rows of each segment, which are expected in all other rows. Null in the same case as for
 * `planMirror`.
 */
export const sampleMirror = (request: SegmentsRequest & { spillFolder: string }) =>
  orChanged(() =>
    withEngine({ spillFolder: request.spillFolder }, async (connection): Promise<CountedRows> => {
      const each = Math.ceil(SAMPLE_ROWS / Math.max(1, request.segments.length));
      const raw = new RawRows(connection, request.maskedFields);
      await raw.begin();
      for (const { query, text } of firstRows(request.source, request.segments, each)) raw.add(text, query);
      raw.end();
      const columns = raw.summary();
      return { columns, times: await timesOf(connection, ownColumns(columns)) };
    }),
  );

async function orChanged<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (problem) {
    if (problem instanceof RowsChanged) return null;
    throw problem;
  }
}

/**
 * Writes each segment to a file whose name is derived from its content. A file has the columns of its own rows, of the
 * known ones, and of the segments before it. Null if rows have changed since they were planned.
 */
export const writeMirror = (
  request: WriteRequest & { spillFolder: string },
  onProgress: (rows: number) => void,
): Promise<WrittenParts | null> => orChanged(() => writeSegments(request, onProgress));

async function writeSegments(
  request: WriteRequest & { spillFolder: string },
  onProgress: (rows: number) => void,
): Promise<WrittenParts> {
  const { source, segments, known, order, folder, spillFolder } = request;
  await mkdir(folder, { recursive: true });
  return withEngine({ spillFolder }, async (connection, ownFolder) => {
    const parts: MirrorPart[] = [];
    let columns: MirrorColumn[] = [];
    let merged: CountedRows = known ?? { columns: [], times: {} };
    let written = 0;
    for (const { segment, query, rows } of readSegments(source, segments, rulesOf(request))) {
      const raw = new RawRows(connection, request.maskedFields);
      await raw.begin();
      for (const text of rows) {
        raw.add(text, query);
        written += 1;
        if (written % PROGRESS_EVERY_ROWS === 0) onProgress(written);
      }
      raw.end();
      const summary = raw.summary();
      const own = { columns: summary, times: await timesOf(connection, ownColumns(summary)) };
      merged = mergeCounts([merged, own]);
      const file = await writeFile(connection, commonColumns(merged, order), segment, {
        folder,
        spillFolder: ownFolder,
      });
      columns = file.columns;
      parts.push({ ...own, ...file.part, rows: segment.rows });
    }
    onProgress(written);
    return { parts, columns };
  });
}

/** Fills the engine's table `raw` and counts the fields of the rows. */
class RawRows {
  readonly #connection: DuckDBConnection;
  readonly #redactor: Redactor | null;
  readonly #scan = new ColumnScan();
  #appender: Awaited<ReturnType<DuckDBConnection['createAppender']>> | null = null;
  #position = 0n;

  constructor(connection: DuckDBConnection, maskedFields: readonly string[]) {
    this.#connection = connection;
    this.#redactor = maskedFields.length === 0 ? null : createRedactor(maskedFields, new Set());
  }

  async begin(): Promise<void> {
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE raw (position BIGINT, record VARCHAR)');
    this.#appender = await this.#connection.createAppender('raw');
  }

  add(stored: string, query: ListedBy): void {
    const text = this.#redactor === null ? stored : maskedText(stored, query, this.#redactor);
    const { record, held } = readSound(text);
    this.#scan.add(record);
    const appender = this.#appender;
    appender?.appendBigInt(this.#position);
    appender?.appendVarchar(held);
    appender?.endRow();
    this.#position += 1n;
  }

  end(): void {
    this.#appender?.flushSync();
    this.#appender?.closeSync();
    this.#appender = null;
  }

  summary(): ColumnSummary[] {
    return this.#scan.summary();
  }
}

/** A row that is not JSON is reported as damaged. */
function readSound(text: string): ReturnType<typeof readForEngine> {
  try {
    return readForEngine(text);
  } catch {
    return readForEngine(soundJson(text));
  }
}

/** The record with masked fields. Columns that were added to it are masked by their plain names. */
function maskedText(stored: string, query: ListedBy, redactor: Redactor): string {
  const fields = Object.entries(parseExactObject(soundJson(stored)));
  const added = fields.flatMap(([name, value]): [string, unknown][] => {
    if (!name.startsWith(ADDED)) return [];
    const field = name.slice(ADDED.length);
    return [[name, redactor.mask({ [field]: value })[field]]];
  });
  const own = Object.fromEntries(fields.filter(([name]) => !name.startsWith(ADDED)));
  const front = Object.fromEntries(added);
  if (query !== null && maskedFieldOf(query, redactor) !== null)
    return writeExact({ ...front, ...maskedValue(own) });
  const masked = redactor.mask(own);
  // Addresses occur only in the log of requests.
  const { url } = masked;
  const address = query === null && typeof url === 'string' ? { url: maskedUrl(url, redactor) } : {};
  return writeExact({ ...front, ...masked, ...address });
}

/** For each column whose texts are all times, the number of values in each form. */
async function timesOf(
  connection: DuckDBConnection,
  columns: readonly SidecarColumn[],
): Promise<Record<string, TimeCounts>> {
  const times: Record<string, TimeCounts> = {};
  for (const column of columns) {
    if (column.kind !== 'time') continue;
    const text = `json_extract_string(record, ${quoteText(pointer(column.path))})`;
    times[pathKey(column)] = await timeCounts(connection, text, 'raw');
  }
  return times;
}

async function writeFile(
  connection: DuckDBConnection,
  columns: readonly MirroredColumn[],
  { digest }: MirrorSegment,
  { folder, spillFolder }: { folder: string; spillFolder: string },
): Promise<{ part: Pick<MirrorPart, 'digest' | 'shape' | 'file' | 'sizeBytes'>; columns: MirrorColumn[] }> {
  await connection.run('DROP TABLE IF EXISTS rows');
  await useRoomFor(connection, { columns: columns.length, spillFolder, database: null });
  await connection.run(fillRows(columns, 'values'));
  const times = new Map<number, TimeType>();
  for (const [index, { time }] of columns.entries()) if (time !== undefined) times.set(index, time);
  const names = viewColumns(numbered(columns), times);
  const select = `SELECT ${names.length === 0 ? 'position' : names.join(', ')} FROM rows`;
  const shape = shapeOf(columns);
  const file = `part-${digest.slice(0, 16)}-${shape}.parquet`;
  const target = join(folder, file);
  const aside = `${target}.${process.pid}.part`;
  try {
    const plain = await asParquet(connection, select);
    await connection.run(`COPY (${plain}) TO ${quoteText(aside)} (${parquetFormat(names.length)})`);
    await whenFreeLater(() => rename(aside, target));
  } finally {
    await rm(aside, WITH_RETRIES);
  }
  const { size } = await stat(target);
  const described = columnsOf(await connection.runAndReadAll(`SELECT * FROM (${select}) LIMIT 0`));
  return {
    part: { digest, shape, file, sizeBytes: size },
    columns: described.map(({ name, type }) =>
      type === 'JSON' ? { name, type: 'VARCHAR', json: true } : { name, type },
    ),
  };
}
