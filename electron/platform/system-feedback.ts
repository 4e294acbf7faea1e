/** System features outside of the window that every runtime has; see `runtime-parts.ts` for others. */
import { type BrowserWindow, Notification, powerSaveBlocker } from 'electron';
import type { SystemFeedback } from '../core/jobs/job-notifications.ts';

/** Electron shows a value above 1 as indeterminate progress, and a value below 0 as no progress. */
const UNKNOWN_SHARE = 2;
const NO_SHARE = -1;
/** Steps of the progress bar, which is only some hundred pixels wide. */
const STEPS = 100;

export function createSystemFeedback(window: () => BrowserWindow | null): SystemFeedback {
  let shown = NO_SHARE;
  let blockerId: number | null = null;
  /** Keeps notifications, because the system removes a notification whose object was garbage-collected. */
  const held = new Set<Notification>();
  return {
    notify: ({ title, body }, onClick) => {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body, silent: true });
      held.add(notification);
      notification.on('click', () => {
        held.delete(notification);
        onClick();
      });
      notification.on('close', () => held.delete(notification));
      notification.on('failed', () => held.delete(notification));
      notification.show();
    },
    showProgress: (share) => {
      const next =
        share === null ? NO_SHARE : share === 'unknown' ? UNKNOWN_SHARE : Math.round(share * STEPS) / STEPS;
      if (next === shown) return;
      shown = next;
      window()?.setProgressBar(next);
    },
    keepAwake: (isOn) => {
      if (isOn && blockerId === null) blockerId = powerSaveBlocker.start('prevent-app-suspension');
      if (!isOn && blockerId !== null) {
        powerSaveBlocker.stop(blockerId);
        blockerId = null;
      }
    },
  };
}
