/** Notifications, progress on dock or taskbar, and staying awake while durable jobs run. What is shown, core decides. */
import {
  type ActiveJobs,
  type Native,
  type Notice,
  oneNotice,
  progressOf,
  staysAwake,
  takeNews,
} from '../core/jobs/attention.ts';
import type { Clock } from '../core/ports.ts';
import type { JobEvents } from '../shared/job-contract.ts';
import type { Settings } from '../shared/settings.ts';

interface AttentionDeps {
  clock: Clock;
  native: Native;
  settings: () => Pick<Settings, 'notifies' | 'staysAwake'>;
  /** Does a person look at the window? */
  isInFront: () => boolean;
  /** A notification was clicked. */
  onOpen: () => void;
}

interface JobAttention {
  take(news: JobEvents['jobs:changed']): void;
  /** Jobs that are under way. */
  running(): number;
  /** Takes everything back that the system shows. */
  stop(): void;
}

/** Jobs that end together are one notification. */
const TOGETHER_MS = 1_500;
const LOOK_EVERY_MS = 30_000;

export function createJobAttention(deps: AttentionDeps): JobAttention {
  const { clock, native, settings } = deps;
  let jobs: ActiveJobs = new Map();
  let lastRunningMs: number | null = null;
  let isStopped = false;
  let waiting: Notice[] = [];
  let cancelNotice: (() => void) | null = null;
  let cancelLook: (() => void) | null = null;

  function tell(): void {
    cancelNotice = null;
    const notice = oneNotice(waiting);
    waiting = [];
    if (notice !== null && settings().notifies && !deps.isInFront()) native.notify(notice, deps.onOpen);
  }

  function show(): void {
    const nowMs = clock.nowMs();
    native.showProgress(progressOf(jobs));
    native.keepAwake(settings().staysAwake && staysAwake(jobs, lastRunningMs, nowMs));
    cancelLook?.();
    // Planned starts come nearer, and waits grow long, without any news.
    cancelLook = jobs.size === 0 ? null : clock.setTimer(show, LOOK_EVERY_MS);
  }

  return {
    take: ({ connectionId, kind, id, job }) => {
      if (isStopped) return;
      const nowMs = clock.nowMs();
      const taken = takeNews(jobs, { key: `${connectionId} ${kind} ${id}`, job }, nowMs);
      jobs = taken.jobs;
      if ([...jobs.values()].some((one) => one.job.state === 'running')) lastRunningMs = nowMs;
      if (taken.notice !== null) {
        waiting.push(taken.notice);
        cancelNotice ??= clock.setTimer(tell, TOGETHER_MS);
      }
      show();
    },
    running: () => [...jobs.values()].filter(({ sinceMs }) => sinceMs !== null).length,
    stop: () => {
      isStopped = true;
      cancelNotice?.();
      cancelLook?.();
      native.showProgress(null);
      native.keepAwake(false);
    },
  };
}
