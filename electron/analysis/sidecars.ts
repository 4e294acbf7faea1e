/**
 * Manages the sidecars of one connection: for each list that was profiled, a file with typed columns. They are derived
 * data, so any of them may be deleted at any time.
 */

import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import { damagedError } from '../db/migrate.ts';
import { onlyReads } from '../db/only-reads.ts';
import type { StartChild } from '../platform/child-process.ts';
import type { ColumnFilter, ColumnProfile, ListProfile, Preparation } from '../shared/analysis-model.ts';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { numberText } from '../shared/count-text.ts';
import { detached } from '../shared/detached.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { SqlColumn } from '../shared/sql-model.ts';
import { isDiskFull } from './analysis-client.ts';
import { AnalysisLink, EngineFailure } from './analysis-link.ts';
import { isDamagedFile, isStoreDamage } from './file-damage.ts';
import type { ProfiledSource, ViewFile } from './protocol.ts';
import type { UnionPart } from './union-rows.ts';
import type { KeptTable } from './views.ts';

export type ProfiledGeneration = Pick<Generation, 'id' | 'listId' | 'revision' | 'rowCount'>;
/** The records of one kind in all lists. */
interface StoredUnion {
  /** Name of the view: letters, digits and underscores. */
  name: string;
  parts: readonly UnionPart[];
}
type Stored = ProfiledGeneration | StoredUnion | KeptTable;

interface Profiled {
  generation: ProfiledGeneration;
  /** Restricts the profile to rows at these positions, identified by `key`; null for all rows. */
  within: { key: string; positions: Int32Array<ArrayBuffer> } | null;
  /** Names of columns; null for all. */
  fields: readonly string[] | null;
  filters: readonly ColumnFilter[];
}

export interface Sidecars {
  /**
   * The profile that is available now: of a sample while a long list is being prepared. If the preparation failed,
   * throws its error once; the next call starts it again.
   */
  profile(request: Profiled): Promise<Pick<ListProfile, 'isSample' | 'preparation' | 'columns'>>;
  /** Positions of the passing rows, ascending. A long list is prepared first. */
  positions(
    generation: ProfiledGeneration,
    filters: readonly ColumnFilter[],
  ): Promise<Int32Array<ArrayBuffer>>;
  /**
   * Columns of a list with their names in SQL. `isSample`: they were found in a sample of its rows. Fast enough to call
   * for every list. `rows`: number of rows; null if records of several lists are not counted yet.
   */
  columns(stored: Stored): Promise<{ columns: SqlColumn[]; isSample: boolean; rows: number | null }>;
  /** The file of a list or of a union. It is prepared first if needed. */
  file(stored: Stored): Promise<string>;
  /**
   * The rows of a list or of a union for a query: its file, which is prepared first if needed. A process that only
   * reads prepares no files. It reads a short list into memory, and throws NOT_STORED for a longer one.
   */
  rows(stored: Stored): Promise<ViewFile['from']>;
  /** Deletes damaged files. They are prepared again at their next use. Throws STORE_FAILED if that is impossible. */
  discard(files: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

interface SidecarsDeps {
  folder: string;
  libraryFile: string;
  startChild: StartChild;
  clock: Clock;
  logger: Logger;
  /** Maximum number of rows of a list that is read into memory without creating a file. */
  mostRowsInMemory?: number;
  /** Progress in preparing a list; null when it has ended. */
  onPrepared: (preparation: Preparation | null) => void;
}

/** Incremented when the contents of sidecars change. */
const FORMAT = 4;
/** Maximum number of rows without a file, which are read within a second. */
const MAX_ROWS_IN_MEMORY = 20_000;
/** Maximum number of rows of one query that a process that only reads takes into memory, within a few seconds. */
const MAX_ROWS_UNPREPARED = 100_000;
const SAMPLE_ROWS = 1_000;
/** Sample size if only the columns are needed. */
const NAMED_ROWS = 300;
/** Maximum number of records of several lists that are counted when their columns are read. */
const COUNTED_ROWS = 20_000;
const IDLE_MS = 60_000;
const MAX_BYTES = 5_000_000_000;
/** Maximum number of lists whose columns are cached. The least recently used ones are dropped. */
const MAX_NAMED = 2_000;

interface Build {
  link: AnalysisLink;
  rows: number;
  done: Promise<string>;
  /** Number of callers that wait for the file. */
  waiting: number;
  /** True if a later state of the same list is being prepared too. */
  isSuperseded: boolean;
}

export function createSidecars(deps: SidecarsDeps): Sidecars {
  const { folder, libraryFile, startChild, clock, logger, mostRowsInMemory = MAX_ROWS_IN_MEMORY } = deps;
  const link = new AnalysisLink({ startChild, clock, idleMs: IDLE_MS });
  const builds = new Map<string, Build>();
  /**
   * Preparations that failed since the last request. The error is reported once, then the preparation is retried on
   * request.
   */
  const failures = new Map<string, AppError>();
  const named = new Map<string, { columns: SqlColumn[]; isSample: boolean; rows: number | null }>();
  /** Damaged files that were deleted, and files that were prepared again but not read yet. */
  const afterDamage = new Map<string, 'removed' | 'built'>();
  let isStopped = false;

  const nameOf = (stored: Stored) => {
    if (isKept(stored)) return `${stored.name}-${hashOf(stored.state)}-${FORMAT}.duckdb`;
    return isUnion(stored)
      ? `${stored.name}-${hashOf(stored.parts)}-${FORMAT}.duckdb`
      : `${stored.listId}-${stored.id}-${stored.revision}-${FORMAT}.duckdb`;
  };
  const listOf = ({ id }: ProfiledGeneration) => ({ libraryFile, generationId: id });
  const storedOf = (stored: Stored) => {
    if (isKept(stored)) return keptOf(stored);
    return isUnion(stored) ? { libraryFile, parts: [...stored.parts] } : listOf(stored);
  };

  const rowsIn = (stored: Stored) => {
    if (isKept(stored)) return { form: 'kept' as const, kept: keptOf(stored) };
    return isUnion(stored)
      ? { form: 'union' as const, union: { libraryFile, parts: [...stored.parts] } }
      : { form: 'stored' as const, stored: listOf(stored) };
  };

  const asked = async <T>(call: () => Promise<T>, store = libraryFile): Promise<T> => {
    try {
      return await call();
    } catch (problem) {
      if (!(problem instanceof EngineFailure)) throw problem;
      throw isStoreDamage(problem.message)
        ? damagedError(store, 'a part of it cannot be read.')
        : engineError(problem);
    }
  };
  const storeOf = (stored: Stored): string => (isKept(stored) ? stored.file : libraryFile);

  const discard = async (files: readonly string[]): Promise<void> => {
    if (onlyReads()) throw damagedColumns(null);
    logger.warn('damaged columns of lists are prepared anew', { files: files.length });
    for (const file of files) await whenFreeLater(() => rm(file, { force: true }));
  };

  /**
   * Repeats the request once if `file` is damaged, after deleting the file. Throws STORE_DAMAGED if the new one is
   * damaged too.
   */
  const orAnew = async <T>(
    file: string | null,
    ask: () => Promise<T>,
    again: () => Promise<T>,
    store = libraryFile,
  ): Promise<T> => {
    if (file === null) return asked(ask, store);
    // Read first, because several readers may find the same file damaged at the same time.
    const wasBuilt = afterDamage.get(file) === 'built';
    try {
      const answer = await ask();
      if (wasBuilt) afterDamage.delete(file);
      return answer;
    } catch (problem) {
      if (!isDamagedFile(problem)) return asked(() => Promise.reject(problem), store);
      await discard([file]);
      if (wasBuilt) afterDamage.delete(file);
      else afterDamage.set(file, 'removed');
      if (wasBuilt) throw damagedColumns(problem);
      return again();
    }
  };

  const build = (generation: Stored): Build => {
    const name = nameOf(generation);
    const known = builds.get(name);
    if (known !== undefined) return known;
    // A build for an older state of the same list is stopped if nobody waits for it. A log grows while queries read it,
    // so its builds continue.
    let hasAwaitedOlder = false;
    if (!isKept(generation))
      for (const [other, older] of builds) {
        if (!other.startsWith(prefixOf(name))) continue;
        older.isSuperseded = true;
        if (older.waiting > 0) hasAwaitedOlder = true;
        else detached('ending the preparation of an older list', older.link.end());
      }
    const own = new AnalysisLink({ startChild, clock, idleMs: 0 });
    const started: Build = {
      ...{ link: own, rows: 0, done: Promise.resolve(''), waiting: 0 },
      isSuperseded: false,
    };
    const target = join(folder, name);
    const run = async () => {
      if (onlyReads()) throw unpreparedError(generation);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await own.call('build-sidecar', { stored: storedOf(generation), target }, (rows) => {
        started.rows = rows;
        deps.onPrepared({ rows, totalRows: rowsOf(generation) });
      });
      if (afterDamage.has(target)) afterDamage.set(target, 'built');
      return target;
    };
    started.done = asked(run, storeOf(generation))
      .catch((problem: unknown) => {
        const failure = toAppError(problem);
        if (failure.code !== 'CANCELLED') {
          failures.set(name, failure);
          logger.warn('columns of a list not prepared', { reason: failure.message });
        }
        throw failure;
      })
      .finally(async () => {
        builds.delete(name);
        await own.end();
        if (!onlyReads() && !started.isSuperseded) {
          const keptMs = isKept(generation) || hasAwaitedOlder ? KEPT_FILE_MS : 0;
          await sweep(folder, name, logger, clock.nowMs(), keptMs);
        }
        if (!isStopped) deps.onPrepared(null);
      });
    // Callers that wait get the error, but there may be none.
    started.done.catch(() => undefined);
    builds.set(name, started);
    return started;
  };

  /** The file of a list, once it is prepared. */
  const built = async (generation: Stored): Promise<string> => {
    const awaited = build(generation);
    awaited.waiting += 1;
    try {
      return await awaited.done;
    } finally {
      awaited.waiting -= 1;
    }
  };

  /** The error of the last preparation, if it was not reported yet. */
  const takeFailure = (generation: Stored): AppError | undefined => {
    if (isStopped) throw new AppError('CANCELLED', 'The connection was closed.');
    const name = nameOf(generation);
    const failure = failures.get(name);
    failures.delete(name);
    return failure;
  };

  const findFile = async (generation: Stored): Promise<string | null> => {
    const file = join(folder, nameOf(generation));
    const isThere = await stat(file).then(
      () => true,
      () => false,
    );
    if (!isThere) return null;
    const now = new Date(clock.nowMs());
    if (!onlyReads()) await utimes(file, now, now);
    return file;
  };

  /** The finished sidecar; null if there is none yet. */
  const find = async (generation: ProfiledGeneration): Promise<ProfiledSource | null> => {
    if (generation.rowCount <= mostRowsInMemory)
      return { form: 'stored', key: nameOf(generation), stored: listOf(generation), sample: null };
    const file = await findFile(generation);
    return file === null ? null : { form: 'sidecar', file };
  };

  const profiles = (source: ProfiledSource, request: Profiled): Promise<ColumnProfile[]> =>
    link.call('profile', {
      source,
      within: request.within,
      fields: request.fields === null ? null : [...request.fields],
      filters: [...request.filters],
    });

  const sidecars: Sidecars = {
    profile: async (request) => {
      const { generation } = request;
      const failure = takeFailure(generation);
      if (failure !== undefined) throw failure;
      const source = await find(generation);
      if (source !== null)
        return orAnew(
          fileOf(source),
          async () => ({ isSample: false, preparation: null, columns: await profiles(source, request) }),
          () => sidecars.profile(request),
        );
      const key = nameOf(generation);
      const sample = { form: 'stored', key, stored: listOf(generation), sample: SAMPLE_ROWS } as const;
      // The first profile is awaited, because the preparation uses the processor for seconds.
      const columns = await asked(() => profiles(sample, request)).finally(() => {
        if (!isStopped) build(generation);
      });
      const rows = builds.get(key)?.rows ?? 0;
      return { isSample: true, preparation: { rows, totalRows: generation.rowCount }, columns };
    },
    positions: async (generation, filters) => {
      takeFailure(generation);
      const source = await find(generation);
      const ready = source ?? { form: 'sidecar' as const, file: await built(generation) };
      return orAnew(
        fileOf(ready),
        () => link.call('positions', { source: ready, filters: [...filters] }),
        () => sidecars.positions(generation, filters),
      );
    },
    columns: async (generation) => {
      const key = nameOf(generation);
      const file = await findFile(generation);
      const cached = `${key} ${file === null}`;
      const known = named.get(cached);
      if (known !== undefined) {
        // Moves the entry to the end, as the most recently used.
        named.delete(cached);
        named.set(cached, known);
        return known;
      }
      const isFew = rowsOf(generation) <= (isUnion(generation) ? COUNTED_ROWS : NAMED_ROWS);
      const isSample = file === null && !isFew;
      const sample = isSample ? NAMED_ROWS : null;
      const source: ProfiledSource =
        file === null ? { ...rowsIn(generation), key, sample } : { form: 'sidecar', file };
      const found = await orAnew(
        file,
        () => link.call('view-columns', { source }),
        async () => null,
        storeOf(generation),
      );
      if (found === null) return sidecars.columns(generation);
      const isUncounted = isSample && isUnion(generation) && generation.parts.length > 1;
      const rows = isUncounted ? null : isSample ? rowsOf(generation) : found.rows;
      const answer = { columns: found.columns, isSample, rows };
      // Removes the cached columns of older states, because they are not requested again.
      for (const other of named.keys()) if (other.startsWith(prefixOf(key))) named.delete(other);
      named.set(cached, answer);
      for (const oldest of [...named.keys()].slice(0, Math.max(0, named.size - MAX_NAMED)))
        named.delete(oldest);
      return answer;
    },
    file: async (generation) => {
      takeFailure(generation);
      return (await findFile(generation)) ?? built(generation);
    },
    rows: async (generation) => {
      if (!onlyReads()) return { file: await sidecars.file(generation) };
      const file = await findFile(generation);
      if (file !== null) return { file };
      if (rowsOf(generation) > MAX_ROWS_UNPREPARED) throw unpreparedError(generation);
      return { source: storedOf(generation) };
    },
    discard,
    stop: async () => {
      isStopped = true;
      await Promise.all([link.end(), ...[...builds.values()].map(({ link: own }) => own.end())]);
      await Promise.allSettled([...builds.values()].map(({ done }) => done));
    },
  };
  return sidecars;
}

const fileOf = (source: ProfiledSource): string | null => (source.form === 'sidecar' ? source.file : null);

const isKept = (stored: Stored): stored is KeptTable => 'state' in stored;
const keptOf = ({ file, name }: KeptTable) => ({ file, name });
const isUnion = (stored: Stored): stored is StoredUnion => 'parts' in stored;
/** Common prefix of the keys for all states of a list, or of a kind. */
const prefixOf = (fileName: string): string => fileName.slice(0, fileName.indexOf('-') + 1);

/** Upper bound of the number of rows, because a record may be in several lists. */
const rowsOf = (stored: Stored): number =>
  isKept(stored)
    ? stored.rows
    : isUnion(stored)
      ? stored.parts.reduce((sum, { rowCount }) => sum + rowCount, 0)
      : stored.rowCount;

const hashOf = (state: string | readonly UnionPart[]): string =>
  createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16);

function engineError({ message }: EngineFailure): AppError {
  if (isDiskFull(message))
    return new AppError(
      'DISK_FULL',
      'The disk has no room to prepare the columns of this list. Free some space, then try again.',
    );
  return new AppError('INTERNAL', 'The columns of this list could not be read.', {}, new Error(message));
}

const damagedColumns = (problem: unknown) =>
  new AppError(
    'STORE_DAMAGED',
    'The prepared columns of this list were damaged again right after they were prepared anew. Check the disk, then try again.',
    {},
    problem,
  );

/** The process of an agent must not change files, so a person has to prepare them. */
function unpreparedError(stored: Stored): AppError {
  const what = 'name' in stored ? stored.name : 'this list';
  return new AppError(
    'NOT_STORED',
    `The columns of ${what} (${numberText(rowsOf(stored))} rows) are not prepared in their present state, and a process that only reads prepares none of more than ${numberText(MAX_ROWS_UNPREPARED)} rows.`,
    {
      nextStep: `A person prepares them by any query, in the window or by: spandeck sql "SELECT count(*) FROM ${'name' in stored ? stored.name : '…'}"`,
    },
  );
}

/** Age of a partial file that was certainly abandoned, because a running build writes constantly. */
const PART_KEPT_MS = 60 * 60_000;
/**
 * Minimum age of an older state before it is deleted, because a query may be about to open it if the table grows
 * constantly.
 */
const KEPT_FILE_MS = 60_000;

/** Deletes older states of lists, and if the total size is too large, the least recently used sidecars. */
async function sweep(
  folder: string,
  newest: string,
  logger: Logger,
  nowMs: number,
  olderKeptMs: number,
): Promise<void> {
  try {
    const [list] = newest.split('-');
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        // Another process may have removed or renamed the file just now.
        const state = await stat(join(folder, name)).catch(() => null);
        return state === null ? [] : [{ name, size: state.size, mtimeMs: state.mtimeMs }];
      }),
    );
    let bytes = 0;
    for (const { name, size, mtimeMs } of found.flat().toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
      bytes += size;
      // A partial file belongs to a running build, here or in another process, or was left by a killed one.
      const isPart = name.includes('.part');
      if (isPart && nowMs - mtimeMs < PART_KEPT_MS) continue;
      const isOlder = name.startsWith(`${list}-`) && name !== newest && nowMs - mtimeMs >= olderKeptMs;
      const isOutdated = isPart || isOlder;
      if (isOutdated || (bytes > MAX_BYTES && name !== newest)) await rm(join(folder, name), WITH_RETRIES);
    }
  } catch (problem) {
    logger.warn('sidecars not swept', { reason: toAppError(problem).message });
  }
}
