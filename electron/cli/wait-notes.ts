/** The reason of a wait, as printed while a job is followed. Pure. */
import type { Job } from '../shared/job-contract.ts';

type Heard = Pick<Job, 'state' | 'reason' | 'error' | 'progress'>;

/**
 * Returns a function that gives the line to print for a change, or null. A reason is printed once, however often the
 * job retries; again if there was progress in between.
 */
export function createWaitNotes(): (heard: Heard) => string | null {
  let said: { reason: string; done: number } | null = null;
  return ({ state, reason, error, progress: { done } }) => {
    if (state !== 'waiting' || error === null || (said?.reason === reason && said.done === done)) return null;
    said = { reason, done };
    return `${state}: ${reason}`;
  };
}
