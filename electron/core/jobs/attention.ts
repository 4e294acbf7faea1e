/**
 * What the system shows of durable jobs while the window is elsewhere: which end is worth a notification, how far they
 * are, and whether the computer may sleep. Pure.
 */
import type { Job } from '../../shared/job-contract.ts';

type SeenJob = Pick<Job, 'title' | 'state' | 'reason' | 'error' | 'progress' | 'startAtMs'>;

interface Active {
  job: SeenJob;
  /** When it was first seen under way; null where it only waits for its planned start. */
  sinceMs: number | null;
}

/** Jobs that are under way, or will begin by themselves, by connection and id. */
export type ActiveJobs = ReadonlyMap<string, Active>;

export interface Notice {
  title: string;
  body: string;
}

/** What the system can do for the application beside its window; each does nothing where the system has no such thing. */
export interface Native {
  /** Nothing where the system shows no notifications. */
  notify(notice: Notice, onClick: () => void): void;
  /** On dock or taskbar: a share from 0 to 1; `unknown`: something goes on; null: nothing does. */
  showProgress(share: number | 'unknown' | null): void;
  /** Keeps the computer from going to sleep by itself; its screen may. */
  keepAwake(isOn: boolean): void;
}

/** Work that ends sooner is still being looked at. */
export const LONG_MS = 20_000;
/** The computer stays awake for so long before a planned start, and after a job that waits was last sending. */
export const AWAKE_MS = 300_000;
const MOST_NAMED = 3;

const isUnderWay = ({ state }: SeenJob): boolean => state === 'running' || state === 'waiting';

/** Takes news of a job; null: it is gone. Answers what a person is told of it, if anything. */
export function takeNews(
  jobs: ActiveJobs,
  { key, job }: { key: string; job: SeenJob | null },
  nowMs: number,
): { jobs: ActiveJobs; notice: Notice | null } {
  const before = jobs.get(key) ?? null;
  const next = new Map(jobs);
  next.delete(key);
  if (job === null) return { jobs: next, notice: null };
  if (isUnderWay(job)) next.set(key, { job, sinceMs: before?.sinceMs ?? nowMs });
  else if (job.state === 'ready' && job.startAtMs !== null) next.set(key, { job, sinceMs: null });
  const since = before?.sinceMs ?? null;
  return { jobs: next, notice: since === null ? null : noticeOf(job, nowMs - since) };
}

/** Of a job that was under way for so long. What a person did themself is no news. */
function noticeOf({ title, state, reason, error }: SeenJob, forMs: number): Notice | null {
  const why = error?.message ?? reason;
  if (state === 'done') return forMs < LONG_MS ? null : { title: `Done: ${title}`, body: why };
  if (state === 'failed') return { title: `Failed: ${title}`, body: why };
  if (state === 'needs-decision') return { title: `Needs a decision: ${title}`, body: why };
  return state === 'paused' && error !== null ? { title: `Paused: ${title}`, body: why } : null;
}

/** Several that came together as one; null where there is none. */
export function oneNotice(notices: readonly Notice[]): Notice | null {
  const [first, second] = notices;
  if (first === undefined || second === undefined) return first ?? null;
  const named = notices.slice(0, MOST_NAMED).map(({ title }) => title);
  const more = notices.length - named.length;
  return {
    title: `${notices.length} jobs ended or wait for you`,
    body: [...named, ...(more === 0 ? [] : [`and ${more} more`])].join('\n'),
  };
}

/** Share of what is under way that is through, from 0 to 1; `unknown` where no total is known; null where nothing is. */
export function progressOf(jobs: ActiveJobs): number | 'unknown' | null {
  const going = [...jobs.values()].filter(({ job }) => isUnderWay(job));
  if (going.length === 0) return null;
  const shares = going.flatMap(({ job: { progress } }) =>
    progress.total === null || progress.total <= 0 ? [] : [Math.min(1, progress.done / progress.total)],
  );
  return shares.length === 0 ? 'unknown' : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** `lastRunningMs`: when one was last sending, wall time. */
export function staysAwake(jobs: ActiveJobs, lastRunningMs: number | null, nowMs: number): boolean {
  const all = [...jobs.values()];
  if (all.some(({ job }) => job.state === 'running')) return true;
  // A wait for the next minute's requests is short, one for tomorrow's is not worth a night's battery.
  const isWaiting = all.some(({ job }) => job.state === 'waiting');
  if (isWaiting && lastRunningMs !== null && nowMs - lastRunningMs < AWAKE_MS) return true;
  return all.some(({ job: { startAtMs, state } }) => {
    const inMs = startAtMs === null || state !== 'ready' ? Number.POSITIVE_INFINITY : startAtMs - nowMs;
    return inMs < AWAKE_MS && inMs > -AWAKE_MS;
  });
}
