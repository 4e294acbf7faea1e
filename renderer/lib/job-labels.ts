/** State of a job of any kind as a word and a mark, for all lists. Pure. */
import type { Job, JobKindId, OwnOf } from '../../electron/shared/job-contract.ts';
import { activeRepeat } from '../../electron/shared/repeat-model.ts';
import { SHOWN_KINDS } from './job-kinds/kinds.ts';
import type { Mark } from './job-kinds/shown-kind.ts';

export function badgeOf<K extends JobKindId>(kind: K, own: OwnOf<K>): Mark {
  return SHOWN_KINDS[kind].badge(own);
}

const wordsOf = <K extends JobKindId>(kind: K, own: OwnOf<K>) =>
  SHOWN_KINDS[kind].words?.(own) ?? SHOWN_KINDS[kind];

/** The name of the kind of this job, and the text before its title. */
export const kindWordsOf = ({ kind, own }: Job): { name: string; lead: string } => wordsOf(kind, own);

/** Progress in the words of the job's kind; empty if there is nothing to show. */
export function progressOfJob({ kind, own, progress }: Job): string {
  return progressIn(kind, own, progress);
}

const progressIn = <K extends JobKindId>(kind: K, own: OwnOf<K>, share: Job['progress']): string =>
  SHOWN_KINDS[kind].progress(own, share);

export const JOB_GROUPS = ['decide', 'running', 'planned', 'resting', 'over'] as const;
export type JobGroup = (typeof JOB_GROUPS)[number];
export const JOB_GROUP_WORDS: Readonly<Record<JobGroup, string>> = {
  decide: 'Need a decision',
  running: 'Running',
  planned: 'Start later',
  resting: 'Paused or in preparation',
  over: 'Ended',
};

/** The group of a job in the list of all jobs. Jobs that need the user come first. */
export function groupOfJob({
  kind,
  state,
  error,
  startAtMs,
  repeat,
}: Pick<Job, 'kind' | 'state' | 'error' | 'startAtMs' | 'repeat'>): JobGroup {
  if (state === 'needs-decision') return 'decide';
  // A build that is paused because it asks the user something.
  if (state === 'paused' && error?.code === 'NEEDS_DECISION') return 'decide';
  if (state === 'failed' && SHOWN_KINDS[kind].needsDecisionIfFailed === true) return 'decide';
  if (startAtMs !== null) return 'planned';
  // A job that waits for its next read for offline use.
  if (state === 'ready' && activeRepeat({ state, repeat })?.isPaused === false) return 'planned';
  switch (state) {
    case 'running':
    case 'waiting':
      return 'running';
    case 'draft':
    case 'ready':
    case 'paused':
      return 'resting';
    default:
      return 'over';
  }
}

/** Whether the title, kind, owner or state of a job contains the text, as its row shows them. */
export function isJobFound(job: Job, text: string): boolean {
  const { kind, own, title, of } = job;
  const shown = [title, kindWordsOf(job).name, of?.name ?? '', badgeOf(kind, own).word];
  const wanted = text.trim().toLowerCase();
  return shown.some((each) => each.toLowerCase().includes(wanted));
}
