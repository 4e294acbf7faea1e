/** A change of many records: its states for any events, and its complete life with kills at any moment. */
import BetterSqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createBulk } from '../../electron/bulk/bulk.ts';
import type { BulkDeps } from '../../electron/bulk/types.ts';
import {
  type BulkCore,
  type BulkEvent,
  bulkTransition,
  NEW_BULK,
  NO_ITEMS,
} from '../../electron/core/jobs/bulk-act.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { migrate } from '../../electron/db/migrate.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { createUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { BULK_ITEM_STATES, type BulkAct } from '../../electron/shared/bulk-contract.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { seededRandom, settled, silentLogger } from '../helpers/virtual-world.ts';

const NOW = 1_000_000;
const itemState = fc.constantFrom(...BULK_ITEM_STATES);
const event: fc.Arbitrary<BulkEvent> = fc.oneof(
  fc.constantFrom<BulkEvent>(
    ...(['start', 'wake', 'resume', 'interrupt', 'cancel', 'settle'] as const).map((type) => ({ type })),
  ),
  fc.record({
    type: fc.constantFrom('pause' as const, 'wait' as const),
    reason: fc.string({ maxLength: 5 }),
    error: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('schedule' as const),
    startAtMs: fc.option(fc.integer({ min: NOW - 5, max: NOW + 5 })),
    nowMs: fc.constant(NOW),
  }),
  fc.record({ type: fc.constant('due' as const), nowMs: fc.integer({ min: NOW - 5, max: NOW + 200_000 }) }),
  fc.record({
    type: fc.constant('move' as const),
    from: itemState,
    to: itemState,
    count: fc.integer({ min: 0, max: 3 }),
  }),
);

/** An impossible event changes nothing, and is rejected with a sentence. */
function step(act: BulkCore, next: BulkEvent): BulkCore {
  try {
    return bulkTransition(act, next);
  } catch (problem) {
    if (!(problem instanceof AppError)) throw problem;
    expect(['INVALID_ARGUMENT', 'INTERNAL']).toContain(problem.code);
    expect(problem.message).toMatch(/\.$/);
    return act;
  }
}

const sum = (counts: BulkCore['counts']) => Object.values(counts).reduce((all, count) => all + count, 0);

test('no record is lost, done records stay done, and done means that nothing waits', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (events, records) => {
      let act: BulkCore = { ...NEW_BULK, counts: { ...NO_ITEMS, waiting: records } };
      for (const next of events) {
        const before = act;
        act = step(act, next);
        expect(sum(act.counts)).toBe(records);
        expect(Object.values(act.counts).every((count) => count >= 0)).toBe(true);
        expect(act.counts.done).toBeGreaterThanOrEqual(before.counts.done);
        expect(act.startAtMs !== null).toBe(act.state === 'scheduled');
        if (next.type === 'settle' && act.state !== before.state) {
          expect(act).toMatchObject({ state: 'done', counts: { waiting: 0, sending: 0 } });
        }
        // No change starts automatically before its time.
        if (next.type === 'due' && before.state === 'scheduled' && act.state === 'running')
          expect(before.startAtMs).toBeLessThanOrEqual(next.nowMs);
      }
    }),
  );
});

/** Possible outcomes of a request. */
const FATES = [
  'ok',
  'refused',
  'lost before',
  'lost after',
  'lost on the way',
  'busy',
  'never ends',
] as const;
type Fate = (typeof FATES)[number];
type Chance = 'go on' | 'kill' | 'pause' | 'stop';

/** A service with records that can be deleted, and the requests that it received. */
class Records {
  readonly there: Set<string>;
  /** Number of executed deletions by record. Deletions of missing records are counted separately. */
  readonly carriedOut = new Map<string, number>();
  tooMany = 0;
  #fates: Fate[];

  constructor(ids: readonly string[], fates: readonly Fate[]) {
    this.there = new Set(ids);
    this.#fates = [...fates];
  }

  delete(
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; record: null; requestId: string; job: null }> {
    const fate = this.#fates.shift() ?? 'ok';
    const unknown = (code: 'TIMEOUT' | 'CONNECTION_LOST') =>
      Promise.reject(new AppError(code, 'No answer came.', { outcome: 'unknown' }));
    switch (fate) {
      case 'refused':
        return Promise.reject(new AppError('CONFLICT', 'It is used.', { status: 409, outcome: 'answered' }));
      case 'lost before':
        return Promise.reject(new AppError('CONNECTION_REFUSED', 'Nothing left.', { outcome: 'unsent' }));
      case 'busy':
        return Promise.reject(
          new AppError('SERVICE_UNAVAILABLE', 'Not now.', { status: 503, outcome: 'answered' }),
        );
      case 'lost on the way':
        return unknown('TIMEOUT');
      case 'lost after':
        this.#carryOut(id);
        return unknown('CONNECTION_LOST');
      case 'never ends':
        this.#carryOut(id);
        return new Promise((_, reject) => {
          const isLost = () => reject(new AppError('CANCELLED', 'Taken back.', { outcome: 'unknown' }));
          signal?.addEventListener('abort', isLost);
        });
      case 'ok':
        this.#carryOut(id);
        return Promise.resolve({ status: 200, record: null, requestId: 'r', job: null });
    }
  }

  #carryOut(id: string): void {
    if (!this.there.delete(id)) this.tooMany += 1;
    this.carriedOut.set(id, (this.carriedOut.get(id) ?? 0) + 1);
  }
}

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const end of cleanUps.splice(0)) end();
});

class World {
  readonly clock = new VirtualClock();
  readonly store: UploadStore;
  readonly service: Records;
  readonly alive = new Set<number>();
  #life = 0;

  constructor(service: Records) {
    const db = new BetterSqlite(':memory:');
    db.pragma('foreign_keys = ON');
    migrate(db, { file: ':memory:', migrations: UPLOAD_MIGRATIONS, clock: this.clock, logger: silentLogger });
    this.store = createUploadStore(db);
    cleanUps.push(() => db.close());
    this.service = service;
  }

  /** Starts a process. Once it is dead, its further work has no effect. */
  live() {
    this.#life += 1;
    const pid = this.#life;
    this.alive.add(pid);
    const guarded = <T>(work: () => T): T => {
      if (!this.alive.has(pid)) throw new AppError('INTERNAL', 'This process is dead.');
      return work();
    };
    const ofTheLiving = <T extends object>(part: T): T =>
      new Proxy(part, {
        get: (target, name, receiver) => {
          const value: unknown = Reflect.get(target, name, receiver);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => guarded<unknown>(() => Reflect.apply(value, target, args));
        },
      });
    const { bulk: stored } = this.store;
    const bulk = ofTheLiving({ ...stored, leases: ofTheLiving(stored.leases) });
    const deps: BulkDeps = {
      connectionId: 'c',
      store: {
        bulk,
        bulkParts: ofTheLiving(this.store.bulkParts),
        commit: (work) => guarded(() => this.store.commit(work)),
      },
      resources: {
        checkRepeatable: () => undefined,
        act: (request, options) =>
          guarded(() => this.service.delete(request.path['id'] ?? '', options?.signal)),
        readTarget: async () => ({ kind: 'none' }),
        look: async (request) => (this.service.there.has(request.path['id'] ?? '') ? 'undone' : 'done'),
      },
      clock: this.#clockOf(pid),
      random: seededRandom(pid),
      logger: silentLogger,
      process: { pid, isRunning: (other) => this.alive.has(other) },
      durationMs: () => 0,
      readOf: () => null,
      waitMs: () => 0,
      blockingError: () => null,
      onChanged: () => undefined,
    };
    return { bulk: createBulk(deps), kill: () => this.alive.delete(pid) };
  }

  #clockOf(pid: number): Clock {
    return {
      nowMs: () => this.clock.nowMs(),
      monotonicMs: () => this.clock.monotonicMs(),
      setTimer: (callback, delayMs) => this.clock.setTimer(() => this.alive.has(pid) && callback(), delayMs),
    };
  }

  async pass(ms = 70_000): Promise<void> {
    await settled();
    this.clock.advance(ms);
    await settled();
  }
}

const request = {
  operation: 'baselines.delete',
  path: {},
  query: {},
  body: null,
  ids: { place: 'path' as const, name: 'id' },
};
const words = {
  title: 'Delete baselines',
  noun: 'baseline',
  nouns: 'baselines',
  going: 'Deleting',
  done: 'deleted',
};

describe('bulk changes from start to end', () => {
  test('every record is finished once, and no deleted one is sent again, in any schedule', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.constantFrom<Fate>(...FATES), { maxLength: 14 }),
        fc.array(fc.constantFrom<Chance>('go on', 'go on', 'kill', 'pause', 'stop'), { maxLength: 8 }),
        async (count, fates, chances) => {
          const ids = Array.from({ length: count }, (_, index) => `b${index}`);
          const world = new World(new Records(ids, fates));
          let life = world.live();
          const records = ids.map((id) => ({ id, name: id }));
          const { bulkId } = await life.bulk.create({ request, words, records, startAtMs: null });
          const restart = () => {
            life.kill();
            life = world.live();
            life.bulk.recover(true);
          };
          const start = () => {
            const { state, counts } = life.bulk.get(bulkId);
            const isRetried = state === 'stopped' || (state === 'done' && counts.unknown > 0);
            if (state === 'paused') life.bulk.control(bulkId, 'resume', null);
            else if (isRetried && counts.failed + counts.left + counts.unknown > 0)
              life.bulk.control(bulkId, 'retry', null);
          };
          for (const chance of chances) {
            await settled();
            const { state } = life.bulk.get(bulkId);
            const isGoing = state === 'running' || state === 'waiting';
            if (chance === 'kill') restart();
            else if (isGoing && chance !== 'go on') life.bulk.control(bulkId, chance, null);
            else if (state !== 'done') {
              await world.pass();
              start();
            }
          }
          // From here on the service answers. A request that hangs ends with its process, or is cancelled.
          let act: BulkAct = life.bulk.get(bulkId);
          for (let turn = 0; turn < 12 && (act.state !== 'done' || act.counts.unknown > 0); turn += 1) {
            restart();
            await world.pass();
            start();
            await world.pass();
            act = life.bulk.get(bulkId);
          }
          act = life.bulk.get(bulkId);
          expect(act.counts).toMatchObject({ waiting: 0, sending: 0, left: 0, unknown: 0 });
          expect(act.counts.done + act.counts.failed).toBe(count);
          expect(world.service.tooMany).toBe(0);
          expect(act.counts.done).toBe(count - world.service.there.size);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
