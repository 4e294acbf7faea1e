/** Words, badge and actions of one kind of job, as the window shows them; each kind has its own file. Pure. */
import type { ActionOf, JobKindId, OwnOf } from '../../../electron/shared/job-contract.ts';
import type { PlannedRequest } from '../../../electron/shared/job-kinds/job-kind.ts';
import { activeRepeat, type Repeat } from '../../../electron/shared/repeat-model.ts';

export type JobBadge =
  | 'prepared'
  | 'planned'
  | 'running'
  | 'followed'
  | 'waiting'
  | 'paused'
  | 'decide'
  | 'unknown'
  | 'done'
  | 'cancelled'
  | 'interrupted'
  | 'failed';

/** How a state is shown: a badge and a word. */
export interface Mark {
  look: JobBadge;
  word: string;
}

export type Action =
  | Extract<
      ActionOf<JobKindId>,
      'start' | 'pause' | 'resume' | 'schedule' | 'unschedule' | 'cancel' | 'retry'
    >
  | 'forget'
  | 'pause-repeat'
  | 'resume-repeat'
  | 'end-repeat';

export type Standing = 'planned' | 'ready' | 'running' | 'paused' | 'decide' | 'failed' | 'over';

export interface JobQuestion {
  title: string;
  verb: string;
  keepText?: string;
  text: string;
}

interface KindWords {
  /** Name of the kind in lists. */
  name: string;
  /** Text before the title in a sentence: `Upload of churn.csv`. */
  lead: string;
}

export interface ShownKind<K extends JobKindId> extends KindWords {
  /** Different words for a single job, if those of its kind do not fit; null if they do. */
  words?: (own: OwnOf<K>) => KindWords | null;
  /** Confirmation before a planned job starts at once, if its effect cannot be undone. */
  warning?: string;
  /** Button texts of this kind that differ from the default. */
  verbs?: { cancel: string; forget: string };
  /** Whether the job changes nothing at the service, so that a read-only connection allows it. */
  isReading?: true;
  /** Whether a failed job stays open until the user corrects or discards it. */
  needsDecisionIfFailed?: true;
  badge: (own: OwnOf<K>) => Mark;
  /** Progress in the words of the kind; empty if there is nothing to show. `total`: null if not known yet. */
  progress: (own: OwnOf<K>, share: { done: number; total: number | null }) => string;
  /**
   * Actions in each state, in the order of the buttons. Actions that only the view of one kind offers are defined in
   * that view.
   */
  actions: Readonly<Partial<Record<Standing, readonly Action[]>>>;
  /** Whether there is anything to retry; always true by default. */
  isRetried?: (own: OwnOf<K>) => boolean;
  /** A confirmation of this kind before an action; null if none is needed. */
  question?: (own: OwnOf<K>, action: Action) => JobQuestion | null;
  /** The requests that the job would send if it started at the chosen time; by default those planned for the job. */
  requests?: (own: OwnOf<K>) => PlannedRequest[];
}

export const PLANNED = ['start', 'schedule', 'unschedule'] as const;
export const PAUSABLE = { planned: PLANNED, running: ['pause'], paused: ['resume'] } as const;
const STARTS_LATER = { look: 'planned', word: 'Starts later' } as const;
const REPEAT_PAUSED = { look: 'paused', word: 'Repeat paused' } as const;

/** The given mark, unless the job starts later or its repeat is paused. */
export function unlessPlanned(
  { startAtMs, ...job }: { startAtMs: number | null; state: string; repeat?: Repeat | null },
  mark: Mark,
): Mark {
  if (startAtMs !== null) return STARTS_LATER;
  const repeat = job.state === 'ready' ? activeRepeat(job) : null;
  if (repeat === null) return mark;
  return repeat.isPaused ? REPEAT_PAUSED : STARTS_LATER;
}

/**
 * A job that ended without some of its parts is not marked as done: `Done in part`, or `None done` if no part
 * succeeded.
 */
export function inPart(mark: Mark, succeeded: number, without: number): Mark {
  if (mark.look !== 'done' || without === 0) return mark;
  return succeeded === 0
    ? { look: 'failed', word: `None ${mark.word.toLowerCase()}` }
    : { look: 'interrupted', word: `${mark.word} in part` };
}
