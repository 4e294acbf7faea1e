/** Locks the window: by a command, after a time without input, and when the screen is locked or the computer sleeps. */
import type { Clock } from '../core/ports.ts';
import type { AppLock } from './app-lock.ts';
import { type IdleWatch, watchIdle } from './idle.ts';
import type { PowerNews } from './runtime-parts.ts';

/**
 * Maximum wait for the page, which saves its drafts and then requests the lock; a hanging page is not awaited longer.
 */
const TIMEOUT_MS = 10_000;

interface WindowLockDeps {
  lock: AppLock;
  clock: Clock;
  power: Pick<PowerNews, 'idleSeconds' | 'onAway'>;
  /** Time without input in milliseconds after which the window is locked; 0 for never. */
  limitMs: () => number;
  /** Asks the page to save its drafts and to request the lock. */
  askPage: () => void;
  /** Reloads the page, so that it keeps nothing that it showed. */
  reload: () => void;
}

export interface WindowLock {
  /** Locks the window. Call it after the page has sent everything that it wants to save. */
  lockNow(): void;
  active(): void;
  stop(): void;
}

export function lockWindow({ lock, clock, power, limitMs, askPage, reload }: WindowLockDeps): WindowLock {
  let cancelTimeout: (() => void) | null = null;
  const lockNow = () => {
    cancelTimeout?.();
    cancelTimeout = null;
    if (lock.isLocked()) return;
    lock.lock();
    if (lock.isLocked()) reload();
  };
  const askFirst = () => {
    if (!lock.state().isSet || lock.isLocked() || cancelTimeout !== null) return;
    cancelTimeout = clock.setTimer(lockNow, TIMEOUT_MS, 'locking the window');
    askPage();
  };
  const idle: IdleWatch = watchIdle({ clock, systemIdleS: power.idleSeconds, limitMs, onIdle: askFirst });
  power.onAway(askFirst);
  return {
    lockNow,
    active: idle.active,
    stop: () => {
      idle.stop();
      cancelTimeout?.();
    },
  };
}
