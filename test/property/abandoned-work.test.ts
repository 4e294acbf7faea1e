/**
 * Any interleaving of opening, leaving and stopping: no request starts without a caller, and a stop leaves nothing
 * behind.
 */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { toItemRow } from '../../electron/api/item-row.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { createExports } from '../../electron/export/exports.ts';
import { exportShape } from '../../electron/export/stored-export.ts';
import type { Exports } from '../../electron/export/types.ts';
import { createLibrary, type Library } from '../../electron/library/library.ts';
import { createSearch, type Search } from '../../electron/library/search.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SearchAnswer } from '../../electron/shared/search-contract.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { drain, timed } from '../helpers/drain.ts';
import { exportOf } from '../helpers/export-rig.ts';
import { madeUpClient, notAsked } from '../helpers/made-up-client.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const folder = new DataFolder();
const clock = new VirtualClock();
const store = openLibraryStore({ file: folder.file('library.db'), clock, logger: silentLogger });
const exported = store.jobsOf(exportShape);
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

/** Maximum time in ms that an ending program waits for any part. */
const MAX_STOP_MS = 2_000;
const RUNS = 1_000;
const MAX_RUNS = 5_000;
const VIEWS = ['view 1', 'view 2'] as const;
const LISTS = ['models', 'scores'] as const;

const act = fc.record({
  kind: fc.constantFrom(
    ...(['open', 'open', 'record', 'rows', 'release', 'touch', 'wake', 'suspend', 'tick'] as const),
    ...(['export', 'pause', 'resume', 'cancel', 'find', 'stop'] as const),
  ),
  view: fc.constantFrom(...VIEWS),
  list: fc.constantFrom(...LISTS),
  refresh: fc.constantFrom('always', 'if-stale', 'never'),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const NOTHING_FOUND: SearchAnswer = {
  groups: [],
  applications: [],
  rowsLeft: 0,
  isCut: false,
  near: [],
  tookMs: 0,
};

let worlds = 0;

/**
 * The library, exports and search of one connection with a fake service, whose answers arrive in the order that
 * `scheduler` chooses.
 */
class World {
  readonly #scheduler: fc.Scheduler;
  readonly #place: string;
  readonly library: Library;
  readonly #exports: Exports;
  readonly #search: Search;
  readonly #exported = new Map<string, ListQuery>();
  /** The open query of each view, from when it was requested. */
  readonly #open = new Map<string, string>();
  readonly violations: string[] = [];
  requests = 0;
  threads = 0;
  #listen: () => void = () => undefined;
  hasStopped = false;
  /** Whether requests stay unanswered, as with a service that hangs. */
  readonly #isSilent: boolean;

  constructor(scheduler: fc.Scheduler, isSilent: boolean) {
    worlds += 1;
    this.#place = `app-${worlds}`;
    this.#scheduler = scheduler;
    this.#isSilent = isSilent;
    const client = madeUpClient({
      ...{ call: notAsked, list: notAsked },
      rows: async (operation, { path, paging }, { group, signal }) => {
        // The client does not send a request that was cancelled.
        if (signal?.aborted !== true)
          this.#note(operation, String(path?.['application_id'] ?? path?.['dataset_id']), group ?? '');
        this.requests += 1;
        try {
          await this.#answer(signal);
        } finally {
          this.requests -= 1;
        }
        const offset = paging?.offset ?? 0;
        const count = Math.max(0, Math.min(paging?.limit ?? 1, 7 - offset));
        const rows = Array.from({ length: count }, (_none, at) =>
          toItemRow({ id: `row ${offset + at}` }, 'id'),
        );
        return { rows, total: 7, offset };
      },
    });
    this.library = createLibrary({
      ...{ connectionId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', store: this.#watched(), client, clock },
      settings: () => ({ pageRows: 3, staleAfterMs: 300_000, prefetchRows: 5, mostListBytes: 2e9 }),
      openTabIds: () => [],
      logger: silentLogger,
      sidecars: { profile: notAsked, positions: notAsked },
      ...{ onListChanged: () => undefined, onRecordChanged: () => undefined },
    });
    this.#exports = createExports({
      heldBy: () => null,
      ...{
        connectionId: 'any',
        baseUrl: 'https://a.example',
        store: exported,
        library: this.library,
        client,
      },
      write: async (_work, signal, onProgress) => {
        this.threads += 1;
        try {
          await this.#answer(signal);
        } finally {
          this.threads -= 1;
        }
        onProgress(7);
        return {
          rows: 7,
          sizeBytes: 1,
          sha256: '',
          partitionedBy: null,
          files: [],
          columns: [],
          times: [],
          skipped: null,
        };
      },
      ...{
        writeTable: notAsked,
        lastSyncMs: () => null,
        readTable: notAsked,
        clock,
        random: systemRandom,
        logger: silentLogger,
      },
      process: { pid: process.pid, isRunning: () => true },
      onChanged: () => undefined,
      onReplaced: () => undefined,
    });
    this.#search = createSearch({
      changes: {
        note: () => undefined,
        listen: (heard) => (this.#listen = heard),
        hasSome: () => true,
        clear: () => undefined,
      },
      startThread: () => this.#searchThread(),
      uploads: () => [],
      isFollowing: true,
      ...{ clock, logger: silentLogger },
    });
  }

  /** The store, which reports if rows are written after everything has stopped. */
  #watched(): typeof store {
    const late = (what: string) => {
      if (this.hasStopped) this.violations.push(`${what} after the stop`);
    };
    const { lists, records } = store;
    const watch = <T extends object>(part: T, names: readonly (keyof T)[]): T =>
      new Proxy(part, {
        get: (target, name) => {
          if (names.includes(name as keyof T)) late(String(name));
          return Reflect.get(target, name, target) as unknown;
        },
      });
    return {
      ...store,
      lists: watch(lists, ['begin', 'append', 'show', 'discard', 'sweep']),
      records: watch(records, ['save', 'prune']),
    };
  }

  #searchThread() {
    const ending = new AbortController();
    this.threads += 1;
    return {
      hasEnded: false,
      changed: () => undefined,
      follow: () => this.#answer(ending.signal),
      find: async () => {
        await this.#answer(ending.signal);
        return NOTHING_FOUND;
      },
      close: async () => {
        const hasEnded = ending.signal.aborted;
        ending.abort();
        await this.wait('end of the search');
        if (!hasEnded) this.threads -= 1;
      },
    };
  }

  async #answer(signal: AbortSignal | undefined): Promise<void> {
    const ended = Promise.withResolvers<never>();
    const end = () => ended.reject(new AppError('CANCELLED', 'Ended.', { outcome: 'unsent' }));
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) end();
    const waits = this.#isSilent ? new Promise<never>(() => undefined) : this.wait('answer');
    await Promise.race([ended.promise, waits]);
  }

  /** Called when a request is sent: a view or an export must be waiting for it at that time. */
  #note(operation: string, place: string, group: string): void {
    const asked = `${operation} ${place}`;
    const isShown = [...this.#open.values()].includes(asked);
    const isExported = [...this.#exported].some(
      ([id, query]) =>
        `${query.operation} ${placeOf(query)}` === asked && this.#exports.get(id).state === 'running',
    );
    if (this.hasStopped) this.violations.push(`${asked} for ${group} after the stop`);
    else if (!isShown && !isExported) this.violations.push(`${asked} for ${group}, which nobody has open`);
  }

  async wait(label: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), label);
  }

  #query(list: Act['list']): ListQuery {
    return { operation: 'catalog.list', path: { application_id: `${this.#place}-${list}` }, query: {} };
  }

  async do({ kind, view, list, refresh }: Act): Promise<void> {
    const query = this.#query(list);
    const exportId = [...this.#exported.keys()].at(-1);
    if (kind === 'open') {
      this.#open.set(view, `${query.operation} ${placeOf(query)}`);
      await this.library.openList({ viewId: view, query, refresh });
    }
    if (kind === 'record') {
      // A record that the same tab shows beside its list.
      const record: ListQuery = {
        operation: 'datasets.get',
        path: { dataset_id: `${this.#place}-${list}` },
        query: {},
      };
      this.#open.set(`${view} inspector`, `${record.operation} ${placeOf(record)}`);
      await this.library.openRecord({ viewId: `${view} inspector`, query: record, refresh });
    }
    if (kind === 'rows' && this.#open.get(view) === `${query.operation} ${placeOf(query)}`)
      await this.library.fetchRows({ viewId: view, query, offset: 6 });
    if (kind === 'release') this.release(view);
    if (kind === 'touch')
      this.library.invalidate([{ operation: 'catalog.list' }, { operation: 'datasets.get' }]);
    if (kind === 'wake') this.#each((part) => part.wake());
    if (kind === 'suspend') this.#each((part) => part.suspend(new AppError('OFFLINE', 'No way.')));
    if (kind === 'tick') {
      this.#listen();
      clock.advance(5_000);
    }
    if (kind === 'export') {
      const file = folder.file(`${this.#place}-${list}.csv`);
      const start = { file, startAtMs: null, notBeforeMs: 0 };
      const job = await this.#exports.create(exportOf({ query }), { ...start, file: null });
      this.#exported.set(job.exportId, query);
      if (!this.hasStopped) this.#exports.chooseFile(job.exportId, file);
    }
    if (exportId !== undefined && (kind === 'pause' || kind === 'resume' || kind === 'cancel'))
      this.#exports.control(exportId, kind);
    if (kind === 'find') {
      const nothing = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
      await this.#search.find({ ...nothing, typed: 'x', offset: 0, limit: 1 });
    }
    if (kind === 'stop') await this.stop();
  }

  #each(act: (part: Pick<Library, 'wake' | 'suspend'>) => void): void {
    for (const part of [this.#exports, this.library]) act(part);
  }

  release(view: string): void {
    this.#open.delete(view);
    this.#open.delete(`${view} inspector`);
    this.library.release(view);
    this.library.release(`${view} inspector`);
  }

  haltExports(): void {
    for (const id of this.#exported.keys())
      if (['running', 'waiting'].includes(this.#exports.get(id).state)) this.#exports.control(id, 'pause');
  }

  /** Stops the parts in the order of a session. */
  async stop(): Promise<void> {
    await this.#exports.stop();
    await this.library.stop();
    await this.#search.stop();
    this.hasStopped = true;
  }

  leases(): string[] {
    return [...this.#exported.keys()].filter((id) => exported.jobs.leases.read(id) !== null);
  }
}

const placeOf = ({ path }: ListQuery): string => String(path['application_id'] ?? path['dataset_id']);

/** Codes of expected errors: cancelled work, and actions that are impossible in the state of an export. */
const EXPECTED = new Set(['CANCELLED', 'INVALID_ARGUMENT', 'CONFLICT', 'NOT_STORED', 'OFFLINE']);

const isExpected = (thrown: unknown) => thrown instanceof AppError && EXPECTED.has(thrown.code);

/** Starts all actions in an order that the scheduler chooses. Returns the unexpected errors. */
function play(world: World, acts: readonly Act[]): { done: Promise<unknown>; unexpected: unknown[] } {
  const unexpected: unknown[] = [];
  const running = acts.map(async (one) => {
    await world.wait(one.kind);
    await world.do(one).catch((thrown: unknown) => {
      if (!isExpected(thrown)) unexpected.push(thrown);
    });
  });
  return { done: Promise.all(running), unexpected };
}

const acts = fc.array(act, { minLength: 2, maxLength: 12 });

test('work that every view and the user have left starts no request and ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), acts, async (scheduler, given) => {
      const world = new World(scheduler, false);
      const { done, unexpected } = play(
        world,
        given.filter(({ kind }) => kind !== 'stop'),
      );
      await drain(scheduler);
      for (const view of VIEWS) world.release(view);
      world.haltExports();
      await drain(scheduler);
      await done;
      const { requests } = world;
      clock.advance(3_600_000);
      await drain(scheduler);
      const { violations } = world;
      await timed(scheduler, clock, world.stop());
      expect({ requests, violations, unexpected, leases: world.leases() }).toEqual({
        ...{ requests: 0, violations: [], unexpected: [], leases: [] },
      });
    }),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});

test('a stop ends within two seconds and leaves no request, timer, thread, lease or late write', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), acts, fc.boolean(), async (scheduler, given, isSilent) => {
      const world = new World(scheduler, isSilent);
      const { done, unexpected } = play(world, given);
      const steps = given.length * 2;
      for (let step = 0; step < steps && scheduler.count() > 0; step += 1) await scheduler.waitOne();
      const stopMs = await timed(scheduler, clock, world.stop());
      await timed(scheduler, clock, done);
      const { requests, threads } = world;
      const left = { requests, threads, timers: clock.pending, leases: world.leases() };
      clock.advance(3_600_000);
      await drain(scheduler);
      expect(left).toEqual({ requests: 0, threads: 0, timers: 0, leases: [] });
      expect(world.violations).toEqual([]);
      expect(unexpected).toEqual([]);
      expect(stopMs).toBeLessThanOrEqual(MAX_STOP_MS);
    }),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});
