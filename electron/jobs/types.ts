/**
 * The interface between a kind of durable job and the general mechanism in this folder, which does not depend on any
 * kind.
 */

import type { LeaseProcess, LeaseTable } from '../core/jobs/lease.ts';
import type { SendPermission } from '../core/jobs/send-permission.ts';
import type { StartPlan } from '../core/jobs/start-plan.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { AppError, WireError } from '../shared/errors.ts';
import type { PlannedThing } from './schedule.ts';

/** State common to all jobs. It is pure data and is changed only by the transition of the job's kind. */
export interface JobCore extends StartPlan {
  readonly state: string;
  /** The reason why the job waits or rests, as a sentence; otherwise empty. */
  readonly reason: string;
  readonly error: WireError | null;
}

/** The methods of a job's ledger that the mechanism uses. Implemented by `JobLedger`. */
export interface HostedLedger {
  readonly id: string;
  readonly core: JobCore;
  /** True if nothing is sent until a person or a planned start begins it. */
  readonly isIdle: boolean;
  /** True if the store does not have its state: the disk did not accept it. */
  readonly isUnwritten: boolean;
  /** Writes its state once more. Throws DISK_FULL, STORE_FAILED. */
  writeDown(): void;
  /** Set while the job runs here. Returns true if this process still holds the lease. Checked in every transaction. */
  holdsLease: (() => boolean) | null;
  /** Set while the job does not run here. Returns false if another process has taken or changed the job since it was read. */
  isCurrent: (() => boolean) | null;
  /**
   * Must be called in the transaction that changes or removes the job. Throws CONFLICT if another process has taken or
   * changed it since it was read.
   */
  checkOwn(): void;
  /** Number of changes that were written. */
  readonly writes: number;
  /** Halts the job with the reason why it cannot continue, even if the disk does not accept the change. */
  rest(error: AppError): void;
  /** Sends the last notification and cancels timers. */
  close(): void;
  /** Called when the job was removed. Views are not notified any more. */
  discard(): void;
  /** Notifies views of the current state after another process changed it. */
  announce(): void;
}

/** Runs one job until it rests. Implemented by `WorkLoop`. */
export interface JobWork {
  /** Resolves when no request of the job is in flight any more. */
  readonly done: Promise<void>;
  /** Called when the service is reachable again or the job was changed. Ends the current wait. */
  wake(): void;
  /** Starts nothing more. The job keeps its state and can be resumed later. */
  stop(): void;
  /** Withdraws requests that were not sent yet. The outcome of requests in flight becomes unknown. */
  abort(): void;
}

export interface JobRunner {
  readonly loop: JobWork;
  /** True for a task on the job, for example a check of its results, instead of a run of the job. */
  readonly isTask?: boolean;
  /** Decides whether the job's requests may be sent. */
  readonly sendPermission?: SendPermission;
  /**
   * For kinds that the service finishes. Resolves when nothing is left to be sent, to true if the service task is then
   * followed.
   */
  readonly sent?: Promise<boolean>;
}

/** The fields by which a list of jobs is sorted and searched, without reading the whole job. */
export interface ListedJob {
  id: string;
  title: string;
  /** The state under the kind's own name. */
  state: string;
  createdAtMs: number;
}

/** A job that has not ended, or that a process holds. */
interface UnfinishedJob {
  id: string;
  state: string;
  /** True if a process holds the job. That process may have ended. */
  isLeased: boolean;
}

/** All stored jobs of one kind, of any process. Implemented by `JobStore`. */
interface JobRows {
  readonly leases: LeaseTable;
  /** Null for an unknown id. */
  revision(id: string): number | null;
  /** Newest first. */
  heads(): readonly ListedJob[];
  /** Jobs that have not ended, and jobs that a process holds. */
  unfinished(): readonly UnfinishedJob[];
  /** Jobs with a planned automatic start. */
  scheduled(): readonly PlannedThing[];
}

export interface JobKind<Ledger extends HostedLedger> {
  /** The kind's name in messages and the log, e.g. `score run`. */
  readonly what: string;
  readonly rows: JobRows;
  /** Reads a job from disk. Throws INVALID_ARGUMENT for an unknown id. */
  load(id: string): Ledger;
  /** Starts running the job. */
  run(ledger: Ledger): JobRunner;
  /**
   * Called if the process that was running the job has ended. Requests in flight become unknown, and the job rests. A
   * job that only follows a service task stays active and is followed here. Returns false if there was nothing to
   * recover.
   */
  interrupt(ledger: Ledger): boolean;
  resume(ledger: Ledger): void;
  /** Called when the planned time has come. Starts the job, or reports why it cannot start. */
  due(ledger: Ledger, nowMs: number): void;
  /**
   * For jobs that start by a rule: wall time of the latest start that it allows, from now; null if any time is possible.
   * Default: null.
   */
  latestStart?(ledger: Ledger, nowMs: number): number | null;
  /** Plans a job whose start is later than the rule allows. Required with `latestStart`. */
  planByRule?(ledger: Ledger, startAtMs: number, nowMs: number): void;
  /** True while another job has to end before a planned job may start. Default: never. */
  isHeld?(id: string): boolean;
  /**
   * The reason why the state of the computer delays a planned start, as a text; null if the job may start. Default:
   * null.
   */
  heldBy?(id: string): string | null;
  /** Called if another process took the job over. Default: requests in flight are withdrawn. */
  lost?(loop: JobWork): void;
  /**
   * Called if the job was resumed while it was ending. State that `ended` holds only in memory is passed to `own`, the
   * job as read again.
   */
  startAgain?(ended: Ledger, own: Ledger): void;
  /**
   * True for states in which a process, or the service, works on the job. If another process does, this process watches
   * it, shows its progress, and recovers the job if that process has ended.
   */
  isOpen(state: string): boolean;
}

type UsualEvent = { type: 'interrupt' } | { type: 'resume' } | { type: 'due'; nowMs: number };

interface UsualLedger {
  readonly isIdle: boolean;
  apply(events: readonly UsualEvent[]): unknown;
}

/** Time for requests in flight to be answered when a connection closes. Closing takes two seconds at most. */
export const STOP_GRACE_MS = 1_500;

/** The steps of a kind whose transition uses the usual names for these events. */
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
