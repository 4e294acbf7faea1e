/** What the start page says: which jobs wait for a person, what happened since, a line of few values. Pure. */
import type { Job } from '../../electron/shared/job-contract.ts';
import { formatCount, formatNumber } from './format.ts';
import { groupOfJob, JOB_KIND_LABELS, progressOfJob } from './job-labels.ts';
import { startOfJob, whyOfJob } from './job-why.ts';

const ORDER = { decide: 0, running: 1, planned: 2, resting: 3, over: 4 } as const;

/** Jobs that are not over: what needs a decision first, then what runs, what starts next, what rests. */
export function waitingJobs(list: readonly Job[]): Job[] {
  return list
    .filter((job) => groupOfJob(job) !== 'over')
    .toSorted((a, b) => {
      const byGroup = ORDER[groupOfJob(a)] - ORDER[groupOfJob(b)];
      if (byGroup !== 0) return byGroup;
      if (a.startAtMs !== null && b.startAtMs !== null) return a.startAtMs - b.startAtMs;
      return b.createdAtMs - a.createdAtMs;
    });
}

const SUM_WORDS = {
  decide: (count: number) => formatCount(count, 'decision'),
  running: (count: number) => `${formatNumber(count)} running`,
  planned: (count: number) => `${formatNumber(count)} planned`,
  resting: (count: number) => `${formatNumber(count)} paused or in preparation`,
} as const;

/** `2 decisions, 1 running`; empty where nothing waits. */
export function waitingSum(jobs: readonly Job[]): string {
  const groups = Map.groupBy(jobs, groupOfJob);
  const words = (['decide', 'running', 'planned', 'resting'] as const).flatMap((group) => {
    const count = groups.get(group)?.length ?? 0;
    return count === 0 ? [] : [SUM_WORDS[group](count)];
  });
  return words.join(', ');
}

const LEADS = { decide: 'Decide: ', planned: 'Planned: ', running: '', resting: '', over: '' } as const;

/** `Decide: Upload of churn.csv`. */
export function waitingTitle(job: Job): string {
  const { lead } = JOB_KIND_LABELS[job.kind];
  return `${LEADS[groupOfJob(job)]}${lead === '' ? '' : `${lead} `}${job.title}`;
}

/** Under the title: when it starts, why it waits, how far it is. */
export function waitingNote(job: Job, nowMs: number): string {
  if (job.startAtMs !== null) return startOfJob(job, nowMs);
  const parts = [progressOfJob(job), whyOfJob(job)];
  return parts.filter((part) => part !== '').join(' · ') || JOB_KIND_LABELS[job.kind].name;
}

/** Jobs that ended later than that, and how many of them failed. */
export function endedSince(list: readonly Job[], sinceMs: number): { ended: number; failed: number } {
  const ended = list.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs > sinceMs);
  return { ended: ended.length, failed: ended.filter(({ state }) => state === 'failed').length };
}

interface SparkPoint {
  x: number;
  y: number;
}

/** Points of a line in a picture, the largest value at the top; nulls are left out. */
export function sparkPoints(
  values: readonly { timeMs: number; value: number | null }[],
  width: number,
  height: number,
): (SparkPoint & { timeMs: number })[] {
  const known = values.flatMap(({ timeMs, value }) => (value === null ? [] : [{ timeMs, value }]));
  const first = known[0];
  const last = known.at(-1);
  if (first === undefined || last === undefined) return [];
  const low = Math.min(...known.map(({ value }) => value));
  const high = Math.max(...known.map(({ value }) => value));
  const length = last.timeMs - first.timeMs;
  return known.map(({ timeMs, value }) => ({
    timeMs,
    x: length === 0 ? width / 2 : ((timeMs - first.timeMs) / length) * width,
    // A line that does not change lies in the middle.
    y: high === low ? height / 2 : height - ((value - low) / (high - low)) * height,
  }));
}
