/**
 * Runs one typed SELECT over views of sidecars, in an engine that is locked against everything else. Runs in the
 * analysis process.
 */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import { LISTS_SCHEMA, type SqlColumn } from '../shared/sql-model.ts';
import { boundedRow, fittingRows, shortened } from './cells.ts';
import type { SidecarColumn } from './column-scan.ts';
import { openEngine } from './engine.ts';
import { isFileDamage } from './file-damage.ts';
import { KeptResult, TYPED_VIEW } from './kept-result.ts';
import type { ViewFile } from './protocol.ts';
import { columnsOf } from './result-columns.ts';
import { toMessageJson } from './row-json.ts';
import { fill, readAbout, recordsOf, type SidecarSource } from './sidecar-file.ts';
import { type NamedColumn, withAdvice } from './sql-advice.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { type CheckedSql, checkTree, engineFault, type SqlFault } from './typed-sql.ts';
import { numbered, timeTypes, viewColumns } from './view-columns.ts';
import { viewKey } from './views.ts';

/** Maximum number of rows in one message. */
const MAX_ROWS = 1_000;

/** Typed SQL that is rejected. The main process shows the message. */
export class SqlRefused extends Error {
  readonly fault: SqlFault;
  constructor(fault: SqlFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Finds the views that the SQL uses, on a separate connection without data. */
export async function checkSql(
  sql: string,
  views: readonly string[],
  spillFolder: string,
): Promise<CheckedSql> {
  const { connection, close } = await openEngine({ spillFolder });
  try {
    return checkTree(sql, await treeOf(connection, sql), new Set(views));
  } finally {
    close();
  }
}

async function treeOf(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const [row] = (
    await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  ).getRowsJson();
  return JSON.parse(String(row?.[0]));
}

export class LockedSql {
  readonly #connection: DuckDBConnection;
  readonly #close: () => void;
  readonly #sql: string;
  #result: DuckDBResult | null = null;
  #chunk: DuckDBDataChunk | null = null;
  /** Index of the first row of the chunk that was not sent yet. */
  #row = 0;

  private constructor(connection: DuckDBConnection, close: () => void, sql: string) {
    this.#connection = connection;
    this.#close = close;
    this.#sql = sql;
  }

  /** Checks the SQL, attaches the sidecars it uses, and locks the engine. `target`: the only file it may write. */
  static async open(
    sql: string,
    files: readonly ViewFile[],
    spillFolder: string,
    target: string | null,
  ): Promise<LockedSql> {
    const names = files.map(({ schema, name }) => viewKey(schema, name));
    const checked = await checkSql(sql, names, spillFolder);
    if (!checked.isRead) throw new SqlRefused(checked.fault);
    const {
      connection,
      spillFolder: ownFolder,
      close,
    } = await openEngine({ spillFolder, mostSpilled: '2GB' });
    try {
      if (files.some(({ schema }) => schema !== ''))
        await connection.run(`CREATE SCHEMA ${quoteName(LISTS_SCHEMA)}`);
      for (const [index, view] of files.entries())
        await addView(connection, view, `list_${index}`, ownFolder);
      await lockEngine(connection, target);
      return new LockedSql(connection, close, sql);
    } catch (problem) {
      close();
      throw problem;
    }
  }

  /** Starts the query and returns its columns. */
  async begin(): Promise<SqlColumn[]> {
    this.#result = await this.#said(() => this.#connection.stream(this.#sql));
    return columnsOf(this.#result);
  }

  /** The next rows, in pieces of one message each; empty at the end. Long values are shortened. */
  async next(): Promise<unknown[][]> {
    const result = this.#result;
    if (this.#chunk === null && result !== null) {
      this.#chunk = await this.#said(() => result.fetchChunk());
      this.#row = 0;
    }
    const chunk = this.#chunk;
    if (chunk === null || chunk.rowCount === 0) return [];
    const rows = fittingRows(rowsFrom(chunk, this.#row), MAX_ROWS);
    this.#row += rows.length;
    if (this.#row >= chunk.rowCount) this.#chunk = null;
    return rows;
  }

  /** Runs the query to its end, or up to this many rows, and keeps the rows. */
  async keep(mostRows: number): Promise<KeptResult> {
    // Reports errors in names with their position in the typed text.
    await this.#said(() => this.#connection.prepare(this.#sql).then((prepared) => prepared.destroySync()));
    await this.#said(() => createTypedView(this.#connection, this.#sql), 1);
    return this.#said(() => KeptResult.of(this.#connection, mostRows));
  }

  /** Passes all rows of the query to `use`, as one SELECT on this connection. */
  async use<T>(use: (connection: DuckDBConnection, select: string) => Promise<T>): Promise<T> {
    await this.#said(() => createTypedView(this.#connection, this.#sql), 1);
    return this.#said(() => use(this.#connection, `SELECT * FROM ${TYPED_VIEW}`));
  }

  close(): void {
    this.#close();
  }

  /** `linesBefore`: number of lines before the typed ones. */
  async #said<T>(run: () => Promise<T>, linesBefore = 0): Promise<T> {
    try {
      return await run();
    } catch (problem) {
      // A file that cannot be written is not an error of the query.
      if (problem instanceof Error && 'code' in problem) throw problem;
      const said = problem instanceof Error ? problem.message : String(problem);
      // A damaged file is not an error of the query either. The file is prepared again.
      if (isFileDamage(said)) throw problem;
      const text = said.replace(/^LINE (\d+):/m, (_, line) => `LINE ${Number(line) - linesBefore}:`);
      const fault = engineFault(this.#sql, text);
      throw new SqlRefused(withAdvice(fault, this.#sql, await columnsRead(this.#connection)));
    }
  }
}

/** Returns the columns of the views, or none if the engine no longer answers. */
async function columnsRead(connection: DuckDBConnection): Promise<NamedColumn[]> {
  try {
    const found = await connection.runAndReadAll(
      `SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = 'memory' AND NOT internal AND table_name <> '${TYPED_VIEW}'`,
    );
    return found.getRowsJson().map(([view, name]) => ({ view: String(view), name: String(name) }));
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem;
    return [];
  }
}

/**
 * Converts one value at a time, because the values of a whole row or chunk may need more memory than the process has.
 */
function* rowsFrom(chunk: DuckDBDataChunk, first: number): Generator<unknown[]> {
  for (let row = first; row < chunk.rowCount; row += 1)
    yield boundedRow(chunk.columnCount, (column, most) => {
      const vector = chunk.getColumnVector(column);
      return shortened(toMessageJson(vector.getItem(row), vector.type, toMessageJson), most);
    });
}

/** The typed text may end with a semicolon or a comment. A view of its own keeps it a separate statement. */
async function createTypedView(connection: DuckDBConnection, sql: string): Promise<void> {
  const isForm = /^\s*(?:DESCRIBE|DESC|SUMMARIZE|SHOW)\b/i.test(sql);
  const body = isForm ? `FROM (${sql.replace(/;\s*$/, '')}\n)` : sql;
  await connection.run(`CREATE TEMP VIEW ${TYPED_VIEW} AS\n${body}`);
}

async function addView(
  connection: DuckDBConnection,
  { schema, name, from }: ViewFile,
  database: string,
  spillFolder: string,
): Promise<void> {
  const columns =
    'file' in from
      ? await attached(connection, from.file, database)
      : await read(connection, from.source, { database, spillFolder });
  await connection.run(
    `CREATE VIEW ${schema === '' ? '' : `${quoteName(schema)}.`}${quoteName(name)} AS SELECT ${await selected(connection, columns, database)} FROM ${database}.rows`,
  );
}

async function attached(
  connection: DuckDBConnection,
  file: string,
  database: string,
): Promise<readonly SidecarColumn[]> {
  await connection.run(`ATTACH ${quoteText(file)} AS ${database} (READ_ONLY)`);
  return (await readAbout(connection, database)).columns;
}

/** Reads rows without a sidecar into a database of their own. */
async function read(
  connection: DuckDBConnection,
  source: SidecarSource,
  place: { database: string; spillFolder: string },
): Promise<readonly SidecarColumn[]> {
  const { columns } = await fill(connection, recordsOf(source), place);
  await connection.run('USE memory');
  return columns;
}

async function selected(
  connection: DuckDBConnection,
  columns: readonly SidecarColumn[],
  database: string,
): Promise<string> {
  if (columns.length === 0) return 'position';
  const all = numbered(columns);
  return viewColumns(all, await timeTypes(connection, all, `${database}.rows`)).join(', ');
}

/**
 * The order of the settings matters, because after the last one nothing can be changed. `target`: the only file that
 * may be written.
 */
export async function lockEngine(connection: DuckDBConnection, target: string | null): Promise<void> {
  await connection.run('SET enable_progress_bar = true');
  await connection.run('SET enable_progress_bar_print = false');
  if (target !== null) await connection.run(`SET allowed_paths = [${quoteText(target)}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}
