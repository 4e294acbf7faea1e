/**
 * Real processes on one budget file, in real time: measures the cost of sharing, and whether the limit is kept. Each
 * process always has requests waiting, and answers them itself. The arrivals at the service are counted together
 * afterwards.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import type { LimitWindow } from '../../electron/core/limits/limits.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { bootMs } from '../../electron/db/process-identity.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import { LANE } from './scheduler-contenders.ts';
import { silentLogger } from './virtual-world.ts';

export interface SharedWork {
  windows: readonly LimitWindow[];
  /** Length of the measurement in ms, from the first request of all. */
  ms: number;
  /** Longest time in ms between sending and answering. The shortest is half of it. */
  latencyMs: number;
}

export interface SharedUse {
  /** Number of requests during the measurement. */
  requests: number;
  /** Number of requests that a service with rolling windows would reject. */
  violations: number;
  /** Processor time of all processes per request, in microseconds. */
  us: number;
}

interface Done {
  arrivedMs: number[];
  spentUs: number;
}

const QUEUED = 300;
/** Processes continue longer by this time in ms, as some start a little later than others. */
const LONGER_MS = 300;

/** Runs this number of processes in parallel, all starting at the same time. */
export async function share(processes: number, work: SharedWork): Promise<SharedUse> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-sharing-'));
  const options = JSON.stringify({ ...work, file: join(folder, 'budget.db') });
  const children = Array.from({ length: processes }, () => fork(import.meta.filename, [options]));
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const all = await Promise.all(children.map(run));
    const arrivedMs = all.flatMap((done) => done.arrivedMs).sort((a, b) => a - b);
    const spentUs = all.reduce((sum, done) => sum + done.spentUs, 0);
    const untilMs = (arrivedMs[0] ?? 0) + work.ms;
    return {
      requests: arrivedMs.filter((atMs) => atMs < untilMs).length,
      violations: violationsOf(arrivedMs, work.windows),
      us: spentUs / arrivedMs.length,
    };
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
    rmSync(folder, { recursive: true });
  }
}

async function run(child: ChildProcess): Promise<Done> {
  const done = once(child, 'message');
  child.send('go');
  const [report] = await done;
  return report;
}

/** Counts the requests that exceed a window. Accepted requests use capacity, rejected ones do not. */
function violationsOf(arrivedMs: readonly number[], windows: readonly LimitWindow[]): number {
  const counted: number[] = [];
  let violations = 0;
  for (const atMs of arrivedMs) {
    const isFull = ({ count, lengthMs }: LimitWindow) => (counted.at(-count) ?? 0) > atMs - lengthMs;
    if (windows.some(isFull)) violations++;
    else counted.push(atMs);
  }
  return violations;
}

class SharingProcess {
  readonly #work: SharedWork;
  readonly #budget;
  readonly #scheduler;
  readonly #limit: string;
  readonly #arrivedMs: number[] = [];
  #isOver = false;

  constructor(work: SharedWork & { file: string }) {
    this.#work = work;
    this.#limit = work.windows
      .map(({ count, lengthMs }) => `${count} per ${lengthMs / 1_000} second`)
      .join(', ');
    const ports = { clock: systemClock, logger: silentLogger };
    this.#budget = openBudgetStore({ ...ports, file: work.file });
    this.#scheduler = createScheduler({ ...ports, random: systemRandom, budget: this.#budget });
  }

  async run(): Promise<Done> {
    const before = process.cpuUsage();
    for (let index = 0; index < QUEUED; index++) this.#refill();
    await new Promise<void>((resolve) => systemClock.setTimer(resolve, this.#work.ms + LONGER_MS));
    const { user, system } = process.cpuUsage(before);
    this.#isOver = true;
    await this.#scheduler.stop();
    this.#budget.close();
    return { arrivedMs: this.#arrivedMs, spentUs: user + system };
  }

  readonly #refill = (): void => {
    if (this.#isOver) return;
    const submission = {
      lane: LANE,
      priority: 'upload',
      isRepeatSafe: true,
      attempt: this.#attempt,
    } as const;
    this.#scheduler.submit(submission).then(this.#refill, () => undefined);
  };

  readonly #attempt = (): Promise<Attempt<null>> => {
    const latencyMs = (this.#work.latencyMs * (1 + systemRandom.next())) / 2;
    this.#arrivedMs.push(bootMs() + latencyMs / 2);
    const rate = { limit: this.#limit, remaining: null, reset: null, retryAfter: null, date: null };
    return new Promise((resolve) =>
      systemClock.setTimer(() => resolve({ kind: 'answered', status: 200, rate, value: null }), latencyMs),
    );
  };
}

if (import.meta.main) {
  const sharing = new SharingProcess(JSON.parse(process.argv[2] ?? '{}'));
  process.once('message', async () => process.send?.(await sharing.run()));
  process.send?.('ready');
}
