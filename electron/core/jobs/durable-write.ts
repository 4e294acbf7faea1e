/** Writes data that must not be lost, and retries while the disk rejects it. */

import { type AppError, toAppError } from '../../shared/errors.ts';
import { pause, type Stopping } from '../pause.ts';
import type { Clock } from '../ports.ts';

interface DurableWrite {
  clock: Clock;
  /** When aborted, the write is no longer retried. */
  signal: Stopping;
  /** Called when the disk rejected the write, which will be retried. */
  onTrouble: (error: AppError) => void;
}

/**
 * Calls `write` until it succeeds. Meanwhile the service's answer stays in memory, because dropping it would turn a
 * known outcome into an unknown one. Throws every error that does not come from the disk. Returns false if it was
 * aborted.
 */
export async function writeDurably(
  write: () => unknown,
  { clock, signal, onTrouble }: DurableWrite,
): Promise<boolean> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 15_000)) {
    try {
      await write();
      return true;
    } catch (problem) {
      const error = toAppError(problem);
      if (error.code !== 'DISK_FULL' && error.code !== 'STORE_FAILED') throw error;
      onTrouble(error);
      if (signal.aborted) return false;
      await pause(clock, signal, waitMs);
    }
  }
}
