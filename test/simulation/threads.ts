/**
 * Worker threads as lives of the same process: the module of a thread is loaded once for each started thread, and each
 * message is a step. Replaces `node:worker_threads` for the product.
 */
import { EventEmitter } from 'node:events';
import { type Draw, drawOf } from './draw.ts';
import { Life, type World } from './world.ts';

const MAX_MESSAGE_MS = 1;

/** One end of a channel: messages that are posted here arrive at the other end. */
export class SimulatedPort extends EventEmitter {
  other: SimulatedPort | null = null;
  life: Life;
  isClosed = false;
  readonly lane: string;
  /** Arrival time of the last message to this port. */
  lastDueMs = 0;
  readonly #threads: Threads;
  readonly #name: string;
  readonly #early: (() => void)[] = [];
  #hasStarted = false;

  constructor(threads: Threads, life: Life, name: string) {
    super();
    this.#threads = threads;
    this.#name = name;
    this.life = life;
    this.lane = `port ${threads.nextId()}`;
  }

  override on(name: string, listener: (...given: unknown[]) => void): this {
    super.on(name, listener);
    return this.#begin(name);
  }

  override once(name: string, listener: (...given: unknown[]) => void): this {
    super.once(name, listener);
    return this.#begin(name);
  }

  postMessage(message: unknown, transferred: readonly unknown[] = []): void {
    const { other } = this;
    if (other === null || this.isClosed) return;
    const copy = copied(message, transferred);
    // A transferred port belongs to its receiver.
    for (const each of transferred) if (each instanceof SimulatedPort) each.life = other.life;
    this.#threads.deliver(other, this.#name, () => other.receive(copy));
  }

  receive(message: unknown): void {
    if (this.isClosed) return;
    if (this.#hasStarted) this.emit('message', message);
    else this.#early.push(() => this.receive(message));
  }

  /** The other end was closed, and messages that were sent before are delivered first. */
  #closed(): void {
    if (this.#hasStarted) this.end();
    else this.#early.push(() => this.end());
  }

  close(): void {
    if (this.isClosed) return;
    const { other } = this;
    this.#threads.deliver(this, `close of ${this.#name}`, () => this.end());
    if (other !== null) this.#threads.deliver(other, this.#name, () => other.#closed());
  }

  end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#threads.ports.delete(this);
    this.emit('close');
  }

  /** Called when the thread of this port has ended. */
  abandon(): void {
    const { other } = this;
    this.isClosed = true;
    this.#threads.ports.delete(this);
    if (other !== null) this.#threads.deliver(other, this.#name, () => other.#closed());
  }

  /** Has no effect, as a simulated process ends only on request. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  start(): void {
    this.#hasStarted = true;
    for (const come of this.#early.splice(0)) this.#threads.deliver(this, this.#name, come);
  }

  #begin(name: string): this {
    if (name === 'message' && !this.#hasStarted) this.start();
    return this;
  }
}

/** Copies a message as between threads, except for transferred ports. */
function copied(message: unknown, transferred: readonly unknown[]): unknown {
  const buffers = transferred.filter((each): each is ArrayBuffer => each instanceof ArrayBuffer);
  const ports = transferred.filter((each) => each instanceof SimulatedPort);
  if (ports.length === 0) return structuredClone(message, { transfer: buffers });
  const fields = Object.entries(message as object);
  const kept = fields.filter(([, value]) => value instanceof SimulatedPort);
  const rest = Object.fromEntries(fields.filter(([, value]) => !(value instanceof SimulatedPort)));
  return { ...structuredClone(rest, { transfer: buffers }), ...Object.fromEntries(kept) };
}

interface WorkerOptions {
  name?: string;
  workerData?: unknown;
  eval?: boolean;
}

/** The exports of `node:worker_threads` for the module of a thread. */
interface ThreadParts {
  parentPort: SimulatedPort;
  workerData: unknown;
}

/** All threads of all processes. */
export class Threads {
  readonly world: World;
  readonly running = new Set<SimulatedWorker>();
  /** Open ends of channels. */
  readonly ports = new Set<SimulatedPort>();
  readonly #draw: Draw;
  readonly #parts = new Map<string, ThreadParts>();
  /** Closes all open objects of a life. */
  readonly closeAll: (life: Life) => void;
  #lastId = 0;

  constructor(world: World, closeAll: (life: Life) => void) {
    this.world = world;
    this.closeAll = closeAll;
    this.#draw = drawOf(world.seed, 'duration of messages');
  }

  /** Delivers a message to a port. Messages to one port arrive in order. */
  deliver(to: SimulatedPort, label: string, run: () => void): void {
    const { nowMs } = this.world;
    to.lastDueMs = Math.max(to.lastDueMs, nowMs + this.#draw.next() * MAX_MESSAGE_MS);
    const { life, lane } = to;
    this.world.add({ life, kind: 'message', label, lane, delayMs: to.lastDueMs - nowMs, run });
  }

  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  give(id: string, parts: ThreadParts): void {
    this.#parts.set(id, parts);
  }

  partsOf(id: string): ThreadParts {
    const parts = this.#parts.get(id);
    if (parts === undefined) throw new Error(`No thread ${id} is being started.`);
    this.#parts.delete(id);
    return parts;
  }

  /** Forgets a process that has ended, and its threads. */
  forget(process: Life): void {
    for (const worker of [...this.running]) if (worker.life.isOf(process)) this.running.delete(worker);
    for (const port of [...this.ports]) if (port.life.isOf(process)) this.ports.delete(port);
  }
}

let threads: Threads | null = null;

export function useThreads(made: Threads): void {
  threads = made;
}

export function currentThreads(): Threads {
  if (threads === null) throw new Error('The simulation has not begun.');
  return threads;
}

class SimulatedWorker extends EventEmitter {
  readonly life: Life;
  /** Whether Node would keep the process alive while this thread runs. */
  keepsProcess = true;
  readonly performance: { eventLoopUtilization: () => { idle: number; active: number; utilization: number } };
  readonly #threads: Threads;
  readonly #owner: Life;
  readonly #near: SimulatedPort;
  readonly #far: SimulatedPort;
  readonly #exited = Promise.withResolvers<number>();
  #hasLoaded = false;
  #isEnding = false;
  #hasEnded = false;

  constructor(script: URL, { name = 'thread', workerData, eval: isText = false }: WorkerOptions = {}) {
    super();
    this.#threads = currentThreads();
    const { world } = this.#threads;
    const owner = world.life();
    if (owner === undefined) throw new Error('A thread of nobody was started.');
    this.#owner = owner;
    const id = this.#threads.nextId();
    this.life = new Life(`${owner.name} ${name} ${id}`, { parent: owner });
    this.life.afterStep = () => this.#endIfIdle();
    this.performance = {
      eventLoopUtilization: () => ({ idle: world.monotonicMs(this.life), active: 0, utilization: 0 }),
    };
    this.#near = new SimulatedPort(this.#threads, owner, `messages of ${name} ${id}`);
    this.#far = new SimulatedPort(this.#threads, this.life, `messages to ${name} ${id}`);
    this.#near.other = this.#far;
    this.#far.other = this.#near;
    this.#near.on('message', (message) => this.emit('message', message));
    this.#threads.running.add(this);
    const parts = { parentPort: this.#far, workerData: copied(workerData, []) };
    this.#threads.give(id, parts);
    world.add({
      ...{ life: this.life, kind: 'thread', label: `start of ${name}`, delayMs: 3 },
      run: () => (isText ? undefined : this.#load(new URL(`?thread=${id}`, script))),
    });
  }

  postMessage(message: unknown, transferred: readonly unknown[] = []): void {
    this.#near.postMessage(message, transferred);
  }

  ref(): void {
    this.keepsProcess = true;
  }

  unref(): void {
    this.keepsProcess = false;
  }

  terminate(): Promise<number> {
    if (!this.#hasEnded) this.#exit(1);
    return this.#exited.promise;
  }

  #load(script: URL): void {
    const { world } = this.#threads;
    world.realWork += 1;
    const loaded: Promise<unknown> = import(script.href);
    loaded
      .then(
        () => {
          this.#hasLoaded = true;
          this.#endIfIdle();
        },
        (problem: unknown) => {
          if (this.#hasEnded) return;
          this.#deliver(() => this.emit('error', problem));
          this.#exit(1);
        },
      )
      .finally(() => {
        world.realWork -= 1;
      });
  }

  /** Like Node, ends a thread if no further event is possible. */
  #endIfIdle(): void {
    if (!this.#hasLoaded || this.#isEnding || this.#hasEnded || this.life.pending > 0) return;
    if (!this.#far.isClosed && this.#far.listenerCount('message') > 0) return;
    this.#isEnding = true;
    // Promise callbacks of the last step run first.
    this.#threads.world.add({
      ...{ life: this.life, kind: 'thread', label: 'end', delayMs: 0.1 },
      run: () => {
        this.#isEnding = false;
        if (this.life.pending > 0) return;
        this.#exit(0);
      },
    });
  }

  #exit(code: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { world } = this.#threads;
    this.#threads.running.delete(this);
    world.end(this.life);
    this.#threads.closeAll(this.life);
    for (const port of [...this.#threads.ports]) if (port.life.isOf(this.life)) port.abandon();
    this.#threads.deliver(this.#near, 'exit', () => {
      this.emit('exit', code);
      this.#exited.resolve(code);
    });
  }

  #deliver(run: () => void): void {
    this.#threads.world.lives.run(this.#owner, run);
  }
}

class SimulatedChannel {
  readonly port1: SimulatedPort;
  readonly port2: SimulatedPort;

  constructor() {
    const made = currentThreads();
    const life = made.world.life();
    if (life === undefined) throw new Error('A channel of nobody was made.');
    const name = `channel ${made.nextId()}`;
    this.port1 = new SimulatedPort(made, life, name);
    this.port2 = new SimulatedPort(made, life, name);
    this.port1.other = this.port2;
    this.port2.other = this.port1;
    made.ports.add(this.port1).add(this.port2);
  }
}

// State of the process, which all of its threads share.
export { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
export { SimulatedChannel as MessageChannel, SimulatedPort as MessagePort, SimulatedWorker as Worker };
export const parentPort = null;
export const workerData = null;
export const isMainThread = true;
/** All simulated threads share one id, as none is interrupted by another. */
export const threadId = 0;
