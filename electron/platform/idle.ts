/** Tells when nobody has used the computer, or where that is not known this window, for a time. */
import type { Clock } from '../core/ports.ts';

/** The limit may be changed by another process. */
const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 5_000;

interface IdleDeps {
  clock: Clock;
  /** Seconds since the last input on the whole computer; null where the runtime cannot say. */
  systemIdleS: (() => number) | null;
  /** Milliseconds; 0 for never. */
  limitMs: () => number;
  onIdle: () => void;
}

export interface IdleWatch {
  /** A person did something in the window. */
  active(): void;
  stop(): void;
}

/** Calls `onIdle` at each look from the limit on, until somebody is active again. */
export function watchIdle({ clock, systemIdleS, limitMs, onIdle }: IdleDeps): IdleWatch {
  let activeAtMs = clock.monotonicMs();
  let cancel: () => void;
  const look = () => {
    const limit = limitMs();
    const idleMs = systemIdleS === null ? clock.monotonicMs() - activeAtMs : systemIdleS() * 1_000;
    if (limit > 0 && idleMs >= limit) onIdle();
    // Not before the limit can be reached: a computer that nobody uses is not woken for nothing.
    const leftMs = limit > 0 && idleMs < limit ? limit - idleMs : limit;
    const pauseMs = leftMs > 0 ? leftMs : LONGEST_PAUSE_MS;
    cancel = clock.setTimer(look, Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)));
  };
  cancel = clock.setTimer(look, SHORTEST_PAUSE_MS);
  return {
    active: () => {
      activeAtMs = clock.monotonicMs();
    },
    stop: () => cancel(),
  };
}
