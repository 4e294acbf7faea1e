/** Typed SQL over a connection's stored data. It is checked, then run by a locked process that can only read. */

import type { Clock } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import type { StartChild } from '../platform/child-process.ts';
import type { ColumnFilter, ColumnProfile } from '../shared/analysis-model.ts';
import { numberText } from '../shared/count-text.ts';
import { detached } from '../shared/detached.ts';
import { AppError } from '../shared/errors.ts';
import type { ExportForm } from '../shared/export-model.ts';
import type { ListQuery } from '../shared/model.ts';
import {
  type DescribedView,
  MAX_RESULT_ROWS,
  MAX_SQL_CHARACTERS,
  type SqlAnswerPage,
  type SqlResult,
  type SqlRows,
  type SqlSource,
  type SqlView,
  type SqlWindow,
} from '../shared/sql-model.ts';
import { isDiskFull } from './analysis-client.ts';
import { AnalysisLink, EngineFailure } from './analysis-link.ts';
import { isDamagedFile } from './file-damage.ts';
import type { ExportedRows, ViewFile } from './protocol.ts';
import type { Sidecars } from './sidecars.ts';
import { BEYOND_BOUNDS, isBeyondBounds, type SqlFault } from './typed-sql.ts';
import { type KeptTable, type NamesById, type ReadableView, viewKey, viewsOf } from './views.ts';

export interface Sql {
  /** Lists only the views of stored lists, with their names in SQL. */
  lists(): Promise<(SqlView & { query: ListQuery })[]>;
  /**
   * Yields the rows of one SELECT in pages; if there are no rows, one empty page. Stopping the iteration, or aborting,
   * ends the query. Throws INVALID_ARGUMENT for rejected SQL, with the position; CANCELLED, DISK_FULL.
   */
  read(sql: string, signal: AbortSignal): AsyncGenerator<SqlAnswerPage>;
  /** Each view with its columns. `kinds`: only the views of all records of a kind, without single lists. */
  describe(parts?: 'all' | 'kinds'): Promise<DescribedView[]>;
  /**
   * Runs one SELECT and keeps up to MAX_RESULT_ROWS of its rows in its process. Throws like `read`, and CANCELLED if
   * `stop` was called for it.
   */
  run(runId: string, sql: string): Promise<SqlResult>;
  /** Rows of a run. Throws NOT_STORED if its result was released. */
  rows(runId: string, window: SqlWindow): Promise<SqlRows>;
  profile(
    runId: string,
    fields: readonly string[],
    filters: readonly ColumnFilter[],
  ): Promise<ColumnProfile[]>;
  /** Ends a run at once, or releases its result. */
  stop(runId: string): Promise<void>;
  /** Ends everything in progress, and everything requested later, with CANCELLED. */
  close(): Promise<void>;
  /** Writes all rows to `target`, in a separate process. Throws like `read`. */
  write(
    sql: string,
    how: ExportForm,
    target: string,
    signal: AbortSignal,
    onProgress?: (rows: number) => void,
  ): Promise<ExportedRows>;
}

interface SqlDeps {
  lists: () => { query: ListQuery; shown: Generation }[];
  /** Names of applications and datasets by id. */
  names: () => Promise<NamesById>;
  /** Local tables, in addition to the lists. */
  tables?: () => KeptTable[];
  sidecars: Pick<Sidecars, 'rows' | 'columns' | 'discard'>;
  startChild: StartChild;
  clock: Clock;
}

/** Idle time after which a query ends. It is long, because a person may look at a page for a long time. */
const IDLE_MS = 3_600_000;
/** Maximum number of kept results. Each has a process of its own. */
const MAX_KEPT = 3;

interface Run {
  stop: AbortController;
  /** Process of the result, after the first answer. */
  link: AnalysisLink | null;
  /** Ends the process. */
  end: () => Promise<unknown>;
}

/** The process of a query. */
interface Query {
  link: AnalysisLink;
  /** Like the link's `call`, but throws CANCELLED once the query was stopped. */
  call: AnalysisLink['call'];
}

export function createSql({ lists, names, tables, sidecars, startChild, clock }: SqlDeps): Sql {
  const closing = new AbortController();
  const readable = async (): Promise<ReadableView[]> => viewsOf(lists(), await names(), tables?.());
  /** Rejects with CANCELLED when the session ends, which does not wait for answers. */
  const orClosed = async <T>(work: Promise<T>): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = () => reject(cancelled());
    closing.signal.addEventListener('abort', end);
    if (closing.signal.aborted) end();
    try {
      return await Promise.race([work, promise]);
    } finally {
      closing.signal.removeEventListener('abort', end);
    }
  };
  /** Each query has its own process, because only its end frees its memory. */
  const withQuery = async function* <T>(
    sql: string,
    stop: AbortSignal,
    use: (query: Query, files: ViewFile[], sources: SqlSource[]) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    if (sql.length > MAX_SQL_CHARACTERS)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected SQL of at most ${numberText(MAX_SQL_CHARACTERS)} characters.`,
      );
    const signal = AbortSignal.any([stop, closing.signal]);
    const link = new AnalysisLink({ startChild, clock, idleMs: IDLE_MS });
    // After the link was ended, a call would start another process.
    const call: Query['call'] = async (operation, given, onProgress) => {
      if (signal.aborted) throw cancelled();
      return link.call(operation, given, onProgress);
    };
    const stopped = Promise.withResolvers<never>();
    // If preparing a list fails, callers that wait for it get the error, but there may be none.
    stopped.promise.catch(() => undefined);
    const end = () => {
      stopped.reject(cancelled());
      detached('stopping a query', link.end());
    };
    signal.addEventListener('abort', end);
    try {
      if (signal.aborted) throw cancelled();
      const found = await Promise.race([readable(), stopped.promise]);
      const views = new Map(found.map((view) => [keyOf(view), view]));
      const checked = await call('check-sql', { sql, views: [...views.keys()] });
      if (!checked.isRead) throw sqlError(checked.fault);
      const sources = checked.tables.flatMap(({ key }) => {
        const view = views.get(key);
        return view === undefined ? [] : [{ name: view.name, oldestMs: view.oldestMs }];
      });
      const filesOf = async (): Promise<ViewFile[]> => {
        const files: ViewFile[] = [];
        for (const { schema, name, key } of checked.tables) {
          const view = views.get(key);
          if (view === undefined) continue;
          const from = await Promise.race([sidecars.rows(storedOf(view)), stopped.promise]);
          files.push({ schema, name, from });
        }
        return files;
      };
      for (let isFirst = true; ; isFirst = false) {
        const files = await filesOf();
        let hasAnswered = false;
        try {
          for await (const answer of use({ link, call }, files, sources)) {
            hasAnswered = true;
            yield answer;
          }
          return;
        } catch (problem) {
          if (signal.aborted || !isDamagedFile(problem)) throw problem;
          await sidecars.discard(files.flatMap(({ from }) => ('file' in from ? [from.file] : [])));
          if (hasAnswered || !isFirst) throw damagedFiles(problem);
        }
      }
    } catch (problem) {
      if (signal.aborted) throw cancelled();
      throw problem instanceof EngineFailure ? engineError(problem) : problem;
    } finally {
      signal.removeEventListener('abort', end);
      await link.end();
    }
  };

  /** Results by id, the most recently used last. */
  const runs = new Map<string, Run>();
  const endRun = async (runId: string): Promise<void> => {
    const run = runs.get(runId);
    runs.delete(runId);
    run?.stop.abort();
    await run?.end();
  };
  const asked = async <T>(runId: string, ask: (link: AnalysisLink) => Promise<T>): Promise<T> => {
    const run = runs.get(runId);
    if (run?.link == null) throw letGo();
    runs.delete(runId);
    runs.set(runId, run);
    try {
      return await ask(run.link);
    } catch (problem) {
      throw problem instanceof EngineFailure ? engineError(problem) : problem;
    }
  };

  return {
    lists: async () =>
      (await orClosed(readable())).flatMap(({ source: _, query, ...view }) =>
        query === null ? [] : [{ ...view, query }],
      ),
    describe: async (parts = 'all') => {
      const described: DescribedView[] = [];
      for (const view of await orClosed(readable())) {
        if (parts === 'kinds' && view.schema !== null) continue;
        const { source: _, ...said } = view;
        const { rows, ...columns } = await orClosed(sidecars.columns(storedOf(view)));
        described.push({ ...said, ...columns, storedRows: rows });
      }
      return described;
    },
    run: async (runId, sql) => {
      const stop = new AbortController();
      const startedMs = clock.nowMs();
      const held = withQuery(sql, stop.signal, async function* ({ link, call }, files) {
        const { kept } = passed(await call('keep-sql', { sql, files, mostRows: MAX_RESULT_ROWS }));
        yield { link, kept, views: files.map(({ schema, name }) => viewKey(schema, name)) };
      });
      const run: Run = { stop, link: null, end: () => held.return(undefined) };
      // A second run with the same id ends the first one, whose process could otherwise not be released.
      detached('ending an earlier query', endRun(runId));
      for (const oldest of [...runs.keys()].slice(0, Math.max(0, runs.size + 1 - MAX_KEPT)))
        detached('ending an earlier query', endRun(oldest));
      runs.set(runId, run);
      try {
        const { value, done } = await held.next();
        if (done === true) throw cancelled();
        const { link, kept, views } = value;
        run.link = link;
        return { ...kept, views, tookMs: clock.nowMs() - startedMs };
      } catch (problem) {
        if (runs.get(runId) === run) runs.delete(runId);
        throw problem;
      }
    },
    rows: (runId, window) => asked(runId, (link) => link.call('kept-rows', { window })),
    profile: (runId, fields, filters) =>
      asked(runId, (link) => link.call('kept-profile', { fields: [...fields], filters: [...filters] })),
    stop: endRun,
    close: async () => {
      closing.abort();
      await Promise.all([...runs.keys()].map(endRun));
    },
    read: (sql, signal) =>
      withQuery(sql, signal, async function* ({ call }, files, sources) {
        const { columns } = passed(await call('run-sql', { sql, files }));
        for (let isFirst = true; ; isFirst = false) {
          const { rows } = passed(await call('sql-rows', {}));
          if (rows.length > 0 || isFirst) yield { columns, rows, sources };
          if (rows.length === 0) return;
        }
      }),
    write: async (sql, { columns, format, isExact, partitionBy }, target, signal, onProgress) => {
      const how = { columns, format, isExact, partitionBy };
      const writing = withQuery(sql, signal, async function* ({ call }, files) {
        const source = { form: 'sql' as const, sql, files };
        const written = passed(await call('export-rows', { source, ...how, target }, onProgress));
        if ('refused' in written) throw new AppError('INVALID_ARGUMENT', written.refused);
        yield written;
      });
      for await (const written of writing) return written;
      throw cancelled();
    },
  };
}

const keyOf = ({ schema, name }: SqlView): string => viewKey(schema ?? '', name);
function storedOf({ source }: ReadableView) {
  if (source.form === 'list') return source.generation;
  return source.form === 'kept' ? source.table : source;
}

const cancelled = () => new AppError('CANCELLED', 'The query was stopped.');
const letGo = () =>
  new AppError('NOT_STORED', 'This result was removed to make room for newer ones. Run the query again.');

function passed<T extends object>(answer: T | { fault: SqlFault }): T {
  if ('fault' in answer) throw sqlError(answer.fault);
  return answer;
}

function sqlError({ message, place }: SqlFault): AppError {
  if (isDiskFull(message)) return diskFull();
  const where = place === null ? ':' : ` line ${place.line}, column ${place.column}:`;
  return new AppError('INVALID_ARGUMENT', `SQL${where} ${message}`, place === null ? {} : { place });
}

const damagedFiles = (problem: unknown) =>
  new AppError(
    'STORE_DAMAGED',
    'A prepared file of this query was damaged, so the answer is not complete. The file was removed: run the query again.',
    {},
    problem,
  );

const diskFull = () =>
  new AppError('DISK_FULL', 'The disk has no room for this query. Free some space, or select less.');

function engineError({ message }: EngineFailure): AppError {
  if (isBeyondBounds(message)) return sqlError({ message: BEYOND_BOUNDS, place: null });
  if (isDiskFull(message)) return diskFull();
  return new AppError('INTERNAL', 'The query could not be run.', {}, new Error(message));
}
