/**
 * Any interleaving of SQL statements, coverage measurements, their cancellation and a stop: a query that nobody waits
 * for ends at any stage, and a stop leaves no process, timer or caller.
 */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { AnalysisRequest } from '../../electron/analysis/protocol.ts';
import { createSql, type Sql } from '../../electron/analysis/sql.ts';
import type { KeptTable } from '../../electron/analysis/views.ts';
import { createDatasets } from '../../electron/datasets/datasets.ts';
import type { DatasetsDeps } from '../../electron/datasets/types.ts';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import type { StartChild } from '../../electron/platform/child-process.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import type { Coverage, CoverageQuery } from '../../electron/shared/coverage-model.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { timed } from '../helpers/drain.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Maximum time in ms that an ending program waits for any part. */
const MAX_STOP_MS = 2_000;
/** Few runs, because each SQL statement creates a temporary folder. */
const RUNS = 300;
const MAX_RUNS = 5_000;

/** Places at which a query can hang: the names, the preparation of a list, a check, a query or its pages. */
const PLACES = ['names', 'file', 'check-sql', 'keep-sql', 'run-sql', 'sql-rows', 'kept-rows', null] as const;

const act = fc.record({
  kind: fc.constantFrom('run', 'run', 'read', 'read', 'rows', 'stop-run', 'leave', 'describe', 'close'),
  id: fc.constantFrom('tab 1', 'tab 2', 'tab 3', 'tab 4', 'tab 5'),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const TABLE = { name: 'requests', title: 'Requests', rows: 1, isComplete: true, oldestMs: null, state: '' };

class World {
  readonly #scheduler: fc.Scheduler;
  readonly #hangsAt: (typeof PLACES)[number];
  readonly #reads: AbortController[] = [];
  readonly clock = new VirtualClock();
  readonly sql: Sql;
  processes = 0;
  callers = 0;

  constructor(scheduler: fc.Scheduler, hangsAt: (typeof PLACES)[number]) {
    this.#scheduler = scheduler;
    this.#hangsAt = hangsAt;
    this.sql = createSql({
      lists: () => [],
      names: async () => {
        await this.#step('names');
        return new Map();
      },
      tables: () => [TABLE as unknown as KeptTable],
      sidecars: {
        rows: async () => {
          await this.#step('file');
          return { file: 'requests.parquet' };
        },
        columns: async () => {
          await this.#step('file');
          return { columns: [], isSample: false, rows: 1 };
        },
        discard: async () => undefined,
      },
      startChild: this.#startChild,
      clock: this.clock,
    });
  }

  async wait(label: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), label);
  }

  async #step(place: string): Promise<void> {
    if (this.#hangsAt === place) await new Promise(() => undefined);
    await this.wait(place);
  }

  readonly #startChild: StartChild = () => {
    this.processes += 1;
    let isAlive = true;
    let pages = 0;
    let take: (message: unknown) => void = () => undefined;
    const resultOf = ({ operation, ...given }: AnalysisRequest): unknown => {
      if (operation === 'check-sql') {
        const { views } = given as { views: string[] };
        return { isRead: true, tables: views.map((key) => ({ schema: '', name: key, key })) };
      }
      if (operation === 'keep-sql') return { kept: { columns: [], rows: 1, isCut: false } };
      if (operation === 'run-sql') return { columns: [] };
      if (operation === 'sql-rows') {
        pages += 1;
        return { rows: pages < 3 ? [[1]] : [] };
      }
      return operation === 'kept-rows' ? { rows: [] } : null;
    };
    const answer = async (request: AnalysisRequest) => {
      await this.#step(request.operation);
      if (isAlive) take({ id: request.id, kind: 'done', result: resultOf(request) });
    };
    return {
      send: (message) => void answer(message as AnalysisRequest),
      onMessage: (listener) => {
        take = listener;
      },
      onEnd: () => undefined,
      kill: () => {
        if (isAlive) this.processes -= 1;
        isAlive = false;
      },
    };
  };

  async do({ kind, id }: Act): Promise<void> {
    this.callers += 1;
    try {
      await this.#do(kind, id);
    } finally {
      this.callers -= 1;
    }
  }

  async #do(kind: Act['kind'], id: string): Promise<void> {
    if (kind === 'run') await this.sql.run(id, 'SELECT 1');
    if (kind === 'rows') await this.sql.rows(id, { offset: 0, limit: 1, order: null } as never);
    if (kind === 'stop-run') await this.sql.stop(id);
    if (kind === 'leave') for (const reading of this.#reads) reading.abort();
    if (kind === 'describe') await this.sql.describe();
    if (kind === 'close') await this.sql.close();
    if (kind === 'read') {
      const reading = new AbortController();
      this.#reads.push(reading);
      for await (const _page of this.sql.read('SELECT 1', reading.signal)) await this.wait('page shown');
    }
  }

  leave(): void {
    for (const reading of this.#reads) reading.abort();
  }
}

/** Codes of expected errors: a query that was ended, or rows of a result that was released. */
const EXPECTED = new Set(['CANCELLED', 'NOT_STORED']);
const isExpected = (thrown: unknown) => thrown instanceof AppError && EXPECTED.has(thrown.code);

test('a SQL statement that was left ends, and closing leaves no process, timer or caller', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(act, { minLength: 2, maxLength: 10 }),
      fc.constantFrom(...PLACES),
      fc.boolean(),
      async (scheduler, acts, hangsAt, areReadsLeft) => {
        const world = new World(scheduler, hangsAt);
        const unexpected: unknown[] = [];
        const running = acts.map(async (one) => {
          await world.wait(one.kind);
          await world.do(one).catch((thrown: unknown) => {
            if (!isExpected(thrown)) unexpected.push(thrown);
          });
        });
        for (let step = 0; step < acts.length * 2 && scheduler.count() > 0; step += 1)
          await scheduler.waitOne();
        if (areReadsLeft) world.leave();
        const stopMs = await timed(scheduler, world.clock, world.sql.close());
        await timed(scheduler, world.clock, Promise.all(running));
        const { processes, callers, clock } = world;
        expect({ processes, callers, timers: clock.pending, unexpected }).toEqual({
          ...{ processes: 0, callers: 0, timers: 0, unexpected: [] },
        });
        expect(stopMs).toBeLessThanOrEqual(MAX_STOP_MS);
      },
    ),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});

const folder = new DataFolder();
const store = openDatasetStore({
  ...{ file: folder.file('datasets.db'), clock: new VirtualClock(), logger: silentLogger },
});
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

test('a stop ends every measurement of coverage, and one that is asked later, without waiting for its thread', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('measure', 'measure', 'stop'), { minLength: 1, maxLength: 10 }),
      fc.boolean(),
      async (scheduler, acts, hangs) => {
        const clock = new VirtualClock();
        let threads = 0;
        const unexpected: unknown[] = [];
        const measureCoverage = async (_question: unknown, signal: AbortSignal): Promise<Coverage> => {
          threads += 1;
          const ended = Promise.withResolvers<never>();
          const end = () => ended.reject(new AppError('CANCELLED', 'Ended.'));
          if (signal.aborted) end();
          signal.addEventListener('abort', end, { once: true });
          try {
            const measured = hangs ? new Promise(() => undefined) : scheduler.schedule(Promise.resolve());
            await Promise.race([ended.promise, measured]);
            return {} as Coverage;
          } finally {
            threads -= 1;
          }
        };
        const datasets = createDatasets({
          ...{ store, clock, random: systemRandom, logger: silentLogger, measureCoverage },
          process: { pid: process.pid, isRunning: () => true },
        } as unknown as DatasetsDeps);
        const running = acts.map(async (one) => {
          await scheduler.schedule(Promise.resolve(), one);
          try {
            if (one === 'stop') await datasets.stop();
            else await datasets.measureCoverage({} as CoverageQuery);
          } catch (thrown) {
            if (!isExpected(thrown)) unexpected.push(thrown);
          }
        });
        for (let step = 0; step < acts.length && scheduler.count() > 0; step += 1) await scheduler.waitOne();
        const stopMs = await timed(scheduler, clock, datasets.stop());
        await timed(scheduler, clock, Promise.all(running));
        expect({ threads, timers: clock.pending, unexpected }).toEqual({
          ...{ threads: 0, timers: 0, unexpected: [] },
        });
        expect(stopMs).toBeLessThanOrEqual(MAX_STOP_MS);
      },
    ),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});
