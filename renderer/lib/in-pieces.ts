/** Runs long work of the window in small steps, so that keys and clicks are handled in between. */
import type { Pieces } from '../../electron/shared/pieces.ts';
import { nextTask } from './next-task.ts';

/** Less than half a frame: the rest of the frame is for drawing, and for a last step that takes longer. */
const BUSY_MS = 6;

/** Runs the work and returns its result; null if `isStopped` reports that it is no longer needed. */
export async function inPieces<T>(
  pieces: Pieces<T>,
  isStopped: () => boolean,
  nowMs = () => performance.now(),
): Promise<T | null> {
  for (;;) {
    // Starts a new task, so that the browser draws a frame first.
    await nextTask();
    if (isStopped()) return null;
    const endMs = nowMs() + BUSY_MS;
    for (let isInTime = true; isInTime; isInTime = nowMs() < endMs) {
      const { done, value } = pieces.next();
      if (done === true) return value;
    }
  }
}
