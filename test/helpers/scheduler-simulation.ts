/** Runs a request scheduler through one scenario with a strict service, in virtual time. Returns the violations. */
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import type { Random } from '../../electron/core/ports.ts';
import type { AttemptContext } from '../../electron/scheduler/types.ts';
import type { Burst, Schedule } from './scheduler-schedule.ts';
import { httpDate } from './service-model.ts';
import { SimulatedComputer, type SimulatedProcess } from './simulated-computer.ts';
import { failed, SimulatedService } from './simulated-service.ts';
import { START_MS, seededRandom, VirtualWorld } from './virtual-world.ts';

export interface Outcome {
  /** Number of own requests beyond a limit, whatever others did. */
  violations: number;
  refusals: number;
  /** Number of requests sent before a Retry-After had passed. */
  early: number;
  submitted: number;
  settled: number;
  /** Number of requests sent after their promise was settled. */
  afterSettle: number;
  /** Number of requests sent although the user had paused the lane in that process. */
  whilePaused: number;
  /** Number of prompts for a token while the previous one was still open. */
  askedAgain: number;
  /** Maximum number of own requests that a process mistook for those of another program. */
  foreign: number;
  sent: number;
  endMs: number;
  /** The situations that occurred in the schedule, to know what schedules cover. */
  reached: Set<string>;
}

const LANES = 2;
const LOOK_EVERY_MS = 7_000;
const LOOKS = 25;
const LOOK_AFTER_BURST_MS = 300;
const TOKEN_ENTERED_AFTER_MS = 4_000;

const TOKEN = { origin: 'http://127.0.0.1', tokenId: 'token' };
const operationOf = (lane: number) => `GET /v3/lane-${lane}`;

class Simulation {
  readonly world = new VirtualWorld();
  readonly #schedule: Schedule;
  readonly #random: Random;
  readonly #computer: SimulatedComputer;
  readonly #service: SimulatedService;
  readonly outcome: Outcome = {
    violations: 0,
    refusals: 0,
    early: 0,
    submitted: 0,
    settled: 0,
    afterSettle: 0,
    whilePaused: 0,
    askedAgain: 0,
    foreign: 0,
    sent: 0,
    endMs: 0,
    reached: new Set(),
  };

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.#random = seededRandom(schedule.seed);
    this.#service = new SimulatedService(this.world, schedule, LANES, this.outcome.reached);
    this.#computer = new SimulatedComputer(this.world, {
      store: schedule.store,
      processes: schedule.joinsAtMs === 0 ? 2 : 1,
      random: this.#random,
      settingsOf: (index) => ({
        onUnauthorized: () => this.#askForToken(index),
        onTimeUnconfirmed: () => this.#askForTime(index),
      }),
    });
    const { joinsAtMs } = schedule;
    if (joinsAtMs !== null && joinsAtMs > 0) {
      this.world.at(joinsAtMs, () => this.world.whenAwake(() => this.#computer.start(1)));
      this.outcome.reached.add('a second process joins');
    }
    this.#planServiceAndClocks();
    this.#planPeople();
    if (schedule.store === 'sqlite') this.outcome.reached.add('file');
  }

  async run(): Promise<Outcome> {
    const { outcome } = this;
    try {
      await this.world.run();
    } finally {
      this.#computer.close();
    }
    outcome.violations = this.#service.violations;
    outcome.refusals = this.#service.refusals;
    outcome.endMs = this.world.trueMs;
    return outcome;
  }

  #planServiceAndClocks(): void {
    const { foreign, jumps, kills, crashes, sleeps } = this.#schedule;
    const { world, outcome } = this;
    for (const { atMs, count, lane } of foreign) world.at(atMs, () => this.#service.useForeign(lane, count));
    for (const { atMs, byMs } of jumps) {
      world.at(atMs, () => {
        world.wallErrorMs += byMs;
        this.#reach('clock jump while busy');
      });
    }
    for (const { atMs, process, restartAfterMs } of kills) {
      world.at(atMs, () => {
        if (this.#computer.processes[process]?.waiting.size !== 0) this.#reach('kill while busy');
        if (this.#computer.kill(process, restartAfterMs)) outcome.reached.add('kill');
      });
    }
    for (const { atMs, process } of crashes) world.at(atMs, () => this.#computer.doom(process));
    for (const { atMs, forMs, isRestart } of sleeps) {
      world.at(atMs, () => {
        this.#reach(isRestart ? 'computer restart while busy' : 'sleep while busy');
        this.#computer.sleep(forMs, isRestart);
      });
    }
  }

  #planPeople(): void {
    const { bursts, pauses, moves } = this.#schedule;
    const { world } = this;
    for (const burst of bursts) world.at(burst.atMs, () => world.whenAwake(() => this.#burst(burst)));
    for (const pause of pauses) world.at(pause.atMs, () => world.whenAwake(() => this.#pause(pause)));
    for (const { atMs, process, group, priority } of moves) {
      world.at(atMs, () => this.#alive(process)?.scheduler.choosePriority(TOKEN, group, priority));
    }
    for (let look = 1; look <= LOOKS; look++) world.at(look * LOOK_EVERY_MS, () => this.#look());
  }

  #alive(index: number): SimulatedProcess | null {
    const process = this.#computer.processes[index];
    return process === undefined || !process.isAlive || this.world.isAsleep ? null : process;
  }

  /** Records that an event happened while at least one submission was waiting. */
  #reach(what: string): void {
    if (this.#computer.processes.some(({ waiting }) => waiting.size > 0)) this.outcome.reached.add(what);
  }

  #look(): void {
    for (const index of this.#computer.processes.keys()) {
      for (const lane of this.#alive(index)?.scheduler.status() ?? []) {
        for (const { foreign } of lane.windows) {
          this.outcome.foreign = Math.max(this.outcome.foreign, foreign);
          if (foreign > 0) this.outcome.reached.add('foreign use known');
        }
        if (lane.wait.reason === 'breaker') this.outcome.reached.add('breaker');
        if (lane.wait.reason === 'retry-after') this.outcome.reached.add('parked');
      }
    }
  }

  #pause({ process: index, lane, forMs }: Schedule['pauses'][number]): void {
    const process = this.#alive(index);
    if (process === null) return;
    const operation = lane === null ? null : operationOf(lane);
    const set = (isPaused: boolean) => {
      if (isPaused) process.scheduler.pauseLanes(TOKEN, operation);
      else process.scheduler.resumeLanes(TOKEN, operation);
      for (let each = 0; each < LANES; each++)
        if (lane === null || lane === each) process.isPaused[each] = isPaused;
    };
    set(true);
    this.#reach('pause while busy');
    this.world.after(forMs, () => {
      if (process.isAlive) set(false);
    });
  }

  #askForToken(index: number): void {
    const process = this.#computer.processes[index];
    if (process === undefined) return;
    this.outcome.reached.add('401');
    process.questions++;
    if (process.questions > 1) this.outcome.askedAgain++;
    this.world.after(TOKEN_ENTERED_AFTER_MS, () => {
      process.questions = 0;
      if (process.isAlive) process.scheduler.resume('unauthorized', TOKEN.origin, TOKEN.tokenId);
    });
  }

  /** As in the app, a cheap request in a separate lane fetches the time of the service. */
  #askForTime(index: number): void {
    this.outcome.reached.add('asked for the time');
    const { hasDate, serviceClockMs } = this.#schedule;
    const lane = { ...TOKEN, operation: 'GET /v3/server-info', category: 'metadata-read' as const };
    const attempt = () =>
      new Promise<Attempt<string>>((resolve) => {
        const date = httpDate(START_MS + this.world.trueMs + serviceClockMs, 'imf');
        const rate = { limit: null, remaining: null, reset: null, retryAfter: null };
        const answer = { ...rate, date: hasDate ? date : null };
        this.world.after(20, () =>
          this.world.whenAwake(() => resolve({ kind: 'answered', status: 200, rate: answer, value: 'ok' })),
        );
      });
    this.#alive(index)
      ?.scheduler.submit({ lane, priority: 'view', isRepeatSafe: true, attempt })
      .catch(() => undefined);
  }

  #burst(burst: Burst): void {
    this.world.after(LOOK_AFTER_BURST_MS, () => this.#look());
    for (let index = 0; index < burst.count; index++) this.#submit(burst, index);
  }

  #submit(burst: Burst, index: number): void {
    const process = this.#alive(burst.process);
    if (process === null) return;
    const { outcome } = this;
    const abort = new AbortController();
    let isSettled = false;
    const settle = () => {
      if (!isSettled) outcome.settled++;
      isSettled = true;
      process.waiting.delete(forget);
    };
    const forget = () => {
      if (!isSettled) outcome.submitted--;
      isSettled = true;
    };
    outcome.submitted++;
    process.waiting.add(forget);
    process.scheduler
      .submit({
        lane: { ...TOKEN, operation: operationOf(burst.lane), category: this.#schedule.category },
        priority: burst.priority,
        group: burst.group,
        isRepeatSafe: burst.isRepeatSafe,
        ...(burst.isShared ? { shareKey: `shared ${index % 3}` } : {}),
        signal: abort.signal,
        attempt: (context) => {
          if (isSettled && !burst.isShared) outcome.afterSettle++;
          if (process.isPaused[burst.lane] === true) outcome.whilePaused++;
          return this.#send(burst.lane, context, process);
        },
      })
      .then(settle, settle);
    if (burst.abortAfterMs === null) return;
    this.world.after(burst.abortAfterMs + index, () => {
      if (isSettled) return;
      outcome.reached.add('cancel while waiting');
      abort.abort();
    });
  }

  #send(lane: number, context: AttemptContext, process: SimulatedProcess): Promise<Attempt<string>> {
    const { world, outcome } = this;
    const { faults, minLatencyMs, jitterMs } = this.#schedule;
    if (world.trueMs < this.#service.notBeforeMs(lane)) outcome.early++;
    outcome.sent++;
    if (world.trueMs > 86_400_000) outcome.reached.add('a day later');
    const latencyMs = () => minLatencyMs + this.#random.next() * jitterMs;
    const luck = this.#random.next();
    const times = { upMs: latencyMs(), downMs: latencyMs() };
    return new Promise((resolve) => {
      // A killed process receives no answer, and a sleeping one receives it later.
      const answer = (attempt: () => Attempt<string>) =>
        world.whenAwake(() => {
          if (process.isAlive) resolve(attempt());
        });
      if (luck < faults.unsent) {
        world.after(1, () => answer(() => failed('unsent', 'CONNECTION_REFUSED')));
        return;
      }
      context.signal.addEventListener('abort', () => answer(() => failed('unknown', 'CANCELLED')));
      world.after(times.upMs, () => {
        const isHeld = world.isAsleep;
        world.whenAwake(() => {
          // Requests that were still queued when a computer restarted are never sent.
          if (isHeld && !process.isAlive) return;
          const isHeard = () => process.isAlive && !context.signal.aborted;
          const attempt = this.#service.arrive(lane, luck, times.downMs, isHeard);
          world.after(times.downMs, () => answer(attempt));
        });
      });
    });
  }
}

export function simulate(schedule: Schedule): Promise<Outcome> {
  return new Simulation(schedule).run();
}
