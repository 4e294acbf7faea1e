/** Waits that can be stopped early. */
import type { Clock } from './ports.ts';

/** The part of AbortSignal that is used. Declared here, because the core is platform-independent. */
export interface Stopping {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Resolves after `waitMs`, or at once if the signal is aborted. Leaves no timer and no listener. */
export function pause(clock: Pick<Clock, 'setTimer'>, signal: Stopping, waitMs: number): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.setTimer(end, waitMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
