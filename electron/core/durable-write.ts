/** Writes down what must not be forgotten, however long the disk takes. */

import { type AppError, toAppError } from '../shared/errors.ts';
import type { Clock } from './ports.ts';

/** What an AbortSignal says, without its type: the core knows no platform. */
export interface Stopping {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options: { once: boolean }): void;
}

export interface DurableWrite {
  clock: Clock;
  /** Everything is to end: it is tried no longer. */
  signal: Stopping;
  /** The disk did not take it; it is tried again. */
  onTrouble: (error: AppError) => void;
}

/**
 * Calls `write` until it succeeds: while the disk does not take it, the answer of the service stays in memory, for
 * letting it go would turn a known outcome into an unknown one. Throws what is no trouble of the disk. False: given up
 * because everything ends.
 */
export async function writeDurably(
  write: () => void,
  { clock, signal, onTrouble }: DurableWrite,
): Promise<boolean> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 15_000)) {
    try {
      write();
      return true;
    } catch (problem) {
      const error = toAppError(problem);
      if (error.code !== 'DISK_FULL' && error.code !== 'STORE_FAILED') throw error;
      onTrouble(error);
      if (signal.aborted) return false;
      await sleep(clock, signal, waitMs);
    }
  }
}

/** Ends early when the signal is aborted. */
function sleep(clock: Clock, signal: Stopping, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(resolve, waitMs);
    const end = () => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
