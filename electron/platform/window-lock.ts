/** Locks the window: by a command, after a time without input, and when the screen is locked or the computer sleeps. */
import type { Clock } from '../core/ports.ts';
import type { AppLock } from './app-lock.ts';
import { type IdleWatch, watchIdle } from './idle.ts';
import type { PowerNews } from './runtime-parts.ts';

/** The page saves its drafts, then locks itself; a hanging page is not awaited longer. */
const TIMEOUT_MS = 3_000;

interface WindowLockDeps {
  lock: AppLock;
  clock: Clock;
  power: Pick<PowerNews, 'idleSeconds' | 'onAway'>;
  /** Milliseconds; 0 for never. */
  limitMs: () => number;
  /** Makes the page save its drafts and request the lock. */
  askPage: () => void;
  /** Reloads the page, so that it keeps nothing of what it showed. */
  reload: () => void;
}

export interface WindowLock {
  /** Call after the page has sent everything it wanted to keep. */
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
