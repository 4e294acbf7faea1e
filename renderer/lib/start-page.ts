/** Content of the start page: jobs that need the user, recent events, sparklines. Pure. */

import { hasFired, recordTime } from '../../electron/shared/alert-record.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { formatCount, formatMoment, formatNumber } from './format.ts';
import { groupOfJob, type JobGroup, kindWordsOf, progressOfJob } from './job-labels.ts';
import { jobReason, startOfJob } from './job-reason.ts';
import { binEnd } from './monitoring/alert-history.ts';
import { textField } from './records.ts';

const ORDER = { decide: 0, running: 1, planned: 2, resting: 3, over: 4 } as const;

/** Unfinished jobs in this order: those that need a decision, running, planned and paused ones. */
function waitingJobs(list: readonly Job[]): Job[] {
  return list
    .filter((job) => groupOfJob(job) !== 'over')
    .toSorted((a, b) => {
      const byGroup = ORDER[groupOfJob(a)] - ORDER[groupOfJob(b)];
      if (byGroup !== 0) return byGroup;
      if (a.startAtMs !== null && b.startAtMs !== null) return a.startAtMs - b.startAtMs;
      return b.createdAtMs - a.createdAtMs;
    });
}

/** A file that is prepared for upload. */
interface WaitingFile {
  kind: 'file';
  id: string;
  name: string;
}
/** Form input that has not been sent. */
interface WaitingForm {
  kind: 'form';
  id: string;
  title: string;
  atMs: number;
}
/** An entry of the waiting list: a job of any kind, a token to enter, a file or a form. */
export type Wait = { kind: 'job'; job: Job } | { kind: 'token' } | WaitingFile | WaitingForm;

interface Waiting {
  jobs: readonly Job[];
  files: readonly WaitingFile[];
  forms: readonly WaitingForm[];
  /** Whether the service rejects the token, so that the user must enter another one. */
  asksForToken: boolean;
}

export function groupOfWait(wait: Wait): JobGroup {
  if (wait.kind === 'job') return groupOfJob(wait.job);
  return wait.kind === 'token' ? 'decide' : 'resting';
}

/**
 * All waiting entries in the order of their groups. Within a group the token comes first, then jobs, files and forms.
 */
export function waitsOf({ jobs, files, forms, asksForToken }: Waiting): Wait[] {
  const all: Wait[] = [
    ...(asksForToken ? [{ kind: 'token' as const }] : []),
    ...waitingJobs(jobs).map((job) => ({ kind: 'job' as const, job })),
    ...files,
    ...forms.toSorted((one, other) => other.atMs - one.atMs),
  ];
  return all.toSorted((one, other) => ORDER[groupOfWait(one)] - ORDER[groupOfWait(other)]);
}

/** Number of entries that need the user; running jobs continue by themselves. */
export const waitCount = (waits: readonly Wait[]): number =>
  waits.filter((wait) => groupOfWait(wait) !== 'running').length;

const SUM_WORDS = {
  decide: (count: number) => formatCount(count, 'decision'),
  running: (count: number) => `${formatNumber(count)} running`,
  planned: (count: number) => `${formatNumber(count)} planned`,
  resting: (count: number) => `${formatNumber(count)} paused or in preparation`,
} as const;

/** `2 decisions, 1 running`; empty if nothing is waiting. */
export function waitingSum(waits: readonly Wait[]): string {
  const groups = Map.groupBy(waits, groupOfWait);
  const words = (['decide', 'running', 'planned', 'resting'] as const).flatMap((group) => {
    const count = groups.get(group)?.length ?? 0;
    return count === 0 ? [] : [SUM_WORDS[group](count)];
  });
  return words.join(', ');
}

const LEADS = { decide: 'Decide: ', planned: 'Planned: ', running: '', resting: '', over: '' } as const;

/** Title of an entry: `Decide: Upload of churn.csv`. */
export function waitingTitle(wait: Wait): string {
  if (wait.kind === 'token') return 'Decide: Enter a new token';
  if (wait.kind === 'file') return `Upload of ${wait.name}`;
  if (wait.kind === 'form') return wait.title;
  const { job } = wait;
  const { lead } = kindWordsOf(job);
  return `${LEADS[groupOfJob(job)]}${lead === '' ? '' : `${lead} `}${job.title}`;
}

/** Text under the title: start time, reason for waiting, or progress. `held`: why a job waits for the computer. */
export function waitingNote(wait: Wait, nowMs: number, held = ''): string {
  if (wait.kind === 'token') return 'The service does not accept the token';
  if (wait.kind === 'file') return 'File in preparation';
  if (wait.kind === 'form') return `Draft of ${formatMoment(wait.atMs, nowMs)}`;
  const { job } = wait;
  if (job.startAtMs !== null) return startOfJob(job, nowMs, held);
  const parts = [progressOfJob(job), jobReason(job)];
  return parts.filter((part) => part !== '').join(' · ') || kindWordsOf(job).name;
}

/** Number of jobs that ended after that time, and how many of them failed. */
export function endedSince(list: readonly Job[], sinceMs: number): { ended: number; failed: number } {
  const ended = list.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs > sinceMs);
  return { ended: ended.length, failed: ended.filter(({ state }) => state === 'failed').length };
}

type Row = Readonly<Record<string, unknown>>;

/** Number of rules that fired after that time. A bin is complete and evaluated only at its end. */
export function firedSince(summaries: readonly Row[], sinceMs: number): number {
  const endOf = (summary: Row) =>
    binEnd(recordTime(summary['latest_alert_time_bucket']) ?? 0, textField(summary, 'bin_size'));
  return summaries.filter((summary) => hasFired(summary) && endOf(summary) > sinceMs).length;
}

/** Number of records created after that time, and of older ones changed after it. */
export function changedSince(records: readonly Row[], sinceMs: number): { created: number; changed: number } {
  const isAfter = (value: unknown) => (parseTime(value) ?? 0) > sinceMs;
  const isNew = (record: Row) => isAfter(record['created_at']);
  return {
    created: records.filter(isNew).length,
    changed: records.filter((record) => !isNew(record) && isAfter(record['updated_at'])).length,
  };
}

/** Names of the lists that have no rows and are not being read: `alerts and datasets`; empty if there are none. */
export function unreadLists(
  lists: Readonly<Record<string, { phase: string; freshness: Freshness | null }>>,
): string {
  const isUnread = ({ phase, freshness }: (typeof lists)[string]) =>
    phase === 'failed' ||
    (phase === 'ready' && freshness?.source === 'none' && freshness.refresh.phase !== 'loading');
  return Object.keys(lists)
    .filter((name) => lists[name] !== undefined && isUnread(lists[name]))
    .join(' and ');
}
