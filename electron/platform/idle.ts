/** Tells when nobody has used the computer, or where that is not known this window, for a time. */
import type { Clock } from '../core/ports.ts';

const LOOK_EVERY_MS = 5_000;

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
    const idleMs = systemIdleS === null ? clock.monotonicMs() - activeAtMs : systemIdleS() * 1_000;
    if (limitMs() > 0 && idleMs >= limitMs()) onIdle();
    cancel = clock.setTimer(look, LOOK_EVERY_MS);
  };
  cancel = clock.setTimer(look, LOOK_EVERY_MS);
  return {
    active: () => {
      activeAtMs = clock.monotonicMs();
    },
    stop: () => cancel(),
  };
}
