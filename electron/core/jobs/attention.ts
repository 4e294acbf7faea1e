/**
 * What the system shows of durable jobs and new alerts while the window is elsewhere: which end is worth a notification, how
 * far jobs are, and whether the computer may sleep. Pure.
 */
import type { FiredAlert } from '../../shared/alert-record.ts';
import type { Job } from '../../shared/job-contract.ts';

type SeenJob = Pick<Job, 'title' | 'state' | 'reason' | 'error' | 'progress' | 'startAtMs'>;

interface Active {
  job: SeenJob;
  /** When it was first seen under way; null where it only waits for its planned start. */
  sinceMs: number | null;
}

/** Jobs that are under way, or will begin by themselves, by connection and id. */
export type ActiveJobs = ReadonlyMap<string, Active>;

/** What a click on a notification shows; of several alerts their list. */
export type NoticeTarget =
  | { about: 'jobs' | 'alerts' | 'both' }
  | { about: 'alert'; connectionId: string; alert: Pick<FiredAlert, 'ruleId' | 'name'> };

export interface Notice {
  title: string;
  body: string;
  target: NoticeTarget;
}

/** What the system can do for the application beside its window; each does nothing where the system has no such thing. */
export interface Native {
  /** Nothing where the system shows no notifications. */
  notify(notice: Pick<Notice, 'title' | 'body'>, onClick: () => void): void;
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
  const say = (what: string): Notice => ({
    title: `${what}: ${title}`,
    body: error?.message ?? reason,
    target: { about: 'jobs' },
  });
  if (state === 'done') return forMs < LONG_MS ? null : say('Done');
  if (state === 'failed') return say('Failed');
  if (state === 'needs-decision') return say('Needs a decision');
  return state === 'paused' && error !== null ? say('Paused') : null;
}

const SEVERITY_WORDS = { critical: 'Critical', warning: 'Warning', normal: 'Alert', other: 'Alert' } as const;

/** Of an alert that fired. In privacy mode nothing is named: the screen may be shared. */
export function alertNotice(
  connectionId: string,
  { ruleId, name, modelName, severity }: FiredAlert,
  isPrivate: boolean,
): Notice {
  const word = SEVERITY_WORDS[severity];
  return {
    title: isPrivate ? `${word}: an alert rule fired` : `${word}: ${name}`,
    body: isPrivate ? '' : modelName,
    target: { about: 'alert', connectionId, alert: { ruleId, name } },
  };
}

/** Several that came together as one; null where there is none. */
export function oneNotice(notices: readonly Notice[]): Notice | null {
  const [first, second] = notices;
  if (first === undefined || second === undefined) return first ?? null;
  const named = notices.slice(0, MOST_NAMED).map(({ title }) => title);
  const more = notices.length - named.length;
  const alerts = notices.filter(({ target }) => target.about === 'alert').length;
  const jobs = notices.length - alerts;
  const ofJobs = `${jobs} ${jobs === 1 ? 'job' : 'jobs'} ended or ${jobs === 1 ? 'waits' : 'wait'} for you`;
  const ofAlerts = `${alerts} ${alerts === 1 ? 'alert' : 'alerts'} fired`;
  return {
    title: [...(alerts === 0 ? [] : [ofAlerts]), ...(jobs === 0 ? [] : [ofJobs])].join(', '),
    target: { about: alerts === 0 ? 'jobs' : jobs === 0 ? 'alerts' : 'both' },
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
