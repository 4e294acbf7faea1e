/** One simulation: a seed, a list of actions, and their outcome. */
import { mkdirSync, rmSync } from 'node:fs';
import { ACTS, ALL_ACTS, SMALL_ACTS } from './acts/acts.ts';
import { sleepFor } from './acts/world-acts.ts';
import { Computer } from './computer.ts';
import { closeDatabasesOf, fillDatabases } from './databases.ts';
import { type Draw, drawOf } from './draw.ts';
import {
  checkQuiet,
  checkStopped,
  checkWoken,
  IN_ORDER,
  leftOf,
  watchArrivals,
  watchJobs,
} from './invariants.ts';
import { Network, useNetwork } from './network.ts';
import type { Prepared } from './prepare.ts';
import { SimulatedService } from './service.ts';
import { type Act, ORIGINS, Stage } from './stage.ts';
import { Threads, useThreads } from './threads.ts';
import { type Failure, stackOf, type World } from './world.ts';

/** An action, and the time until the next one. */
export interface Planned {
  number: number;
  name: string;
  waitMs: number;
}

export interface Outcome {
  seed: number;
  hash: string;
  failures: Failure[];
  acts: Record<string, number>;
  /** Number of actions that had nothing to act on. */
  idleActs: number;
  faults: Record<string, number>;
  errors: Record<string, number>;
  jobStates: Record<string, number>;
  requests: number;
  kills: number;
  starts: number;
  stops: number;
  steps: number;
  simulatedMs: number;
}

const QUIT = 'quit';
const REST = 'rest';
const NIGHT = 'end of the day';
/** Number of actions between two quiet points, without the small ones. */
const ACTS_BETWEEN_RESTS = 25;
/**
 * Number of actions in a burst: one is chosen from the other actions and the rest are small. Not used if the seed has a
 * focus.
 */
const ACTS_OF_A_BURST = 8;
/**
 * Number of actions in a day of the user, small ones included. The day ends halfway between two rests, while work is in
 * progress.
 */
const ACTS_OF_A_DAY = 1_000;
const DAY_ENDS_AT = 620;
const DAYS_OF_A_WEEK = 5;
const NIGHT_MS = 15 * 3_600_000;
const WEEKEND_MS = 48 * 3_600_000;
const MAX_STOP_MS = 30_000;
const MAX_ANSWER_MS = 600_000;
const MAX_REST_MS = 6 * 3_600_000;
const FIRST_LOOK_MS = 20_000;
const MAX_LOOK_MS = 1_200_000;
const SETTLED_MS = 60_000;
/** How long command lines may continue at a rest before the user ends them, in ms. */
const MAX_COMMAND_MS = 300_000;
const MAX_SCROLLS = 50;
const SCROLL_MS = 5_000;
/** Maximum time in ms from the return of the service until every job that waited for it is woken. */
const WAKING_MS = 25_000;

/** How much more often an action in focus is chosen. */
const FOCUS_WEIGHT = 40;

/**
 * Chooses the actions of a seed before anything runs, so that any of them can be left out. Actions in `focus` are
 * chosen more often. Without a focus, most actions are small ones, and nights and weekends pass.
 */
export function planActs(seed: number, count: number, focus: readonly string[] = []): Planned[] {
  const choose = chooser(seed, focus);
  if (focus.length > 0) return Array.from({ length: count }, (_, number) => ({ number, ...choose(number) }));
  const draw = drawOf(seed, 'small acts of the person');
  const weights = weightsOf(SMALL_ACTS, []);
  let chosen = 0;
  return Array.from({ length: count }, (_, number): Planned => {
    if (number % ACTS_OF_A_DAY === DAY_ENDS_AT) return { number, name: NIGHT, waitMs: 0 };
    if (number % ACTS_OF_A_BURST > 0 && number > ACTS_OF_A_BURST)
      return { number, name: draw.weighted(weights), waitMs: thinkingMs(draw) };
    chosen += 1;
    return { number, ...choose(chosen - 1) };
  });
}

/** The weight of each action that is not in focus is multiplied by `share`. */
function weightsOf(acts: Readonly<Record<string, Act>>, focus: readonly string[], share = 1) {
  return Object.fromEntries(
    Object.entries(acts).map(([name, { weight }]) => [
      name,
      focus.includes(name) ? (weight + 1) * FOCUS_WEIGHT : weight * share,
    ]),
  );
}

/** How long the user looks at something, in ms. */
function thinkingMs(draw: Draw): number {
  return draw.chance(0.3) ? draw.next() * 100 : draw.next() * (draw.chance(0.8) ? 5_000 : 40_000);
}

/** Chooses the large actions in their order. */
function chooser(seed: number, focus: readonly string[]): (number: number) => Omit<Planned, 'number'> {
  const draw = drawOf(seed, 'acts of the person');
  const weights = {
    [QUIT]: 3 * (focus.includes(QUIT) ? FOCUS_WEIGHT : 1),
    ...weightsOf(ACTS, focus),
    ...weightsOf(SMALL_ACTS, focus, 0),
  };
  const first = ['connect', 'open a list', 'open a list'];
  return (number) => {
    const isRest = number % ACTS_BETWEEN_RESTS === ACTS_BETWEEN_RESTS - 1;
    const name = isRest ? REST : (first[number] ?? draw.weighted(weights));
    const length = draw.next();
    const waitMs =
      length < 0.3
        ? draw.next() * 50
        : length < 0.7
          ? draw.next() * 3_000
          : length < 0.92
            ? draw.next() * 90_000
            : draw.next() * 3_600_000;
    return { name, waitMs };
  };
}

interface SimulateOptions {
  /** Whether the simulation ends at the first broken invariant. */
  endsAtFailure: boolean;
  /** Keeps the generated workspace for the next simulation. */
  imageFolder: string;
}

/** Call once per process. */
export function simulate(
  prepared: Prepared,
  acts: readonly Planned[],
  folder: string,
  { endsAtFailure, imageFolder }: SimulateOptions,
): Promise<Outcome> {
  return new Simulation(prepared, folder, imageFolder).run(acts, endsAtFailure);
}

class Simulation {
  readonly #stage: Stage;
  readonly #world: World;
  readonly #folder: string;
  readonly #done = new Map<string, number>();
  #stops = 0;
  #rests = 0;
  #days = 0;

  constructor({ world, disk, running }: Prepared, folder: string, imageFolder: string) {
    this.#world = world;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    useThreads(new Threads(world, closeDatabasesOf));
    const services = new Map(
      ORIGINS.map((origin) => [origin as string, new SimulatedService(world, origin, imageFolder)]),
    );
    const network = new Network(world, services);
    useNetwork(network);
    const computer = new Computer(world, folder, running);
    this.#stage = new Stage({ world, network, services, computer, disk });
    watchArrivals(this.#stage);
    watchJobs(this.#stage);
  }

  async run(acts: readonly Planned[], endsAtFailure: boolean): Promise<Outcome> {
    for (const act of acts) {
      if (endsAtFailure && this.#world.failures.length > 0) return this.#outcome();
      await this.#until(Math.max(this.#stage.awakeAtMs, this.#world.nowMs));
      this.#done.set(act.name, (this.#done.get(act.name) ?? 0) + 1);
      if (act.name === REST) await this.#rest();
      else if (act.name === QUIT) await this.#quit();
      else if (act.name === NIGHT) await this.#endDay(act.number);
      else this.#begin(act);
      await this.#until(this.#world.nowMs + act.waitMs);
    }
    await this.#rest();
    await this.#quit();
    rmSync(this.#folder, { recursive: true, force: true });
    return this.#outcome();
  }

  /** Starts an action without waiting for its end, so the next action follows in any case. */
  #begin({ number, name }: Planned): void {
    const act = ALL_ACTS[name];
    if (act === undefined) throw new Error(`There is no act ${name}.`);
    const draw = this.#stage.drawOf(number);
    if (act.isOutside === true) {
      this.#stage.told(`${number} ${name}`, String(act.do(this.#stage, draw)));
      return;
    }
    if (this.#suspendedUntilMs() > this.#world.nowMs) {
      this.#stage.told(`${number} ${name}`, 'the window is suspended');
      return;
    }
    this.#world.note(`${number} ${name}`);
    void this.#stage.attempt(`${number} ${name}`, () => act.do(this.#stage, draw));
  }

  /** The time until which the process of the window is suspended, or the current time. */
  #suspendedUntilMs(): number {
    return Math.max(this.#world.nowMs, this.#stage.computer.run?.life.suspendedUntilMs ?? 0);
  }

  async #until(atMs: number): Promise<void> {
    if ((await this.#world.run(() => false, atMs)) === 'quiet')
      this.#world.nowMs = Math.max(this.#world.nowMs, atMs);
  }

  /** Runs `work` in the process, and does steps until it has ended. Returns whether it ended in time. */
  async #perform(name: string, work: () => Promise<unknown>, limitMs: number): Promise<boolean> {
    let hasEnded = false;
    const ended = this.#stage.attempt(name, work).finally(() => {
      hasEnded = true;
    });
    await this.#world.run(() => hasEnded, this.#world.nowMs + limitMs);
    if (!hasEnded) return false;
    await ended;
    return true;
  }

  async #answered(name: string, work: () => Promise<unknown>): Promise<void> {
    if (await this.#perform(name, work, MAX_ANSWER_MS)) return;
    this.#world.fail('what is asked while all is well is answered', `${name}: not after ${MAX_ANSWER_MS} ms`);
  }

  async #quit(): Promise<void> {
    const { computer, disk, views, world } = this.#stage;
    const { run } = computer;
    if (run === null) return;
    await this.#until(this.#suspendedUntilMs());
    this.#stops += 1;
    this.#world.note('quits');
    views.clear();
    const startedAtMs = this.#world.nowMs;
    this.#stage.stoppedAtMs.set(run.life, startedAtMs);
    const stop = async () => {
      await computer.stop().catch((thrown: unknown) => {
        if (!disk.isFull) world.fail(IN_ORDER, stackOf(thrown));
        throw thrown;
      });
    };
    const isInTime = await this.#perform('quit', stop, MAX_STOP_MS);
    const tookMs = Math.round(this.#world.nowMs - startedAtMs);
    this.#world.note(`stopped after ${tookMs} ms`);
    if (!isInTime)
      this.#world.fail(
        'a stop ends within its time',
        `not after ${MAX_STOP_MS} ms; ${leftOf(this.#stage, run.life).join('; ')}`,
      );
    else checkStopped(this.#stage, run.life);
    computer.leave();
  }

  /** Ends a day: the computer sleeps, the program quits, or it runs all night. */
  async #endDay(number: number): Promise<void> {
    const stage = this.#stage;
    this.#days += 1;
    const forMs = NIGHT_MS + (this.#days % DAYS_OF_A_WEEK === 0 ? WEEKEND_MS : 0);
    const way = stage.drawOf(number).of(['sleeps', 'sleeps', 'quits', 'runs on'] as const);
    this.#world.note(`the day ends: the computer or its window ${way}`);
    if (way === 'sleeps') sleepFor(stage, forMs);
    else {
      if (way === 'quits') await this.#quit();
      await this.#until(this.#world.nowMs + forMs);
    }
  }

  /** Removes all faults, lets pending work run to its end, and then checks the invariants. */
  async #rest(): Promise<void> {
    const stage = this.#stage;
    const { network, computer, disk, world } = stage;
    world.note('rests');
    network.weather = 'good';
    network.isResting = true;
    computer.isKeychainLocked = false;
    disk.isFull = false;
    fillDatabases('room');
    world.wallAheadMs = 0;
    await this.#until(this.#suspendedUntilMs());
    for (const [viewId, { connectionId, mark }] of stage.views) {
      stage.within(({ engine }) => engine.releaseView(connectionId, viewId));
      stage.closedAtMs.set(mark, world.nowMs);
    }
    stage.views.clear();
    await world.run(() => computer.command === null, world.nowMs + MAX_COMMAND_MS);
    computer.kill(computer.command);
    await this.#answered('rest', () => this.#makeWell());
    await this.#until(world.nowMs + WAKING_MS);
    await this.#answered('look for jobs that wait', () => checkWoken(stage));
    const untilMs = world.nowMs + MAX_REST_MS;
    let quietSinceMs = world.nowMs;
    let pauseMs = FIRST_LOOK_MS;
    let waiting: string[] = [];
    while (world.nowMs - quietSinceMs < SETTLED_MS && world.nowMs < untilMs) {
      await this.#until(world.nowMs + pauseMs);
      waiting = await this.#unfinished();
      if (waiting.length === 0 && network.ofLife(stage.run.life) === 0) continue;
      quietSinceMs = world.nowMs;
      pauseMs = Math.min(pauseMs * 1.5, MAX_LOOK_MS);
    }
    if (waiting.length > 0)
      world.fail('what waits goes on once the service is back', waiting.slice(0, 5).join('; '));
    await this.#answered('read again', () => this.#readAgain());
    await this.#until(world.nowMs + SETTLED_MS);
    await this.#answered('scroll to the end', () => this.#scrollToEnd());
    await this.#answered('look', () => checkQuiet(stage));
    for (const { channel, payload } of stage.run.published.splice(0))
      if (channel === 'app:failed') world.fail('no work fails in the background', payload.message);
    network.isResting = false;
  }

  async #makeWell(): Promise<void> {
    const stage = this.#stage;
    const { engine } = stage.run;
    await engine.setOffline(false);
    for (const connection of stage.connections()) {
      const token = stage.validToken.get(new URL(connection.baseUrl).origin) ?? '';
      if (stage.savedToken.get(connection.id) !== token) await stage.save(stage.draftOf(connection), token);
    }
    // At every other rest, the product has to find out by itself that the service is back.
    this.#rests += 1;
    if ((this.#world.seed + this.#rests) % 2 === 1) engine.lookAtServices();
  }

  /** Reads the lists again, after all requests of killed processes have arrived. */
  async #readAgain(): Promise<void> {
    const stage = this.#stage;
    for (const { id } of stage.connections()) {
      const session = await stage.run.engine.session(id);
      // Like the window before each request of the user, as the keychain may have been locked at the start.
      await session.askAgain();
      const query = { operation: 'datasets.list', path: {}, query: {} };
      await session.library.openList({ viewId: 'rest', query, refresh: 'always' });
    }
  }

  /** Scrolls long lists to their end, as only a fixed number of rows is read in advance. */
  async #scrollToEnd(): Promise<void> {
    const stage = this.#stage;
    const query = { operation: 'datasets.list', path: {}, query: {} };
    for (const { id } of stage.connections()) {
      const { library } = await stage.run.engine.session(id);
      for (let page = 0; page < MAX_SCROLLS; page += 1) {
        const { freshness } = await library.openList({ viewId: 'rest', query, refresh: 'never' });
        if (freshness.isComplete) break;
        await library.fetchRows({ viewId: 'rest', query, offset: null });
        await new Promise((resolve) => setTimeout(resolve, SCROLL_MS));
      }
    }
  }

  /** Jobs that are running or wait for the service. */
  async #unfinished(): Promise<string[]> {
    const found: string[] = [];
    await this.#answered('count', async () => {
      for (const { id } of this.#stage.connections()) {
        const session = await this.#stage.run.engine.session(id);
        const page = session.jobs.list({ kinds: null, states: null, search: null, offset: 0, limit: 200 });
        for (const job of page.jobs) {
          if (['running', 'waiting', 'committing'].includes(job.state))
            found.push(`${job.kind} ${job.id} is ${job.state}: ${job.reason}`);
        }
      }
    });
    return found;
  }

  #outcome(): Outcome {
    const world = this.#world;
    const { network, computer, errors } = this.#stage;
    return {
      seed: world.seed,
      hash: world.traceHash(),
      failures: world.failures,
      acts: Object.fromEntries(this.#done),
      idleActs: this.#stage.idleActs,
      faults: Object.fromEntries(network.faults),
      errors: Object.fromEntries(errors),
      jobStates: Object.fromEntries(computer.jobStates),
      requests: network.arrived.length,
      ...{ kills: computer.kills, starts: computer.starts, stops: this.#stops },
      steps: world.steps,
      simulatedMs: world.nowMs,
    };
  }
}
