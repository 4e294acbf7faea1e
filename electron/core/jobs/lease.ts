/** Prevents two processes (a window and a command line) from sending the same piece of work. */
import { AppError, toAppError } from '../../shared/errors.ts';
import type { Clock, Logger } from '../ports.ts';

export interface Lease {
  owner: string;
  processId: number;
  atMs: number;
}

/** Leases on disk, one for each piece of work. Every method is atomic, also across processes. */
export interface LeaseTable {
  read(id: string): Lease | null;
  /** Takes the lease if it is free, held by the same owner, or stale according to `isStale`. Returns whether it did. */
  take(id: string, lease: Lease, isStale: (held: Lease) => boolean): boolean;
  /** Returns false if another process has taken the lease over. */
  renew(id: string, owner: string, atMs: number): boolean;
  release(id: string, owner: string): void;
}

/** Identifies this process to other processes on the data folder. */
export interface LeaseProcess {
  pid: number;
  isRunning: (pid: number) => boolean;
  /**
   * Process ids are comparable only within the same space: a computer, or a container on it. If undefined, all
   * processes are assumed to share one.
   */
  space?: string;
}

interface LeaseKeeperDeps {
  table: LeaseTable;
  /** Name of the leased work in messages: `build`, `score run`. */
  what: string;
  owner: string;
  clock: Clock;
  logger: Logger;
  process: LeaseProcess;
}

const HEARTBEAT_MS = 3_000;
/** A holder without a heartbeat for this long is silent. */
const STALE_LEASE_MS = 20_000;
/**
 * Time for silent holders to renew their leases after the computer slept or its clock was set forward. Their leases are
 * old then, although they are alive, also for a process that starts only now.
 */
const WAKE_GRACE_MS = 3 * HEARTBEAT_MS;
/**
 * A holder on this computer renews with the same clock, so a lease further in the future than this shows that the clock
 * was set back.
 */
const MAX_AHEAD_MS = 5_000;
/** Observations with a longer gap begin again, because the computer may have slept during it. */
const MAX_GAP_MS = 20_000;
/** Maximum number of looks at a silent holder, enough for the longest silence. */
const MAX_LOOKS = Math.ceil(STALE_LEASE_MS / HEARTBEAT_MS) + 1;
/** Owners in this process that hold a lease. A stored process id alone is not enough, because ids are reused. */
const LIVING = new Set<string>();

const keyOf = (owner: string, id: string): string => `${id} ${owner}`;
/** The owner's id with the process-id space appended. */
const ownerIn = (owner: string, space: string): string => (space === '' ? owner : `${owner}@${space}`);
const spaceOf = (owner: string): string => (owner.includes('@') ? owner.slice(owner.indexOf('@') + 1) : '');

/** A silent lease as this process has seen it since `sinceMs`. Times are monotonic. */
interface Silence {
  owner: string;
  atMs: number;
  sinceMs: number;
  lookedAtMs: number;
  /** True if its holder renewed it meanwhile, and so is alive although its clock differs from ours. */
  wasRenewed: boolean;
}

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  /** By job. */
  readonly #silences = new Map<string, Silence>();

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = { ...deps, owner: ownerIn(deps.owner, deps.process.space ?? '') };
  }

  /**
   * How long this process has seen a silent lease unrenewed, how long it must, and whether it saw a renewal before. Null
   * for a lease that was renewed recently.
   */
  #silence(id: string, { owner, atMs }: Lease): { ms: number; neededMs: number; wasRenewed: boolean } | null {
    const { clock } = this.#deps;
    const [ageMs, nowMs] = [clock.nowMs() - atMs, clock.monotonicMs()];
    if (ageMs <= STALE_LEASE_MS && ageMs >= -MAX_AHEAD_MS) {
      this.#silences.delete(id);
      return null;
    }
    const known = this.#silences.get(id);
    const isKnown = known?.owner === owner && nowMs - known.lookedAtMs <= MAX_GAP_MS;
    const isSame = isKnown && known.atMs === atMs;
    const wasRenewed = isKnown && (known.wasRenewed || !isSame);
    const sinceMs = isSame ? known.sinceMs : nowMs;
    if (!isKnown) this.#forgetOld(nowMs);
    this.#silences.set(id, { owner, atMs, sinceMs, lookedAtMs: nowMs, wasRenewed });
    // The age of a lease in the future is unknown, so the whole silence must be observed.
    const neededMs = ageMs > 0 ? WAKE_GRACE_MS : STALE_LEASE_MS;
    return { ms: nowMs - sinceMs, neededMs, wasRenewed };
  }

  /** Forgets leases that nobody asks for any more. */
  #forgetOld(nowMs: number): void {
    for (const [id, { lookedAtMs }] of this.#silences)
      if (nowMs - lookedAtMs > MAX_GAP_MS) this.#silences.delete(id);
  }

  /** `doubtful`: the holder is silent, but may merely not have had the time to renew the lease. */
  #judge(id: string, lease: Lease): 'held' | 'doubtful' | 'stale' {
    const { process } = this.#deps;
    if (lease.processId === process.pid && LIVING.has(keyOf(lease.owner, id))) return 'held';
    // In another space the process id is meaningless, so only the silence of the holder counts.
    if (spaceOf(lease.owner) === (process.space ?? '')) {
      // A holder with our own process id that is not a living owner here was an earlier program with that id.
      if (lease.processId === process.pid || !process.isRunning(lease.processId)) return 'stale';
    }
    // The process id may also have been reused by another program, which never renews the lease.
    const silence = this.#silence(id, lease);
    if (silence === null) return 'held';
    if (silence.ms >= silence.neededMs) return 'stale';
    return silence.wasRenewed ? 'held' : 'doubtful';
  }

  #isStale(id: string, lease: Lease): boolean {
    return this.#judge(id, lease) === 'stale';
  }

  /** Whether another living process holds the lease. */
  isElsewhere(id: string): boolean {
    const held = this.#deps.table.read(id);
    return held !== null && held.owner !== this.#deps.owner && !this.#isStale(id, held);
  }

  /** Whether a process that has ended still holds the lease. */
  isLeft(id: string): boolean {
    const held = this.#deps.table.read(id);
    return held !== null && this.#isStale(id, held);
  }

  /**
   * Resolves when it is known whether a silent holder of the lease is alive, at the latest after the time for which a
   * holder may be silent. Null if no holder is doubtful.
   */
  whenJudged(id: string): Promise<void> | null {
    if (!this.#isDoubtful(id)) return null;
    return new Promise((resolve, reject) => {
      let looks = 0;
      const look = () => {
        looks += 1;
        try {
          if (this.#isDoubtful(id) && looks < MAX_LOOKS) lookLater();
          else resolve();
        } catch (problem) {
          reject(problem);
        }
      };
      const lookLater = () => this.#deps.clock.setTimer(look, HEARTBEAT_MS, 'judging the claim on a job');
      lookLater();
    });
  }

  #isDoubtful(id: string): boolean {
    const { table, owner } = this.#deps;
    const held = table.read(id);
    return held !== null && held.owner !== owner && this.#judge(id, held) === 'doubtful';
  }

  /** Throws CONFLICT if another living process holds the lease. */
  checkFree(id: string): void {
    if (this.isElsewhere(id)) throw this.#conflict();
  }

  holds(id: string): boolean {
    return this.#deps.table.read(id)?.owner === this.#deps.owner;
  }

  /**
   * Takes the lease and renews it until the returned function is called. `onLost`: called if another process has taken
   * it over. Throws CONFLICT if it is held.
   */
  take(id: string, onLost: () => void): () => void {
    const { table, clock, owner, logger, what } = this.#deps;
    if (!table.take(id, this.#lease(), (held) => this.#isStale(id, held))) throw this.#conflict();
    LIVING.add(keyOf(owner, id));
    let cancel: () => void = () => undefined;
    const beat = () => {
      try {
        if (!table.renew(id, owner, clock.nowMs())) {
          logger.error('lease taken over by another process', { what, id });
          LIVING.delete(keyOf(owner, id));
          onLost();
          return;
        }
      } catch (problem) {
        logger.warn('lease not renewed', { what, id, reason: toAppError(problem).message });
      }
      cancel = clock.setTimer(beat, HEARTBEAT_MS, 'keeping the claim on a job');
    };
    cancel = clock.setTimer(beat, HEARTBEAT_MS, 'keeping the claim on a job');
    return () => {
      cancel();
      LIVING.delete(keyOf(owner, id));
      this.#release(id);
    };
  }

  /** Takes the lease from any other process, which can then write nothing more. */
  takeOver(id: string): () => void {
    if (!this.#deps.table.take(id, this.#lease(), () => true)) throw this.#conflict();
    return () => this.#release(id);
  }

  #lease(): Lease {
    const { owner, process, clock } = this.#deps;
    return { owner, processId: process.pid, atMs: clock.nowMs() };
  }

  /**
   * Calls `onLook` periodically until the lease is free, the last time with `isFree`. The returned function also stops
   * it.
   */
  watch(id: string, onLook: (isFree: boolean) => void): () => void {
    const { clock, logger, what } = this.#deps;
    let cancel: () => void = () => undefined;
    const look = () => {
      let isFree = false;
      try {
        isFree = !this.isElsewhere(id);
        onLook(isFree);
      } catch (problem) {
        isFree = false;
        logger.warn('job of another process not looked at', {
          what,
          id,
          reason: toAppError(problem).message,
        });
      }
      if (!isFree) lookLater();
    };
    const lookLater = () => {
      cancel = clock.setTimer(look, HEARTBEAT_MS, 'keeping the claim on a job');
    };
    lookLater();
    return () => cancel();
  }

  #release(id: string): void {
    const { table, owner, logger, what } = this.#deps;
    try {
      table.release(id, owner);
    } catch (problem) {
      // The lease could not be released, but it becomes free when it is old enough.
      logger.warn('lease not released', { what, id, reason: toAppError(problem).message });
    }
  }

  #conflict(): AppError {
    return new AppError(
      'CONFLICT',
      `Another Spandeck (a window or a command line) is working on this ${this.#deps.what}. Control it there, or wait until it ends.`,
      { outcome: 'unsent' },
    );
  }
}
