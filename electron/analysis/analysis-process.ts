/**
 * Runs as the process of the analysis engine (DuckDB). It is separate because it may need much memory, which only its
 * end frees, and because a crash of its native code must not end the application. Built as a separate file.
 */
import * as duckdb from '@duckdb/node-api';
import { readOnlyFromNow } from '../db/only-reads.ts';
import { systemClock } from '../platform/system.ts';
import { cut, MAX_LEDGER_EXAMPLES, type ValueLedger } from '../shared/value-ledger.ts';
import { withEngine } from './engine.ts';
import { exportRows } from './export-rows.ts';
import { namingColumn } from './failing-column.ts';
import { type FolderValue, folderColumn, folderValues } from './folder-values.ts';
import type { KeptResult } from './kept-result.ts';
import { checkSql, LockedSql, SqlRefused } from './locked-sql.ts';
import { MAX_QUERY_BYTES, MemoryWatch } from './memory-watch.ts';
import { digestMirror, planMirror, sampleMirror, writeMirror } from './mirror-parts.ts';
import { OpenRows } from './open-rows.ts';
import type { FooterMark } from './parquet-footer.ts';
import {
  countedType,
  flatColumns,
  holdsBytes,
  isTextual,
  ruledValues,
  type SqlType,
  selectList,
} from './parquet-json.ts';
import { markedColumns, parquetSchema, renamedColumns } from './parquet-schema.ts';
import {
  type AnalysisReply,
  type AnalysisRequest,
  type AnalysisResults,
  analysisRequest,
} from './protocol.ts';
import { withReadableParquet } from './readable-parquet.ts';
import { buildSidecar } from './sidecar-file.ts';
import { quoteFile, quoteText } from './sql-text.ts';
import { OUT_OF_MEMORY, type SqlFault } from './typed-sql.ts';

/** Time for the last reply to leave this process. */
const REPLY_MS = 100;

const openRows = new OpenRows();
let query: LockedSql | null = null;
let kept: KeptResult | null = null;

function keptResult(): KeptResult {
  if (kept === null) throw new Error('No result is kept.');
  return kept;
}

const handlers: {
  [O in AnalysisRequest['operation']]: (
    request: AnalysisRequest & { operation: O },
    onProgress: (rows: number) => void,
  ) => Promise<AnalysisResults[O]>;
} = {
  'parquet-to-json-lines': ({ source, target, spillFolder }) =>
    withEngine({ spillFolder }, (connection) =>
      withReadableParquet(source, `${target}.parquet`, (path, marks) =>
        writeParquetLines(connection, { source: path, marks, folders: folderValues(source) }, target),
      ),
    ),
  'build-sidecar': async ({ stored, target, spillFolder }, onProgress) => {
    const { rows } = await buildSidecar(stored, target, spillFolder, onProgress);
    return { rows };
  },
  profile: ({ source, within, fields, filters, spillFolder }) =>
    openRows.use(source, spillFolder, async (rows) => {
      await rows.limitTo(within);
      return rows.profiles(fields, filters);
    }),
  positions: ({ source, filters, spillFolder }) =>
    openRows.use(source, spillFolder, async (rows) => {
      await rows.limitTo(null);
      return rows.positions(filters);
    }),
  'check-sql': ({ sql, views, spillFolder }) => checkSql(sql, views, spillFolder),
  'run-sql': ({ sql, files, spillFolder }) =>
    orFault(async () => {
      query?.close();
      query = null;
      query = await LockedSql.open(sql, files, spillFolder, null);
      return { columns: await query.begin() };
    }),
  'keep-sql': ({ sql, files, mostRows, spillFolder }) =>
    orFault(async () => {
      kept = null;
      query?.close();
      query = null;
      query = await LockedSql.open(sql, files, spillFolder, null);
      kept = await query.keep(mostRows);
      return { kept: kept.about };
    }),
  'kept-rows': ({ window }) => keptResult().read(window),
  'kept-profile': ({ fields, filters }) => keptResult().profiles(fields, filters),
  'view-columns': ({ source, spillFolder }) =>
    openRows.use(source, spillFolder, (rows) => rows.viewColumns()),
  'sql-rows': () => orFault(async () => ({ rows: (await query?.next()) ?? [] })),
  'export-rows': (request, onProgress) => orFault(() => exportRows(request, onProgress)),
  'mirror-plan': (request) => planMirror(request),
  'mirror-digests': (request) => digestMirror(request),
  'mirror-sample': (request) => sampleMirror(request),
  'mirror-write': (request, onProgress) => writeMirror(request, onProgress),
};

/** An error in typed SQL is returned as a result, because the person sees its position. */
async function orFault<T>(run: () => Promise<T>): Promise<T | { fault: SqlFault }> {
  try {
    return await run();
  } catch (problem) {
    if (problem instanceof SqlRefused) return { fault: problem.fault };
    throw problem;
  }
}

async function writeParquetLines(
  connection: duckdb.DuckDBConnection,
  {
    source,
    marks,
    folders,
  }: { source: string; marks: ReadonlyMap<number, FooterMark>; folders: FolderValue[] },
  target: string,
): Promise<AnalysisResults['parquet-to-json-lines']> {
  // Without hive partitioning, because values from folder names would replace values in the file.
  const from = `read_parquet(${quoteFile(source)}, hive_partitioning = false)`;
  const { coarse, units, root } = await parquetSchema(connection, source, marks);
  const described = await connection.runAndReadAll(`SELECT * FROM ${from} LIMIT 0`);
  const named = described.columnNames().map((name, index) => ({
    name,
    type: withUnit(typeOf(described.columnType(index)), units.get(name)),
  }));
  const typed = markedColumns(named, root);
  const known = new Set(named.map(({ name }) => name.toLowerCase()));
  const added = folders.filter(({ name }) => !known.has(name.toLowerCase()));
  const columns = [...flatColumns(typed), ...added.map(folderColumn)];
  refuseClash(columns.map(({ path }) => path));
  const ofBytes = columns.filter(({ type }) => holdsBytes(type));
  const counts = ofBytes.flatMap(({ value, type }) => [
    `count(${value})`,
    `coalesce(bool_and(${isTextual(value, type)}), true)`,
  ]);
  const [row = []] =
    counts.length === 0
      ? []
      : (await connection.runAndReadAll(`SELECT ${counts.join(', ')} FROM ${from}`)).getRowsJS();
  const bytes = ofBytes.map(({ path }, at) => ({
    column: path,
    values: Number(row[2 * at] ?? 0),
    isText: row[2 * at + 1] === true,
  }));
  const textual = new Set(bytes.filter(({ isText }) => isText).map(({ column }) => column));
  await namingColumn(connection, { from, columns, textual }, () =>
    connection.run(
      `COPY (SELECT ${selectList(columns, textual)} FROM ${from}) TO ${quoteText(target)} (FORMAT json)`,
    ),
  );
  return {
    bytes: bytes.filter(({ values }) => values > 0),
    coarse,
    folders: added,
    renamed: renamedColumns(typed, root),
    changes: await changesOf(connection, from, columns, textual),
  };
}

/** Throws an Error if a field of an object has the same name as another column, ignoring case as the engine does. */
function refuseClash(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(path.toLowerCase()))
      throw new Error(`two of its columns would have the name “${path}”. Rename one of them.`);
    seen.add(path.toLowerCase());
  }
}

/** Changes made to values when they are written as JSON, with the first example of each. */
async function changesOf(
  connection: duckdb.DuckDBConnection,
  from: string,
  columns: ReturnType<typeof flatColumns>,
  textual: ReadonlySet<string>,
): Promise<ValueLedger['changes']> {
  const ruled = columns.flatMap((column) =>
    ruledValues(column, textual.has(column.path)).map((each) => ({ ...each, source: column.path })),
  );
  if (ruled.length === 0) return [];
  const sums = ruled.map(({ count }) => count).join(', ');
  const [row = []] = (await connection.runAndReadAll(`SELECT ${sums} FROM ${from}`)).getRowsJS();
  const changes: ValueLedger['changes'] = [];
  for (const [at, { rule, source, found }] of ruled.entries()) {
    const count = Number(row[at] ?? 0);
    if (count === 0) continue;
    const numbered = `SELECT row_number() OVER () AS line, ${found} AS found FROM ${from}`;
    const first = await connection.runAndReadAll(
      `SELECT line, part.b, part.a FROM (SELECT line, unnest(found) AS part FROM (${numbered}) WHERE len(found) > 0 LIMIT ${MAX_LEDGER_EXAMPLES}) LIMIT ${MAX_LEDGER_EXAMPLES}`,
    );
    const examples = first.getRowsJS().map(([line, before, after]) => ({
      ...{ line: Number(line), before: cut(String(before)) },
      after: after === null || after === undefined ? null : cut(String(after)),
    }));
    changes.push({ rule, source, count, examples });
  }
  return changes.toSorted((one, other) => other.count - one.count);
}

/** The SQL type for numbers that are durations or periods in this unit. */
const withUnit = (type: SqlType, unit: string | undefined): SqlType =>
  unit === undefined || type.kind !== 'plain' || type.name !== 'BIGINT'
    ? type
    : { kind: 'plain', name: countedType(unit) };

function typeOf(type: duckdb.DuckDBType): SqlType {
  if (type instanceof duckdb.DuckDBListType || type instanceof duckdb.DuckDBArrayType) {
    return { kind: 'list', item: typeOf(type.valueType) };
  }
  if (type instanceof duckdb.DuckDBStructType) {
    return {
      kind: 'struct',
      fields: type.entryNames.flatMap((name, index) => {
        const inner = type.entryTypes[index];
        return inner === undefined ? [] : [{ name, type: typeOf(inner) }];
      }),
    };
  }
  if (type instanceof duckdb.DuckDBMapType) {
    return { kind: 'map', key: typeOf(type.keyType), value: typeOf(type.valueType) };
  }
  return { kind: 'plain', name: type.toString() };
}

/** Processes started by Electron have a port; those started by Node have `process.send`. */
const electronPort = 'parentPort' in process ? (process.parentPort as Electron.ParentPort) : null;

function reply(message: AnalysisReply): void {
  if (electronPort === null) process.send?.(message);
  else electronPort.postMessage(message);
}

function handle<O extends AnalysisRequest['operation']>(
  request: AnalysisRequest & { operation: O },
): Promise<unknown> {
  const { id, operation } = request;
  return handlers[operation](request, (rows) => reply({ id, kind: 'progress', rows }));
}

/** Number of requests without a reply. */
const pending = new Set<number>();
const endNow = () => process.kill(process.pid, 'SIGKILL');

/** The engine cannot be interrupted within one step, which may use all memory, so the process ends after its reply. */
const watch = new MemoryWatch({
  clock: systemClock,
  bytes: () => process.memoryUsage.rss(),
  maxBytes: MAX_QUERY_BYTES,
  onExceeded: () => {
    for (const id of pending) reply({ id, kind: 'failed', message: OUT_OF_MEMORY });
    systemClock.setTimer(endNow, REPLY_MS, 'ending a query beyond its memory');
  },
});

const isTypedSql = (request: AnalysisRequest): boolean =>
  ['run-sql', 'sql-rows', 'keep-sql', 'kept-rows', 'kept-profile'].includes(request.operation) ||
  (request.operation === 'export-rows' && request.source.form === 'sql');

function take(message: unknown): void {
  const request = analysisRequest.parse(message);
  const { id, spillFolder } = request;
  if (spillFolder === '') readOnlyFromNow();
  pending.add(id);
  const handled = isTypedSql(request) ? watch.during(() => handle(request)) : handle(request);
  handled
    .then(
      (result) => reply({ id, kind: 'done', result }),
      (problem: unknown) =>
        reply({ id, kind: 'failed', message: problem instanceof Error ? problem.message : String(problem) }),
    )
    .finally(() => pending.delete(id));
}

if (electronPort === null) process.on('message', take);
else electronPort.on('message', ({ data }) => take(data));
// The application has ended, so the output is useless. An ordinary exit would wait for the running query.
process.on('disconnect', endNow);
