/**
 * The scheduler at full load, beside bottleneck and p-queue (strict) on the same work: 30 requests a second and
 * 1,000 a minute, latency 40 to 160 ms, in virtual time against a service that counts truly rolling windows.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import type { Attempt } from '../../electron/core/attempt.ts';
import type { BudgetLedger } from '../../electron/core/budget-ledger.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { MemoryBudget } from '../../electron/scheduler/memory-budget.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { takeOverGlobals } from '../helpers/global-clock.ts';
import { ServiceModel } from '../helpers/service-model.ts';
import { START_MS, seededRandom, silentLogger, VirtualWorld } from '../helpers/virtual-world.ts';

const HOUR_MS = 3_600_000;
const ALLOWED_PER_HOUR = 60_000;
const QUEUE_DEPTHS = [10, 1_000, 100_000];
/** Requests that are measured at each depth, and those before, in which the code gets warm. */
const MEASURED = 20_000;
const WARM = 5_000;
/** Processor time, so that what else the machine does is not counted. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

interface Contender {
  name: string;
  /** Takes over the limiting of `send`; it must be called once for each `add`. */
  start(
    world: VirtualWorld,
    send: () => Promise<Attempt<null>>,
  ): { add: () => Promise<unknown>; stop: () => void };
}

const LANE = {
  origin: 'http://127.0.0.1',
  tokenId: 'token',
  operation: 'GET /v3/applications',
  category: 'metadata-read',
} as const;

function ours(
  name: string,
  open: (world: VirtualWorld) => { ledger: BudgetLedger; close: () => void },
): Contender {
  return {
    name,
    start(world, send) {
      const { ledger, close } = open(world);
      const random = seededRandom(7);
      const clock = world.process();
      const scheduler = createScheduler({ clock, random, budget: ledger, logger: silentLogger });
      const submission = { lane: LANE, priority: 'upload', isRepeatSafe: true, attempt: send } as const;
      return {
        add: () => scheduler.submit(submission),
        stop: () => {
          clock.kill();
          close();
        },
      };
    },
  };
}

const inMemory = ours('Spandeck', (world) => ({
  ledger: new MemoryBudget(() => START_MS + world.trueMs).open(),
  close: () => undefined,
}));

const onDisk = ours('Spandeck, budget file', (world) => {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-bench-'));
  const ledger = openBudgetStore({
    file: join(folder, 'budget.db'),
    clock: world.process(),
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

const bottleneck: Contender = {
  name: 'bottleneck',
  start(world, send) {
    const restore = takeOverGlobals(world);
    const [perSecond, perMinute] = LIMIT_CATEGORIES['metadata-read'].windows.map(
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
    return { add: () => chained.schedule(send), stop: restore };
  },
};

const pQueue: Contender = {
  name: 'p-queue strict',
  start(world, send) {
    const restore = takeOverGlobals(world);
    const [perSecond, perMinute] = LIMIT_CATEGORIES['metadata-read'].windows.map(
      ({ count, lengthMs }) => new PQueue({ intervalCap: count, interval: lengthMs, strict: true }),
    );
    if (perSecond === undefined || perMinute === undefined)
      throw new RangeError('Two windows were expected.');
    // It knows one window; a second queue inside the first is the usual way to have two.
    return { add: () => perMinute.add(() => perSecond.add(send)), stop: restore };
  },
};

/** Nobody decides: each request goes at a time that is known beforehand. What the simulation itself costs. */
const simulation: Contender = {
  name: 'simulation alone',
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

interface Load {
  sent: number;
  violations: number;
  cpuMs: number;
  addMs: number;
}

/** Keeps `depth` requests queued until `isOver`; measures from the first send. */
async function load(
  contender: Contender,
  depth: number,
  isOver: (sent: number, nowMs: number) => boolean,
  warm = 0,
) {
  const world = new VirtualWorld();
  const random = seededRandom(11);
  const service = new ServiceModel({
    counting: 'rolling',
    windows: LIMIT_CATEGORIES['metadata-read'].windows,
    clockMs: START_MS,
    policy: 'whole',
    retryAfter: 'seconds',
    penaltyMs: 0,
    resetIsFullLength: false,
  });
  const outcome: Load = { sent: 0, violations: 0, cpuMs: 0, addMs: 0 };
  let isStopped = false;
  const send = () => {
    outcome.sent++;
    return new Promise<Attempt<null>>((resolve) => {
      world.after(20 + random.next() * 60, () => {
        const { isAllowed, headers } = service.arrive(world.trueMs, true);
        const status = isAllowed ? 200 : 429;
        world.after(20 + random.next() * 60, () =>
          resolve({ kind: 'answered', status, rate: headers, value: null }),
        );
      });
    });
  };
  const { add, stop } = contender.start(world, send);
  const ignore = () => undefined;
  const refill = () => {
    if (!isStopped) add().then(refill, ignore);
  };
  const startedMs = spentMs();
  for (let index = 0; index < depth; index++) refill();
  const addedMs = spentMs();
  outcome.addMs = addedMs - startedMs;
  let warmMs = 0;
  await world.run(warmMs);
  while (outcome.sent < warm) {
    warmMs += 1_000;
    await world.run(warmMs);
  }
  const firstMs = spentMs();
  const sentBefore = outcome.sent;
  for (let untilMs = warmMs + 1_000; !isOver(outcome.sent, world.trueMs); untilMs += 1_000)
    await world.run(untilMs);
  outcome.cpuMs = spentMs() - firstMs;
  isStopped = true;
  outcome.violations = service.ownViolations;
  outcome.sent -= sentBefore;
  stop();
  return { ...outcome, sentInAll: outcome.sent + sentBefore };
}

async function hour(contender: Contender): Promise<BenchResult[]> {
  const done = await load(contender, 200, (_sent, nowMs) => nowMs >= HOUR_MS, WARM);
  const { name } = contender;
  return [
    result(
      `${name}: hour at full load`,
      done.sentInAll - done.violations,
      'requests',
      ALLOWED_PER_HOUR,
      'more is better; accepted of what the tightest window allows',
    ),
    result(
      `${name}: violations`,
      done.violations,
      'requests',
      0,
      'refused by a service with rolling windows',
    ),
    result(
      `${name}: decisions`,
      (done.sent / done.cpuMs) * 1_000,
      'per second',
      null,
      'more is better; of processor time, the simulation included',
    ),
  ];
}

async function costs(contender: Contender, simulationUs: Map<number, number>): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  let shallowUs: number | null = null;
  for (const depth of QUEUE_DEPTHS) {
    const done = await load(contender, depth, (sent) => sent >= MEASURED + WARM, WARM);
    const costUs = (done.cpuMs * 1_000) / done.sent;
    if (contender === simulation) simulationUs.set(depth, costUs);
    const ownUs = costUs - (simulationUs.get(depth) ?? 0);
    shallowUs ??= costUs;
    const own = contender === simulation ? '' : `; without the simulation ${ownUs.toFixed(1)} µs`;
    results.push(
      result(
        `${contender.name}: a decision with ${depth.toLocaleString('en-US')} queued`,
        costUs,
        'µs',
        shallowUs,
        `limit: the same with ${QUEUE_DEPTHS[0]} queued; adding one: ${((done.addMs * 1_000) / depth).toFixed(1)} µs${own}`,
      ),
    );
  }
  return results;
}

export async function run(): Promise<BenchResult[]> {
  const contenders = [inMemory, onDisk, bottleneck, pQueue];
  const results: BenchResult[] = [];
  const simulationUs = new Map<number, number>();
  for (const contender of contenders) results.push(...(await hour(contender)));
  for (const contender of [simulation, ...contenders]) {
    results.push(...(await costs(contender, simulationUs)));
  }
  results.push(
    result(
      'bottleneck, p-queue: days kept on disk',
      Number.NaN,
      '',
      null,
      'no window survives a restart of the process',
    ),
    result(
      'bottleneck, p-queue: several processes',
      Number.NaN,
      '',
      null,
      'bottleneck needs a Redis server, p-queue cannot',
    ),
  );
  return results;
}
