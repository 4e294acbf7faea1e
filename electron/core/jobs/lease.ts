/** Keeps two processes (a window and a command line) from sending the same piece of work. */
import { AppError, toAppError } from '../../shared/errors.ts';
import type { Clock, Logger } from '../ports.ts';

export interface Lease {
  owner: string;
  processId: number;
  atMs: number;
}

/** Leases on disk, one for each piece of work. Every method is one step, also among processes. */
export interface LeaseTable {
  read(id: string): Lease | null;
  /** Takes it when it is free, ours, or `isStale` says so. */
  take(id: string, lease: Lease, isStale: (held: Lease) => boolean): boolean;
  /** False when another process has taken it over. */
  renew(id: string, owner: string, atMs: number): boolean;
  release(id: string, owner: string): void;
}

/** This process, as others on the same data folder find it. */
export interface LeaseProcess {
  pid: number;
  isRunning: (pid: number) => boolean;
  /** Process ids are compared only inside one of these: a computer, or a container on it. Without it: everywhere. */
  space?: string;
}

interface LeaseKeeperDeps {
  table: LeaseTable;
  /** What is leased, as a message names it: `build`, `score run`. */
  what: string;
  owner: string;
  clock: Clock;
  logger: Logger;
  process: LeaseProcess;
}

const HEARTBEAT_MS = 3_000;
/** A holder that has not said anything for so long is taken to be gone. */
const STALE_LEASE_MS = 20_000;
/** Owners that hold something in this process: the process id tells them from nobody. */
const LIVING = new Set<string>();

const keyOf = (owner: string, id: string): string => `${id} ${owner}`;
/** The space of process ids stands behind the id of the owner. */
const ownerIn = (owner: string, space: string): string => (space === '' ? owner : `${owner}@${space}`);
const spaceOf = (owner: string): string => (owner.includes('@') ? owner.slice(owner.indexOf('@') + 1) : '');

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = { ...deps, owner: ownerIn(deps.owner, deps.process.space ?? '') };
  }

  /** A clock that is ahead makes a lease young, never old. */
  #isStale(id: string, lease: Lease): boolean {
    const { process, clock } = this.#deps;
    if (lease.processId === process.pid && LIVING.has(keyOf(lease.owner, id))) return false;
    const isOld = clock.nowMs() - lease.atMs > STALE_LEASE_MS;
    // Its process id says nothing here: another program may have the same one, and its own cannot be looked for.
    if (spaceOf(lease.owner) !== (process.space ?? '')) return isOld;
    // The same id and not living here: a program before this one had it.
    return isOld || lease.processId === process.pid || !process.isRunning(lease.processId);
  }

  /** Does another living process hold it? */
  isElsewhere(id: string): boolean {
    const held = this.#deps.table.read(id);
    return held !== null && held.owner !== this.#deps.owner && !this.#isStale(id, held);
  }

  /** Throws CONFLICT where another living process holds it. */
  checkFree(id: string): void {
    if (this.isElsewhere(id)) throw this.#conflict();
  }

  holds(id: string): boolean {
    return this.#deps.table.read(id)?.owner === this.#deps.owner;
  }

  /**
   * Takes the lease and renews it until the returned function is called. `onLost`: another process has taken it
   * over. Throws CONFLICT where it is held.
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
      cancel = clock.setTimer(beat, HEARTBEAT_MS);
    };
    cancel = clock.setTimer(beat, HEARTBEAT_MS);
    return () => {
      cancel();
      LIVING.delete(keyOf(owner, id));
      this.#release(id);
    };
  }

  /** Takes it away from whatever process holds it, which can write nothing more then. */
  seize(id: string): () => void {
    if (!this.#deps.table.take(id, this.#lease(), () => true)) throw this.#conflict();
    return () => this.#release(id);
  }

  #lease(): Lease {
    const { owner, process, clock } = this.#deps;
    return { owner, processId: process.pid, atMs: clock.nowMs() };
  }

  /** Calls `onLook` every now and then, the last time with `isFree`. Ends with the returned function, too. */
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
      if (!isFree) cancel = clock.setTimer(look, HEARTBEAT_MS);
    };
    cancel = clock.setTimer(look, HEARTBEAT_MS);
    return () => cancel();
  }

  #release(id: string): void {
    const { table, owner, logger, what } = this.#deps;
    try {
      table.release(id, owner);
    } catch (problem) {
      // It becomes free by age.
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
