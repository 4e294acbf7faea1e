/** Long work of the window, a little at a time, so that it answers to keys and clicks meanwhile. */
import type { Pieces } from '../../electron/shared/pieces.ts';
import { nextTask } from './next-task.ts';

/** Less than half of a frame: the rest is for drawing it, and for the last step, which may take longer. */
const BUSY_MS = 6;

/** The result; null once `isStopped` says that nobody wants it any more. */
export async function inPieces<T>(
  pieces: Pieces<T>,
  isStopped: () => boolean,
  nowMs = () => performance.now(),
): Promise<T | null> {
  for (;;) {
    // As a task of its own, so that a frame is drawn before it.
    await nextTask();
    if (isStopped()) return null;
    const endMs = nowMs() + BUSY_MS;
    for (let isInTime = true; isInTime; isInTime = nowMs() < endMs) {
      const { done, value } = pieces.next();
      if (done === true) return value;
    }
  }
}
