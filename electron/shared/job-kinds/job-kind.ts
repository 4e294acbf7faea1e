/** Common form of the definitions of job kinds; each kind has a file of its own in this folder. */
import type { WireError } from '../errors.ts';
import type { Repeat } from '../repeat-model.ts';
import type { LateStart } from '../upload-model.ts';
import * as z from '../zod.ts';

export const JOB_STATES = [
  'draft',
  'ready',
  'running',
  'waiting',
  'paused',
  'needs-decision',
  'done',
  'cancelled',
  'failed',
] as const;
/** `draft`: in preparation. `waiting`: continues automatically. `idle` with a `startAtMs`: starts later. */
export type JobPhase = (typeof JOB_STATES)[number];

/**
 * `start`: starts the job, even if it is planned. `cancel`: final; unsent parts are not sent. `retry`: sends failed and
 * unsent parts again. `schedule`: schedules an automatic start or continuation at `startAtMs`; `unschedule` cancels
 * that.
 */
export type JobAction =
  | 'start'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'retry'
  | 'schedule'
  | 'unschedule'
  | 'gather-evidence'
  /** Reads the result back from the service, and compares it with the expectation. */
  | 'verify'
  /** Shows the job's file in the system's file manager. */
  | 'show-file'
  /** Stops picking spans from a query. */
  | 'stop-picking'
  /** Restores a removed, dropped or discarded job unchanged; possible for a limited time. */
  | 'restore';
export const PLANNED = ['start', 'schedule', 'unschedule'] as const;
export const RUNNING = [...PLANNED, 'pause', 'resume'] as const;

export interface JobKind {
  id: string;
  /** Name of the kind in the store of its jobs. */
  storedAs: string;
  /** Noun for a job of this kind, and the data that is removed with an unreadable one. */
  damaged: { noun: string; goes: string };
  /** Schema of the arguments that create a job. */
  plan: z.ZodType;
  /**
   * The reason why jobs of this kind cannot repeat, as a clause after `but`; null if they can, because they only read.
   */
  noRepeat: string | null;
  /** The actions that the kind knows; each state allows some of them. */
  actions: readonly JobAction[];
  /** States of the parts of a job, if they can be listed. */
  parts?: readonly string[];
  /** Files that can be saved from a job. */
  files?: readonly string[];
}

/** `noRepeat` of kinds that change data; decision 65 says why a confirmation in advance is not enough. */
export const WRITES =
  'this one changes data at the service, which needs a person each time. Start it again by hand';

export const jobId = z.string().min(1).max(100);
/**
 * Ids of earlier jobs with the same content that the person was notified of. If there are others, creation is refused
 * (NEEDS_DECISION). Absent or null: the caller has already asked.
 */
export const told = z.array(z.string().max(100)).nullish();

export interface PlannedRequest {
  operation: string;
  count: number;
}

/** Common fields of all jobs. Times are wall time. */
interface JobHead<K extends string> {
  kind: K;
  id: string;
  /** The job's name in a list, e.g. `churn.csv`. */
  title: string;
  state: JobPhase;
  /** Why the job waits or is idle; otherwise empty. */
  reason: string;
  error: WireError | null;
  /** Completed share; a null total is not known yet. */
  progress: { done: number; total: number | null };
  /** Number of parts with an unknown outcome. */
  unknown: number;
  /** The requests that the job will send after an automatic start, by operation id; empty if none is planned. */
  requests: PlannedRequest[];
  /** The object whose view opens the job, e.g. the dataset of a score run; null if the job has a view of its own. */
  of: { id: string; name: string } | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  /** Absent or null: the job runs once. */
  repeat?: Repeat | null;
  createdAtMs: number;
  endedAtMs: number | null;
}
/** A job of one kind, with the kind's own form of it. */
export type JobOf<K extends string, Own> = JobHead<K> & { own: Own };

type WrittenFields =
  | 'state'
  | 'reason'
  | 'error'
  | 'startAtMs'
  | 'lateStart'
  | 'repeat'
  | 'createdAtMs'
  | 'endedAtMs';

/** A job that writes stored rows to files, apart from its title. It has no requests to count, because it sends none. */
export function writtenAsJob<
  K extends string,
  Own extends Pick<JobHead<K>, WrittenFields> & { rows: number; totalRows: number | null },
>(kind: K, id: string, own: Own): Omit<JobOf<K, Own>, 'title'> {
  const { state, reason, error, startAtMs, lateStart, repeat = null, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind, id, state, reason, error, startAtMs, lateStart, repeat, createdAtMs, endedAtMs, own },
    progress: { done: own.rows, total: own.totalRows },
    unknown: 0,
    requests: [],
    of: null,
  };
}

/** The requests matter only for an automatic start. */
export const ifPlanned = (
  { startAtMs }: Pick<JobHead<string>, 'startAtMs'>,
  requests: () => PlannedRequest[],
): PlannedRequest[] => (startAtMs === null ? [] : requests());
