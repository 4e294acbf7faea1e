/** Clock, timers, randomness and process ids for code that belongs to a life of the simulation. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { type Draw, drawOf } from './draw.ts';
import type { Life, Step, World } from './world.ts';

const RealDate = Date;

/** The result of `setTimeout`. */
class VirtualTimer {
  readonly #start: () => Step;
  readonly #world: World;
  #step: Step;

  constructor(world: World, start: () => Step) {
    this.#world = world;
    this.#start = start;
    this.#step = start();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.clear();
    this.#step = this.#start();
    return this;
  }

  clear(): void {
    this.#world.cancel(this.#step);
  }

  close(): this {
    this.clear();
    return this;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

/** The product ends a thread after an answer if its heap exceeds 67 MB. */
const MAX_HEAP_MB = 100;

type Callback = (...given: unknown[]) => void;

/** Running processes of the product by process id. */
export type RunningPids = ReadonlyMap<number, Life>;

/** Call once per process, before a module of the product is loaded. */
export function replaceGlobals(world: World, running: RunningPids): void {
  const draws = new Map<string, Draw>();
  const drawHere = (life: Life): Draw => {
    const { name } = life;
    const known = draws.get(name);
    if (known !== undefined) return known;
    const made = drawOf(world.seed, `random numbers of ${name}`);
    draws.set(name, made);
    return made;
  };
  replaceTime(world);
  replaceTimers(world);
  const realRandom = Math.random;
  Math.random = () => {
    const life = world.life();
    return life === undefined ? realRandom() : drawHere(life).next();
  };
  const realUuid = crypto.randomUUID;
  const uuid = (): ReturnType<typeof realUuid> => {
    const life = world.life();
    return (life === undefined ? realUuid() : drawHere(life).uuid()) as ReturnType<typeof realUuid>;
  };
  const realBytes = crypto.randomBytes;
  const bytes = (size: number): Buffer => {
    const life = world.life();
    return life === undefined ? realBytes(size) : Buffer.from(drawHere(life).hex(size * 2), 'hex');
  };
  Object.assign(crypto, { randomUUID: uuid, randomBytes: bytes });
  Object.assign(globalThis.crypto, { randomUUID: uuid });
  replaceProcess(world, running);
  replaceHeap(world);
  syncBuiltinESMExports();
}

function replaceTime(world: World): void {
  const now = () => {
    const life = world.life();
    return life === undefined ? RealDate.now() : world.wallMs(life);
  };
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], asked) =>
      Reflect.construct(
        target,
        given.length === 0 ? [now()] : given,
        asked === globalThis.Date ? target : asked,
      ),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
  const real = performance.now.bind(performance);
  performance.now = () => {
    const life = world.life();
    return life === undefined ? real() : world.monotonicMs(life);
  };
}

function replaceTimers(world: World): void {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
  const start = (callback: Callback, delayMs: number, given: unknown[], isRepeated: boolean) => {
    const life = world.life();
    if (life === undefined) return null;
    const timer: VirtualTimer = new VirtualTimer(world, () =>
      world.add({
        ...{ life, kind: 'timer', label: '', lane: `timers of ${life.name}` },
        delayMs: Math.max(1, delayMs || 1),
        run: () => {
          if (isRepeated) timer.refresh();
          callback(...given);
        },
      }),
    );
    return timer;
  };
  const clear = (timer: unknown, otherwise: (timer: never) => void) => {
    if (timer instanceof VirtualTimer) timer.clear();
    else otherwise(timer as never);
  };
  Object.assign(globalThis, {
    setTimeout: (callback: Callback, delayMs = 1, ...given: unknown[]) =>
      start(callback, delayMs, given, false) ?? real.setTimeout(callback, delayMs, ...given),
    setInterval: (callback: Callback, delayMs = 1, ...given: unknown[]) =>
      start(callback, delayMs, given, true) ?? real.setInterval(callback, delayMs, ...given),
    clearTimeout: (timer: unknown) => clear(timer, real.clearTimeout),
    clearInterval: (timer: unknown) => clear(timer, real.clearInterval),
    setImmediate: (callback: Callback, ...given: unknown[]) => {
      const life = world.life();
      if (life === undefined) return real.setImmediate(callback, ...given);
      return new VirtualTimer(world, () =>
        world.add({
          ...{ life, kind: 'immediate', label: '', lane: `turns of ${life.name}`, delayMs: 0 },
          run: () => callback(...given),
        }),
      );
    },
    clearImmediate: (timer: unknown) => clear(timer, real.clearImmediate),
  });
}

/** The size of the real heap depends on when garbage was collected last, so it is replaced. */
function replaceHeap(world: World): void {
  const draw = drawOf(world.seed, 'heaps of threads');
  const real = v8.getHeapStatistics;
  const statistics = (): ReturnType<typeof real> =>
    world.life() === undefined
      ? real()
      : { ...real(), used_heap_size: draw.whole(1, MAX_HEAP_MB) * 1_000_000 };
  Object.assign(v8, { getHeapStatistics: statistics });
}

function replaceProcess(world: World, running: RunningPids): void {
  const realPid = process.pid;
  Object.defineProperty(process, 'pid', { get: () => world.life()?.pid ?? realPid });
  const realKill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    const life = world.life();
    if (life === undefined) return realKill(pid, signal);
    if (running.has(pid)) return true;
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  };
  const realHrtime = process.hrtime.bigint;
  process.hrtime.bigint = () => {
    const life = world.life();
    return life === undefined ? realHrtime() : BigInt(Math.round((world.monotonicMs(life) + 600_000) * 1e6));
  };
}
