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
/** A holder without a heartbeat for this long counts as dead. */
const STALE_LEASE_MS = 20_000;
/**
 * Time for holders to renew their leases after the computer slept or its clock was set forward. Their leases are old
 * then, although they are alive.
 */
const WAKE_GRACE_MS = 3 * HEARTBEAT_MS;
/** A greater step of the wall time, compared with the monotonic time, is a sleep or a change of the clock. */
const MAX_STEP_MS = 5_000;
/** Owners in this process that hold a lease. A stored process id alone is not enough, because ids are reused. */
const LIVING = new Set<string>();

const keyOf = (owner: string, id: string): string => `${id} ${owner}`;
/** The owner's id with the process-id space appended. */
const ownerIn = (owner: string, space: string): string => (space === '' ? owner : `${owner}@${space}`);
const spaceOf = (owner: string): string => (owner.includes('@') ? owner.slice(owner.indexOf('@') + 1) : '');

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  /** Leases whose time is in the future, with the monotonic time at which they were first seen. */
  readonly #ahead = new Map<string, { owner: string; atMs: number; seenAtMs: number }>();
  /** Difference of the two clocks at the last look. */
  #offsetMs: number;
  /** Monotonic time at which a sleep or a change of the clock was noticed. */
  #wokenAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = { ...deps, owner: ownerIn(deps.owner, deps.process.space ?? '') };
    this.#offsetMs = deps.clock.nowMs() - deps.clock.monotonicMs();
  }

  /** Whether the age of a lease says nothing, because living holders may not have had the time to renew it. */
  #hasJustWoken(): boolean {
    const { clock } = this.#deps;
    const offsetMs = clock.nowMs() - clock.monotonicMs();
    if (offsetMs - this.#offsetMs > MAX_STEP_MS) this.#wokenAtMs = clock.monotonicMs();
    this.#offsetMs = offsetMs;
    return clock.monotonicMs() - this.#wokenAtMs < WAKE_GRACE_MS;
  }

  /**
   * Whether a lease whose time is in the future has not been renewed since this process first saw it. Either the holder's
   * clock is ahead, or that of this computer was, and has been set back.
   */
  #isUnchanged(id: string, { owner, atMs }: Lease): boolean {
    const { clock } = this.#deps;
    const known = this.#ahead.get(id);
    if (atMs <= clock.nowMs()) this.#ahead.delete(id);
    else if (known === undefined || known.owner !== owner || known.atMs !== atMs)
      this.#ahead.set(id, { owner, atMs, seenAtMs: clock.monotonicMs() });
    else return clock.monotonicMs() - known.seenAtMs > STALE_LEASE_MS;
    return false;
  }

  /** A clock that is ahead makes a lease seem recent, never old, as long as it is renewed. */
  #isStale(id: string, lease: Lease): boolean {
    const { process, clock } = this.#deps;
    if (lease.processId === process.pid && LIVING.has(keyOf(lease.owner, id))) return false;
    const isSilent = clock.nowMs() - lease.atMs > STALE_LEASE_MS || this.#isUnchanged(id, lease);
    const isOld = !this.#hasJustWoken() && isSilent;
    // In another space the process id is meaningless, so only the age of the lease counts.
    if (spaceOf(lease.owner) !== (process.space ?? '')) return isOld;
    // A holder with our own process id that is not a living owner here was an earlier program with that id.
    return isOld || lease.processId === process.pid || !process.isRunning(lease.processId);
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
    let dueMs = 0;
    const look = () => {
      // On some systems the monotonic time continues during sleep, so that only the late timer shows it.
      if (clock.monotonicMs() - dueMs > STALE_LEASE_MS) this.#wokenAtMs = clock.monotonicMs();
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
      dueMs = clock.monotonicMs() + HEARTBEAT_MS;
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
