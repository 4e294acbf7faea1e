/** One schedule of a scheduler's life against a strict service, in virtual time; returns what went wrong. */
import type { Attempt } from '../../electron/core/attempt.ts';
import { LIMIT_CATEGORIES, type LimitCategory } from '../../electron/core/limits.ts';
import type { Random } from '../../electron/core/ports.ts';
import type { Priority } from '../../electron/core/priority.ts';
import { MemoryBudget } from '../../electron/scheduler/memory-budget.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import type { AttemptContext, RequestScheduler } from '../../electron/scheduler/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { type Counting, type PolicyForm, type RetryAfterForm, ServiceModel } from './service-model.ts';
import { START_MS, seededRandom, silentLogger, VirtualWorld } from './virtual-world.ts';

export interface Burst {
  atMs: number;
  count: number;
  process: number;
  lane: number;
  priority: Priority;
  group: string;
  isRepeatSafe: boolean;
  isShared: boolean;
  /** Cancelled so long after its submission; null: never. */
  abortAfterMs: number | null;
}

export interface Schedule {
  seed: number;
  category: LimitCategory;
  counting: Counting;
  policy: PolicyForm;
  retryAfter: RetryAfterForm;
  penaltyMs: number;
  resetIsFullLength: boolean;
  serviceClockMs: number;
  minLatencyMs: number;
  jitterMs: number;
  bursts: Burst[];
  foreign: { atMs: number; count: number; lane: number }[];
  jumps: { atMs: number; byMs: number }[];
  kills: { atMs: number; process: number; restartAfterMs: number }[];
  /** Shares of requests that end so. */
  faults: { failed500: number; unsent: number; lost: number };
  downs: { fromMs: number; lengthMs: number }[];
  /** A person pauses a lane (null: all) of one process, and resumes it. */
  pauses: { atMs: number; forMs: number; process: number; lane: number | null }[];
}

export interface Outcome {
  /** Own requests over a limit, whatever others do. */
  violations: number;
  refusals: number;
  /** Sent although a Retry-After had not run out. */
  early: number;
  submitted: number;
  settled: number;
  /** Sent after their promise was settled. */
  afterSettle: number;
  /** Sent although a person had paused the lane in that process. */
  whilePaused: number;
  sent: number;
  endMs: number;
}

const PROCESSES = 2;
const LANES = 2;

interface Process {
  scheduler: RequestScheduler;
  /** Another number after each restart; null while it is dead. */
  life: number | null;
  kill: () => void;
  /** Submissions that die with the process. */
  waiting: Set<() => void>;
  /** By lane: did a person pause it? */
  isPaused: boolean[];
}

const TOKEN = { origin: 'http://127.0.0.1', tokenId: 'token' };
const operationOf = (lane: number) => `GET /v3/lane-${lane}`;

class Simulation {
  readonly world = new VirtualWorld();
  readonly #schedule: Schedule;
  readonly #random: Random;
  readonly #budget: MemoryBudget;
  readonly #services: ServiceModel[];
  /** True time before which a lane may not send, by the service's word. */
  readonly #notBeforeMs: number[] = Array.from({ length: LANES }, () => 0);
  readonly #processes: Process[] = [];
  #lives = 0;
  readonly outcome: Outcome = {
    violations: 0,
    refusals: 0,
    early: 0,
    submitted: 0,
    settled: 0,
    afterSettle: 0,
    whilePaused: 0,
    sent: 0,
    endMs: 0,
  };

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.#random = seededRandom(schedule.seed);
    this.#budget = new MemoryBudget(() => START_MS + this.world.trueMs);
    this.#services = Array.from(
      { length: LANES },
      () =>
        new ServiceModel({
          counting: schedule.counting,
          windows: LIMIT_CATEGORIES[schedule.category].windows,
          clockMs: START_MS + schedule.serviceClockMs,
          policy: schedule.policy,
          retryAfter: schedule.retryAfter,
          penaltyMs: schedule.penaltyMs,
          resetIsFullLength: schedule.resetIsFullLength,
        }),
    );
    for (let index = 0; index < PROCESSES; index++) this.#start(index);
    for (const burst of schedule.bursts) this.world.at(burst.atMs, () => this.#burst(burst));
    for (const { atMs, count, lane } of schedule.foreign)
      this.world.at(atMs, () => this.#useForeign(lane, count));
    for (const { atMs, byMs } of schedule.jumps) {
      this.world.at(atMs, () => {
        this.world.wallErrorMs += byMs;
      });
    }
    for (const pause of schedule.pauses) this.world.at(pause.atMs, () => this.#pause(pause));
    for (const kill of schedule.kills)
      this.world.at(kill.atMs, () => this.#kill(kill.process, kill.restartAfterMs));
  }

  async run(): Promise<Outcome> {
    await this.world.run();
    const { outcome } = this;
    for (const service of this.#services) {
      outcome.violations += service.ownViolations;
      outcome.refusals += service.refusals;
    }
    outcome.endMs = this.world.trueMs;
    return outcome;
  }

  #start(index: number): void {
    const clock = this.world.process();
    const scheduler = createScheduler({
      clock,
      random: this.#random,
      budget: this.#budget.open(),
      logger: silentLogger,
    });
    this.#processes[index] = {
      scheduler,
      life: ++this.#lives,
      kill: clock.kill,
      waiting: new Set(),
      isPaused: [],
    };
  }

  /** Timers and pending writes are gone; requests on the wire arrive all the same. */
  #kill(index: number, restartAfterMs: number): void {
    const process = this.#processes[index];
    if (process === undefined) return;
    process.kill();
    process.life = null;
    for (const forget of process.waiting) forget();
    this.world.after(restartAfterMs, () => {
      if (this.#processes[index]?.life === null) this.#start(index);
    });
  }

  #pause({ process: index, lane, forMs }: Schedule['pauses'][number]): void {
    const process = this.#processes[index];
    if (process === undefined || process.life === null) return;
    const { scheduler, life } = process;
    const operation = lane === null ? null : operationOf(lane);
    const set = (isPaused: boolean) => {
      if (isPaused) scheduler.pauseLanes(TOKEN, operation);
      else scheduler.resumeLanes(TOKEN, operation);
      for (let each = 0; each < LANES; each++)
        if (lane === null || lane === each) process.isPaused[each] = isPaused;
    };
    set(true);
    this.world.after(forMs, () => {
      if (this.#processes[index]?.life === life) set(false);
    });
  }

  #useForeign(lane: number, count: number): void {
    for (let index = 0; index < count; index++) this.#services[lane]?.arrive(this.world.trueMs, false);
  }

  #burst(burst: Burst): void {
    for (let index = 0; index < burst.count; index++) this.#submit(burst, index);
  }

  #submit(burst: Burst, index: number): void {
    const process = this.#processes[burst.process];
    if (process === undefined || process.life === null) return;
    const { life, waiting } = process;
    const { outcome } = this;
    const abort = new AbortController();
    const isAlive = () => this.#processes[burst.process]?.life === life;
    let isSettled = false;
    const settle = () => {
      if (!isSettled) outcome.settled++;
      isSettled = true;
      waiting.delete(forget);
    };
    const forget = () => {
      if (!isSettled) outcome.submitted--;
      isSettled = true;
    };
    outcome.submitted++;
    waiting.add(forget);
    process.scheduler
      .submit({
        lane: {
          ...TOKEN,
          operation: operationOf(burst.lane),
          category: this.#schedule.category,
        },
        priority: burst.priority,
        group: burst.group,
        isRepeatSafe: burst.isRepeatSafe,
        ...(burst.isShared ? { shareKey: `shared ${index % 3}` } : {}),
        signal: abort.signal,
        attempt: (context) => {
          if (isSettled && !burst.isShared) outcome.afterSettle++;
          if (process.isPaused[burst.lane] === true) outcome.whilePaused++;
          return this.#send(burst.lane, context, isAlive);
        },
      })
      .then(settle, settle);
    if (burst.abortAfterMs !== null) this.world.after(burst.abortAfterMs + index, () => abort.abort());
  }

  #send(lane: number, context: AttemptContext, isAlive: () => boolean): Promise<Attempt<string>> {
    const { world, outcome } = this;
    const { faults, minLatencyMs, jitterMs } = this.#schedule;
    if (world.trueMs < (this.#notBeforeMs[lane] ?? 0)) outcome.early++;
    outcome.sent++;
    const latencyMs = () => minLatencyMs + this.#random.next() * jitterMs;
    const luck = this.#random.next();
    const upMs = latencyMs();
    const downMs = latencyMs();
    return new Promise((resolve) => {
      // A killed process hears nothing any more.
      const answer = (attempt: Attempt<string>) => {
        if (isAlive()) resolve(attempt);
      };
      if (luck < faults.unsent) {
        world.after(1, () => answer(failed('unsent', 'CONNECTION_REFUSED')));
        return;
      }
      context.signal.addEventListener('abort', () => answer(failed('unknown', 'CANCELLED')));
      world.after(upMs, () => {
        const isDown = this.#schedule.downs.some(
          ({ fromMs, lengthMs }) => world.trueMs >= fromMs && world.trueMs < fromMs + lengthMs,
        );
        if (isDown) {
          world.after(downMs, () => answer(failed('unknown', 'CONNECTION_LOST')));
          return;
        }
        const { isAllowed, headers, waitMs } = this.#services[lane]?.arrive(world.trueMs, true) ?? {};
        if (headers === undefined) throw new RangeError(`No lane ${lane}.`);
        const isLost = luck < faults.unsent + faults.lost;
        const status = luck > 1 - faults.failed500 ? 500 : 200;
        world.after(downMs, () => {
          if (isLost) {
            answer(failed('unknown', 'CONNECTION_LOST'));
            return;
          }
          if (isAllowed !== true && isAlive() && !context.signal.aborted) {
            // At least the wait counts from the answer's arrival (seconds), or lasts to a date.
            const untilMs =
              world.trueMs + (waitMs ?? 0) - (this.#schedule.retryAfter === 'seconds' ? 0 : downMs);
            this.#notBeforeMs[lane] = Math.max(this.#notBeforeMs[lane] ?? 0, untilMs);
          }
          answer({ kind: 'answered', status: isAllowed === true ? status : 429, rate: headers, value: 'ok' });
        });
      });
    });
  }
}

function failed(outcome: 'unsent' | 'unknown', code: 'CANCELLED' | 'CONNECTION_LOST' | 'CONNECTION_REFUSED') {
  return { kind: 'failed', outcome, error: new AppError(code, `${code} in a test.`) } as const;
}

export function simulate(schedule: Schedule): Promise<Outcome> {
  return new Simulation(schedule).run();
}
