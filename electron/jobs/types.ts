/** The interface between a kind of durable job and the general mechanism in this folder, which knows no kind. */

import type { LeaseProcess, LeaseTable } from '../core/jobs/lease.ts';
import type { SendPermission } from '../core/jobs/send-permission.ts';
import type { StartPlan } from '../core/jobs/start-plan.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { AppError, WireError } from '../shared/errors.ts';
import type { PlannedThing } from './schedule.ts';

/** State common to all jobs: pure data, changed only by the transition of the job's kind. */
export interface JobCore extends StartPlan {
  readonly state: string;
  /** The reason why it waits or rests, as a sentence; otherwise empty. */
  readonly reason: string;
  readonly error: WireError | null;
}

/** The part of a job's ledger that the mechanism uses; `JobLedger` implements it. */
export interface HostedLedger {
  readonly id: string;
  readonly core: JobCore;
  /** True if nothing is sent until a person or a planned start says so. */
  readonly isIdle: boolean;
  /** True if the store does not have its state: the disk did not accept it. */
  readonly isUnwritten: boolean;
  /** Writes its state once more. Throws DISK_FULL, STORE_FAILED. */
  writeDown(): void;
  /** Set while it runs here: true if this process still holds the lease. Checked in every transaction. */
  holdsLease: (() => boolean) | null;
  /** Lets the job rest with the reason why it cannot continue, even if the disk does not accept that. */
  rest(error: AppError): void;
  /** Sends the last notification and cancels timers. */
  close(): void;
  /** The job was removed: views are not notified any more. */
  discard(): void;
  /** Notifies views of the current state, because another process changed it. */
  announce(): void;
}

/** Runs one job until it rests; `WorkLoop` implements it. */
export interface JobWork {
  /** Resolves when nothing of it is in flight any more. */
  readonly done: Promise<void>;
  /** The service can be reached again, or the job was changed: waits are checked again. */
  wake(): void;
  /** Starts nothing more; the job keeps its state, to be resumed later. */
  stop(): void;
  /** Withdraws requests that were not sent yet; the outcome of requests in flight becomes unknown. */
  abort(): void;
}

export interface JobRunner {
  readonly loop: JobWork;
  /** The gate through which its requests leave. */
  readonly sendPermission?: SendPermission;
  /**
   * For kinds that the service finishes: resolves when nothing is left to be sent, to true if the service task is
   * followed from then on.
   */
  readonly sent?: Promise<boolean>;
}

/** The fields of a job for sorting and searching lists, without reading all of it. */
export interface ListedJob {
  id: string;
  title: string;
  /** The state in the kind's own terms. */
  state: string;
  createdAtMs: number;
}

/** A job that has no end yet, or that a process holds. */
interface UnfinishedJob {
  id: string;
  state: string;
  /** True if a process holds it, which may have ended. */
  isLeased: boolean;
}

/** Everything stored of one kind, by any process; `JobStore` implements it. */
interface JobRows {
  readonly leases: LeaseTable;
  /** Null if there is no such job. */
  revision(id: string): number | null;
  /** Newest first. */
  heads(): readonly ListedJob[];
  /** Jobs that have no end yet, and those that a process holds. */
  unfinished(): readonly UnfinishedJob[];
  /** Jobs that start by themselves later. */
  scheduled(): readonly PlannedThing[];
}

export interface JobKind<Ledger extends HostedLedger> {
  /** The kind's name in messages and the log, e.g. `score run`. */
  readonly what: string;
  readonly rows: JobRows;
  /** Reads one from disk. Throws INVALID_ARGUMENT if there is none. */
  load(id: string): Ledger;
  /** Starts running it. */
  run(ledger: Ledger): JobRunner;
  /**
   * The program that was running it ended: requests in flight become unknown, and the job rests. A job that is only
   * followed stays active and is followed here. Returns false if there was nothing to recover.
   */
  interrupt(ledger: Ledger): boolean;
  resume(ledger: Ledger): void;
  /** Its planned time has come: starts it, or reports why it cannot start. */
  due(ledger: Ledger, nowMs: number): void;
  /** True while another job has to end before a planned one may start; default: never. */
  isHeld?(id: string): boolean;
  /** Why a planned start waits for the computer, as a text; null if it starts; default: never. */
  heldBy?(id: string): string | null;
  /** Another process took it over; default: requests in flight are withdrawn. */
  lost?(loop: JobWork): void;
  /**
   * The job was resumed while it ended: state that `ended` holds only in memory is passed to `own`, the job read anew.
   */
  startAgain?(ended: Ledger, own: Ledger): void;
  /**
   * True for the states in which a process, or the service, works on the job. If this process does not, it watches the
   * one that does, shows its progress, and recovers the job once that process has finished or is gone.
   */
  isOpen(state: string): boolean;
}

type UsualEvent = { type: 'interrupt' } | { type: 'resume' } | { type: 'due'; nowMs: number };

interface UsualLedger {
  readonly isIdle: boolean;
  apply(events: readonly UsualEvent[]): unknown;
}

/** Time for requests in flight to be answered when a connection closes; everything ends within two seconds. */
export const STOP_GRACE_MS = 1_500;

/** The steps for a kind whose transition uses the usual names of these three events. */
export const USUAL_STEPS = {
  isOpen: (state: string): boolean => state === 'running' || state === 'waiting',
  interrupt: (ledger: UsualLedger): boolean => {
    if (ledger.isIdle) return false;
    ledger.apply([{ type: 'interrupt' }]);
    return true;
  },
  resume: (ledger: UsualLedger): void => void ledger.apply([{ type: 'resume' }]),
  due: (ledger: UsualLedger, nowMs: number): void => void ledger.apply([{ type: 'due', nowMs }]),
};

export interface JobsDeps {
  clock: Clock;
  logger: Logger;
  random: Random;
  process: LeaseProcess;
}
