/**
 * Notifications about jobs and alerts, progress on the dock or taskbar, and keeping the computer awake. The functions
 * in `core` decide what is shown.
 */
import {
  type ActiveJobs,
  alertNotice,
  type Notice,
  type NoticeTarget,
  oneNotice,
  progressOf,
  type SystemFeedback,
  staysAwake,
  takeNews,
} from '../core/jobs/job-notifications.ts';
import type { Clock } from '../core/ports.ts';
import type { EventPayloads } from '../shared/contract.ts';
import type { JobEvents } from '../shared/job-contract.ts';
import { isQuiet } from '../shared/quiet-hours.ts';
import type { Settings } from '../shared/settings.ts';

interface JobNotificationDeps {
  clock: Clock;
  feedback: SystemFeedback;
  settings: () => Pick<Settings, 'notifies' | 'staysAwake' | 'quietHours' | 'privacy'>;
  /** True if the person is looking at the window. */
  isInFront: () => boolean;
  /** Called when a notification was clicked. */
  onOpen: (target: NoticeTarget) => void;
}

interface JobNotifications {
  take(news: JobEvents['jobs:changed']): void;
  takeAlerts(news: EventPayloads['alerts:fired']): void;
  /** Number of running jobs. */
  running(): number;
  /** Removes everything that the operating system shows for this application. */
  stop(): void;
}

/** Events within this time are combined into one notification. */
const TOGETHER_MS = 1_500;
const LOOK_EVERY_MS = 30_000;

export function createJobNotifications(deps: JobNotificationDeps): JobNotifications {
  const { clock, feedback, settings } = deps;
  let jobs: ActiveJobs = new Map();
  let lastRunningMs: number | null = null;
  let isStopped = false;
  let waiting: Notice[] = [];
  let cancelNotice: (() => void) | null = null;
  let cancelLook: (() => void) | null = null;

  function notify(): void {
    cancelNotice = null;
    if (settings().notifies && isQuiet(settings().quietHours, clock.nowMs())) {
      // If the person is looking at the window by then, the notification is not needed.
      if (deps.isInFront()) waiting = [];
      else cancelNotice = clock.setTimer(notify, LOOK_EVERY_MS, 'telling of jobs');
      return;
    }
    const notice = oneNotice(waiting);
    waiting = [];
    if (notice !== null && settings().notifies && !deps.isInFront())
      feedback.notify(notice, () => deps.onOpen(notice.target));
  }

  function hold(notices: readonly Notice[]): void {
    waiting.push(...notices);
    cancelNotice ??= clock.setTimer(notify, TOGETHER_MS, 'telling of jobs');
  }

  function show(): void {
    const nowMs = clock.nowMs();
    feedback.showProgress(progressOf(jobs));
    feedback.keepAwake(settings().staysAwake && staysAwake(jobs, lastRunningMs, nowMs));
    cancelLook?.();
    // Checked repeatedly, because planned starts approach and waits grow without any event.
    cancelLook = jobs.size === 0 ? null : clock.setTimer(show, LOOK_EVERY_MS, 'telling of jobs');
  }

  return {
    take: ({ connectionId, kind, id, job }) => {
      if (isStopped) return;
      const nowMs = clock.nowMs();
      const taken = takeNews(jobs, { key: `${connectionId} ${kind} ${id}`, job }, nowMs);
      jobs = taken.jobs;
      if ([...jobs.values()].some((one) => one.job.state === 'running')) lastRunningMs = nowMs;
      if (taken.notice !== null) hold([taken.notice]);
      show();
    },
    takeAlerts: ({ connectionId, alerts }) => {
      if (!isStopped) hold(alerts.map((alert) => alertNotice(connectionId, alert, settings().privacy)));
    },
    running: () => [...jobs.values()].filter(({ sinceMs }) => sinceMs !== null).length,
    stop: () => {
      isStopped = true;
      cancelNotice?.();
      cancelLook?.();
      feedback.showProgress(null);
      feedback.keepAwake(false);
    },
  };
}
