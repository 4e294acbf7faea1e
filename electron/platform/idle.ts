/** Detects that the computer, or if that is unknown this window, has not been used for some time. */
import type { Clock } from '../core/ports.ts';

/** Maximum pause between checks, after which a limit changed by another process is noticed. */
const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 5_000;

interface IdleDeps {
  clock: Clock;
  /** Seconds since the last input on the computer; null if the runtime does not state them. */
  systemIdleS: (() => number) | null;
  /** Limit in milliseconds; 0 for never. */
  limitMs: () => number;
  onIdle: () => void;
}

export interface IdleWatch {
  /** Notes input in the window. */
  active(): void;
  stop(): void;
}

/** Calls `onIdle` at each check after the limit was reached, until there is new activity. */
export function watchIdle({ clock, systemIdleS, limitMs, onIdle }: IdleDeps): IdleWatch {
  let activeAtMs = clock.monotonicMs();
  let cancel: () => void;
  const look = () => {
    const limit = limitMs();
    const idleMs = systemIdleS === null ? clock.monotonicMs() - activeAtMs : systemIdleS() * 1_000;
    if (limit > 0 && idleMs >= limit) onIdle();
    // The next check is when the limit can be reached, so that an unused computer is not woken needlessly.
    const leftMs = limit > 0 && idleMs < limit ? limit - idleMs : limit;
    const pauseMs = leftMs > 0 ? leftMs : LONGEST_PAUSE_MS;
    cancel = clock.setTimer(
      look,
      Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)),
      'locking the window after a pause',
    );
  };
  cancel = clock.setTimer(look, SHORTEST_PAUSE_MS, 'locking the window after a pause');
  return {
    active: () => {
      activeAtMs = clock.monotonicMs();
    },
    stop: () => cancel(),
  };
}
