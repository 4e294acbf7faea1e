/** What a kind of durable job hands to the mechanism of this room, which knows no kind itself. */
import type { Departure } from '../core/jobs/departure.ts';
import type { LeaseProcess, LeaseTable } from '../core/jobs/lease.ts';
import type { StartPlan } from '../core/jobs/start-plan.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { AppError, WireError } from '../shared/errors.ts';
import type { PlannedThing } from './schedule.ts';

/** What the state of every job holds, whatever its kind adds: pure data, changed by its kind's transition alone. */
export interface JobCore extends StartPlan {
  readonly state: string;
  /** Why it waits or rests, in words; empty otherwise. */
  readonly reason: string;
  readonly error: WireError | null;
}

/** One job as memory and disk hold it, as far as the mechanism looks at it; a `JobLedger` is one. */
export interface HostedLedger {
  readonly id: string;
  readonly core: JobCore;
  /** Nothing of it is sent until a person or a planned start says so. */
  readonly isIdle: boolean;
  /** While it runs here: does this process still hold the lease? Looked at in every transaction. */
  holdsLease: (() => boolean) | null;
  /** It cannot go on by itself: it rests, with the reason, even where the disk does not take that. */
  rest(error: AppError): void;
  /** The last notice is given, no timer is left. */
  close(): void;
  /** It was removed: no view hears of it any more. */
  discard(): void;
  /** Views hear how it stands: another process changed it. */
  announce(): void;
}

/** Goes on with one job until it rests; a `WorkLoop` is one. */
export interface JobWork {
  /** Resolves once nothing of it is on its way any more. */
  readonly done: Promise<void>;
  /** The service can be reached again, or the job was changed: whoever waits looks again. */
  wake(): void;
  /** Begins nothing more; the job stays as it is, to be resumed later. */
  stop(): void;
  /** What was not sent yet is withdrawn; the outcome of what is on the wire becomes unknown. */
  abort(): void;
}

export interface JobRunner {
  readonly loop: JobWork;
  /** By which its requests leave. */
  readonly departure?: Departure;
  /**
   * Of a kind whose rest the service does by itself: resolves once nothing is left to be sent; true where the service's
   * task is followed from here on.
   */
  readonly sent?: Promise<boolean>;
}

/** As a list of jobs orders and finds one, without reading the whole of it. */
export interface ListedJob {
  id: string;
  title: string;
  /** As the kind calls it. */
  state: string;
  createdAtMs: number;
}

/** What is stored of everything of one kind, whoever made it; a `JobStore` is one. */
interface JobRows {
  readonly leases: LeaseTable;
  ids(): readonly string[];
  /** Newest first. */
  heads(): readonly ListedJob[];
  /** What begins by itself later. */
  scheduled(): readonly PlannedThing[];
}

export interface JobKind<Ledger extends HostedLedger> {
  /** As messages and the log name one of them, e.g. `score run`. */
  readonly what: string;
  readonly rows: JobRows;
  /** Reads one from the disk. Throws INVALID_ARGUMENT where there is none. */
  load(id: string): Ledger;
  /** Begins to go on with it. */
  run(ledger: Ledger): JobRunner;
  /**
   * The program that was at work on it ended: what it left on its way is unknown, and the job rests. What is only
   * followed stays under way, and is followed here. False where there was nothing to look after.
   */
  interrupt(ledger: Ledger): boolean;
  resume(ledger: Ledger): void;
  /** Its planned time has come: it runs from here on, or says why it cannot. */
  due(ledger: Ledger, nowMs: number): void;
  /** Another process took it over; without this, what is on its way is withdrawn. */
  lost?(loop: JobWork): void;
  /** It was resumed while it ended: what `ended` holds only in memory goes on with `own`, the job read anew. */
  startAgain?(ended: Ledger, own: Ledger): void;
  /** Views see it; false: it is still being put together. */
  isListed?(head: ListedJob): boolean;
  /** Another process may have begun it meanwhile: it is looked after whenever jobs are listed. */
  isOpen?(head: ListedJob): boolean;
  /** Views are shown what another process does with it, and it is looked after once that process is through or gone. */
  readonly isWatched?: boolean;
}

type UsualEvent = { type: 'interrupt' } | { type: 'resume' } | { type: 'due'; nowMs: number };

interface UsualLedger {
  readonly isIdle: boolean;
  apply(events: readonly UsualEvent[]): unknown;
}

/** What is on its way when a connection closes has so long to be answered: all of it ends within two seconds. */
export const STOP_GRACE_MS = 1_500;

/** The steps of a kind whose transition knows these three events by their usual names. */
export const USUAL_STEPS = {
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
