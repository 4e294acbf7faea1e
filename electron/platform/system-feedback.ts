/** System features outside the window that every runtime has; see `runtime-parts.ts` for the others. */
import { type BrowserWindow, Notification, powerSaveBlocker } from 'electron';
import type { SystemFeedback } from '../core/jobs/job-notifications.ts';

/** Electron shows values above 1 as indeterminate progress, and no progress below 0. */
const UNKNOWN_SHARE = 2;
const NO_SHARE = -1;
/** The progress bar is only some hundred pixels wide. */
const STEPS = 100;

export function createSystemFeedback(window: () => BrowserWindow | null): SystemFeedback {
  let shown = NO_SHARE;
  let blockerId: number | null = null;
  /** The system removes a notification whose object was garbage-collected. */
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
