/** Puts full load on the contenders in the benchmark of the scheduler, in virtual time. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import { bootMs } from '../../electron/db/process-identity.ts';
import { takeOverGlobals } from './global-clock.ts';
import { type Contender, WINDOWS } from './scheduler-contenders.ts';
import { ServiceModel } from './service-model.ts';
import { START_MS, seededRandom, settled, VirtualWorld } from './virtual-world.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Collects garbage. `minor`: only objects that were created recently. */
export function collectGarbage(type: 'minor' | 'major'): void {
  if (typeof collect === 'function') collect({ type });
}

/** Processor time of this process, without other load of the machine. */
function spentUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A service that answers after 40 to 160 ms, and counts in truly rolling windows. */
function service(world: VirtualWorld) {
  const random = seededRandom(11);
  const model = new ServiceModel({
    counting: 'rolling',
    windows: WINDOWS,
    clockMs: START_MS,
    policy: 'whole',
    retryAfter: 'seconds',
    penaltyMs: 0,
    resetIsFullLength: false,
  });
  const counts = { sent: 0 };
  const send = () => {
    counts.sent++;
    return new Promise<Attempt<null>>((resolve) => {
      world.after(20 + random.next() * 60, () => {
        const { isAllowed, headers } = model.arrive(world.trueMs, true);
        const status = isAllowed ? 200 : 429;
        world.after(20 + random.next() * 60, () =>
          resolve({ kind: 'answered', status, rate: headers, value: null }),
        );
      });
    });
  };
  return { send, counts, model };
}

const ignore = () => undefined;

/** A contender that always has `depth` requests queued. Time advances only in `run`. */
export class Load {
  readonly #contender: Contender;
  readonly #world = new VirtualWorld();
  readonly #service = service(this.#world);
  readonly #add: () => Promise<unknown>;
  readonly #stop: () => void;
  #isStopped = false;

  constructor(contender: Contender, depth: number) {
    this.#contender = contender;
    const { add, stop } = this.#inWorld(() => contender.start(this.#world, this.#service.send));
    this.#add = add;
    this.#stop = stop;
    this.#inWorld(() => {
      for (let index = 0; index < depth; index++) this.#refill();
    });
  }

  get sent(): number {
    return this.#service.counts.sent;
  }

  get violations(): number {
    return this.#service.model.ownViolations;
  }

  get nowMs(): number {
    return this.#world.trueMs;
  }

  /** Advances time by `ms`. Returns the processor time of one request in microseconds, including garbage collection. */
  async run(ms: number): Promise<number> {
    const restore = this.#contender.usesGlobals ? takeOverGlobals(this.#world) : ignore;
    const before = this.sent;
    const startedUs = spentUs();
    await this.#world.run(this.nowMs + ms);
    collectGarbage('minor');
    const costUs = (spentUs() - startedUs) / (this.sent - before);
    restore();
    return costUs;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
  }

  readonly #refill = (): void => {
    if (!this.#isStopped) this.#add().then(this.#refill, ignore);
  };

  #inWorld<R>(work: () => R): R {
    const restore = this.#contender.usesGlobals ? takeOverGlobals(this.#world) : ignore;
    try {
      return work();
    } finally {
      restore();
    }
  }
}

/** The cost of adding to a queue: each time a new queue, after its first request. In bytes if the queue is deep. */
export async function adding(contender: Contender, depth: number): Promise<{ addUs: number; bytes: number }> {
  const times = Math.max(1, Math.ceil(2_000 / depth));
  let spentMs = 0;
  let bytes = 0;
  for (let time = 0; time < times; time++) {
    const world = new VirtualWorld();
    const restore = contender.usesGlobals ? takeOverGlobals(world) : ignore;
    const { add, stop } = contender.start(world, service(world).send);
    add().catch(ignore);
    await settled();
    collectGarbage(times === 1 ? 'major' : 'minor');
    const before = process.memoryUsage().heapUsed;
    const startedMs = bootMs();
    for (let index = 0; index < depth; index++) add().catch(ignore);
    spentMs += bootMs() - startedMs;
    await settled();
    if (times === 1) collectGarbage('major');
    bytes = (process.memoryUsage().heapUsed - before) / depth;
    stop();
    restore();
  }
  return { addUs: (spentMs * 1_000) / (times * depth), bytes };
}
