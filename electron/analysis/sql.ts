/** Typed SQL over what a connection has stored: checked, then run by a locked process that can only read. */
import { rename, rm } from 'node:fs/promises';
import type { Clock } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import type { StartChild } from '../platform/child-process.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import type { SqlPage, SqlView } from '../shared/sql-model.ts';
import { isDiskFull } from './analysis-client.ts';
import { AnalysisLink, EngineFailure } from './analysis-link.ts';
import type { Sidecars } from './sidecars.ts';
import type { SqlFault } from './typed-sql.ts';
import { viewsOf } from './views.ts';

export interface Sql {
  /** One view for each stored list. */
  views(): SqlView[];
  /**
   * The rows of one SELECT, in pages; the first page comes with no row where there is none. Whoever stops reading, or
   * aborts, ends the query. Throws INVALID_ARGUMENT for SQL that is refused, with the place; CANCELLED, DISK_FULL.
   */
  read(sql: string, signal: AbortSignal): AsyncGenerator<SqlPage>;
  /** Writes the rows as Parquet to `file`, which appears whole or not at all; answers how many. Throws as `read` does. */
  writeParquet(sql: string, file: string, signal: AbortSignal): Promise<number>;
}

interface SqlDeps {
  lists: () => { query: ListQuery; shown: Generation }[];
  sidecars: Pick<Sidecars, 'file'>;
  startChild: StartChild;
  clock: Clock;
}

/** The engine stops within some milliseconds; one that does not is ended. */
const STOP_MS = 1_000;
/** A person may look at a page for long. */
const IDLE_MS = 3_600_000;
/** A longer text is no question that a person typed. */
const MOST_CHARACTERS = 100_000;

export function createSql({ lists, sidecars, startChild, clock }: SqlDeps): Sql {
  /** One process for one query: only its end gives back what it used. */
  const withQuery = async function* <T>(
    sql: string,
    parquet: string | null,
    signal: AbortSignal,
    use: (
      link: AnalysisLink,
      begun: { columns: SqlPage['columns']; writtenRows: number },
    ) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    if (sql.length > MOST_CHARACTERS)
      throw new AppError('INVALID_ARGUMENT', `SQL of at most ${MOST_CHARACTERS} characters was expected.`);
    const link = new AnalysisLink({ startChild, clock, idleMs: IDLE_MS });
    let cancelEnd: () => void = () => undefined;
    const stop = () => {
      cancelEnd = clock.setTimer(() => void link.end(), STOP_MS);
      link.call('interrupt-sql', {}).catch(() => undefined);
    };
    signal.addEventListener('abort', stop);
    try {
      if (signal.aborted) throw new AppError('CANCELLED', 'The query was stopped.');
      const views = viewsOf(lists());
      const checked = await link.call('check-sql', { sql, views: views.map(({ name }) => name) });
      if (!checked.isRead) throw sqlError(checked.fault);
      const files: { name: string; file: string }[] = [];
      for (const { name, generation } of views)
        if (checked.tables.includes(name)) files.push({ name, file: await sidecars.file(generation) });
      yield* use(link, passed(await link.call('run-sql', { sql, files, parquet })));
    } catch (problem) {
      if (signal.aborted) throw new AppError('CANCELLED', 'The query was stopped.');
      throw problem instanceof EngineFailure ? engineError(problem) : problem;
    } finally {
      signal.removeEventListener('abort', stop);
      cancelEnd();
      await link.end();
    }
  };

  return {
    views: () => viewsOf(lists()).map(({ generation: _, ...view }) => view),
    read: (sql, signal) =>
      withQuery(sql, null, signal, async function* (link, { columns }) {
        for (let isFirst = true; ; isFirst = false) {
          const { rows } = passed(await link.call('sql-rows', {}));
          if (rows.length > 0 || isFirst) yield { columns, rows };
          if (rows.length === 0) return;
        }
      }),
    writeParquet: async (sql, file, signal) => {
      const part = `${file}.part`;
      try {
        let written = 0;
        const counts = withQuery(sql, part, signal, async function* (_, { writtenRows }) {
          yield await Promise.resolve(writtenRows);
        });
        for await (const rows of counts) written = rows;
        await rename(part, file);
        return written;
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

function passed<T extends object>(answer: T | { fault: SqlFault }): T {
  if ('fault' in answer) throw sqlError(answer.fault);
  return answer;
}

function sqlError({ message, place }: SqlFault): AppError {
  if (isDiskFull(message)) return diskFull();
  const where = place === null ? ':' : ` line ${place.line}, column ${place.column}:`;
  return new AppError('INVALID_ARGUMENT', `SQL${where} ${message}`, place === null ? {} : { place });
}

const diskFull = () =>
  new AppError('DISK_FULL', 'The disk has no room for this query. Free some space, or select less.');

function engineError({ message }: EngineFailure): AppError {
  if (isDiskFull(message)) return diskFull();
  return new AppError('INTERNAL', 'The query could not be run.', {}, new Error(message));
}
