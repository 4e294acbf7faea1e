/**
 * Shows durable jobs and new alerts through the operating system while the window is in the background: notifications,
 * progress, and whether the computer may sleep. Pure.
 */
import type { FiredAlert } from '../../shared/alert-record.ts';
import type { Job } from '../../shared/job-contract.ts';

type SeenJob = Pick<Job, 'title' | 'state' | 'reason' | 'error' | 'progress' | 'startAtMs' | 'repeat'>;

interface Active {
  job: SeenJob;
  /**
   * Time when the job was first seen running; null while it only waits for its planned start, or while its repeat is
   * paused.
   */
  sinceMs: number | null;
}

/** Running and planned jobs, and jobs with a paused repeat, by connection and id. */
export type ActiveJobs = ReadonlyMap<string, Active>;

/** The target of a click on a notification. For several alerts, their list opens. */
export type NoticeTarget =
  | { about: 'jobs' | 'alerts' | 'both' }
  | { about: 'alert'; connectionId: string; alert: Pick<FiredAlert, 'ruleId' | 'name'> };

export interface Notice {
  title: string;
  body: string;
  target: NoticeTarget;
}

/** System features outside the window; each does nothing if the system lacks it. */
export interface SystemFeedback {
  /** Does nothing if the system has no notifications. */
  notify(notice: Pick<Notice, 'title' | 'body'>, onClick: () => void): void;
  /** Progress on the dock or taskbar: a share from 0 to 1; `unknown`: indeterminate; null: none. */
  showProgress(share: number | 'unknown' | null): void;
  /** Keeps the computer from sleeping automatically; its screen may turn off. */
  keepAwake(isOn: boolean): void;
}

/** Minimum running time for a notification. During shorter work the person is still watching. */
export const LONG_MS = 20_000;
/** The computer stays awake this long before a planned start, and after the last request of a waiting job. */
export const AWAKE_MS = 300_000;
const MAX_NAMED = 3;

const isUnderWay = ({ state }: SeenJob): boolean => state === 'running' || state === 'waiting';

/** Takes a changed job, or null if it was removed. Returns the notification for the person, if any. */
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
  else if (job.state === 'ready' && (job.startAtMs !== null || job.repeat?.isPaused === true))
    next.set(key, { job, sinceMs: null });
  const since = before?.sinceMs ?? null;
  if (since !== null) return { jobs: next, notice: noticeOf(job, nowMs - since) };
  return { jobs: next, notice: before === null ? repeatNotice(job) : null };
}

/** The notification that a repeat paused because earlier runs failed. */
const repeatNotice = ({ title, state, reason, error, repeat }: SeenJob): Notice | null =>
  state === 'ready' && error !== null && repeat?.isPaused === true
    ? { title: `Repeat paused: ${title}`, body: reason, target: { about: 'jobs' } }
    : null;

/** The notification for a job that ran for `forMs`. A person's own actions cause none. */
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

/** The notification for a fired alert. In privacy mode it contains no names, because the screen may be shared. */
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

/** Combines several notifications into one; null for an empty list. */
export function oneNotice(notices: readonly Notice[]): Notice | null {
  const [first, second] = notices;
  if (first === undefined || second === undefined) return first ?? null;
  const named = notices.slice(0, MAX_NAMED).map(({ title }) => title);
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

/** Overall progress of running jobs, from 0 to 1; `unknown` if a total is unknown; null if nothing runs. */
export function progressOf(jobs: ActiveJobs): number | 'unknown' | null {
  const going = [...jobs.values()].filter(({ job }) => isUnderWay(job));
  if (going.length === 0) return null;
  const shares = going.flatMap(({ job: { progress } }) =>
    progress.total === null || progress.total <= 0 ? [] : [Math.min(1, progress.done / progress.total)],
  );
  return shares.length === 0 ? 'unknown' : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** `lastRunningMs`: wall time at which a job was last sending. */
export function staysAwake(jobs: ActiveJobs, lastRunningMs: number | null, nowMs: number): boolean {
  const all = [...jobs.values()];
  if (all.some(({ job }) => job.state === 'running')) return true;
  // A wait for the requests of the next minute is short. For a wait until tomorrow, the computer need not stay awake.
  const isWaiting = all.some(({ job }) => job.state === 'waiting');
  if (isWaiting && lastRunningMs !== null && nowMs - lastRunningMs < AWAKE_MS) return true;
  return all.some(({ job: { startAtMs, state } }) => {
    const inMs = startAtMs === null || state !== 'ready' ? Number.POSITIVE_INFINITY : startAtMs - nowMs;
    return inMs < AWAKE_MS && inMs > -AWAKE_MS;
  });
}
