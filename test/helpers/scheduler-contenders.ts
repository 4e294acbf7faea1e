/** The contenders in the benchmark of the scheduler. All get the same two windows of `metadata-read`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import type { BudgetLedger } from '../../electron/core/limits/budget-ledger.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import { MemoryBudget } from './memory-budget.ts';
import { START_MS, seededRandom, silentLogger, type VirtualWorld } from './virtual-world.ts';

export interface Contender {
  name: string;
  /** Whether it uses the global time and timers, which are those of the world while it runs. */
  usesGlobals: boolean;
  /** Starts to limit `send`, which it must call once for each `add`. */
  start(
    world: VirtualWorld,
    send: () => Promise<Attempt<null>>,
  ): { add: () => Promise<unknown>; stop: () => void };
}

export const WINDOWS = LIMIT_CATEGORIES['metadata-read'].windows;
/** Number of requests per hour that the tightest window allows. */
export const ALLOWED_PER_HOUR = 60_000;
export const HOUR_MS = 3_600_000;

export const LANE = {
  origin: 'http://127.0.0.1',
  tokenId: 'token',
  operation: 'GET /v3/applications',
  category: 'metadata-read',
} as const;

/** Timers that cost as little as those that replace the global timers for the other contenders. */
const plainClock = (world: VirtualWorld): Clock => ({
  nowMs: () => START_MS + world.trueMs,
  monotonicMs: () => world.trueMs,
  setTimer: (callback, delayMs) => world.after(Math.max(0, delayMs), callback),
});

function ours(
  name: string,
  open: (world: VirtualWorld) => { ledger: BudgetLedger; close: () => void },
): Contender {
  return {
    name,
    usesGlobals: false,
    start(world, send) {
      const { ledger, close } = open(world);
      const random = seededRandom(7);
      const clock = plainClock(world);
      const scheduler = createScheduler({ clock, random, budget: ledger, logger: silentLogger });
      const submission = { lane: LANE, priority: 'upload', isRepeatSafe: true, attempt: send } as const;
      return {
        add: () => scheduler.submit(submission),
        stop: close,
      };
    },
  };
}

export const inMemory = ours('Spandeck', (world) => ({
  ledger: new MemoryBudget(() => START_MS + world.trueMs).open(),
  close: () => undefined,
}));

export const onDisk = ours('Spandeck, budget file', (world) => {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-bench-'));
  const ledger = openBudgetStore({
    file: join(folder, 'budget.db'),
    clock: plainClock(world),
    logger: silentLogger,
    bootMs: () => world.trueMs,
  });
  return {
    ledger,
    close: () => {
      ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
});

export const bottleneck: Contender = {
  name: 'bottleneck',
  usesGlobals: true,
  start(_world, send) {
    const [perSecond, perMinute] = WINDOWS.map(
      ({ count, lengthMs }) =>
        new Bottleneck({
          reservoir: count,
          reservoirRefreshAmount: count,
          reservoirRefreshInterval: lengthMs,
        }),
    );
    if (perSecond === undefined || perMinute === undefined)
      throw new RangeError('Two windows were expected.');
    const chained = perMinute.chain(perSecond);
    return { add: () => chained.schedule(send), stop: () => undefined };
  },
};

export const pQueue: Contender = {
  name: 'p-queue strict',
  usesGlobals: true,
  start(_world, send) {
    const [perSecond, perMinute] = WINDOWS.map(
      ({ count, lengthMs }) => new PQueue({ intervalCap: count, interval: lengthMs, strict: true }),
    );
    if (perSecond === undefined || perMinute === undefined)
      throw new RangeError('Two windows were expected.');
    // It supports only one window. For two, a second queue inside the first is the usual solution.
    return { add: () => perMinute.add(() => perSecond.add(send)), stop: () => undefined };
  },
};

/**
 * Makes no decisions: each request is sent at a time that is known in advance. Its cost is that of the simulation
 * itself.
 */
export const simulation: Contender = {
  name: 'simulation alone',
  usesGlobals: false,
  start(world, send) {
    const everyMs = (HOUR_MS * 1.001) / ALLOWED_PER_HOUR;
    let nextMs = 0;
    return {
      add: () =>
        new Promise((resolve) => {
          nextMs = Math.max(nextMs + everyMs, world.trueMs);
          world.at(nextMs, () => send().then(resolve));
        }),
      stop: () => undefined,
    };
  },
};

export const CONTENDERS: readonly Contender[] = [simulation, inMemory, onDisk, pQueue, bottleneck];
