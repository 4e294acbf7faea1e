/** The reason of a wait, as printed while a job is followed. Pure. */
import type { Clock } from '../core/ports.ts';
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

/** Said at Ctrl-C while a job holds answers. */
export const UNWRITTEN_ANSWERS =
  'Waiting until the last answers of the service can be written. Ctrl-C again ends at once; the outcome of their requests is then unknown.';

/** A paused job that has not ended within this time holds answers. */
const HELD_AFTER_MS = 500;

/** True for errors that keep the answers of the service in memory until they can be written. */
export const isOfDisk = (error: Job['error']): boolean =>
  error?.code === 'DISK_FULL' || error?.code === 'STORE_FAILED';

/** Says why a job that was paused by a full disk does not end: it holds answers that are not written yet. */
export function createHeldNotes(clock: Pick<Clock, 'setTimer'>, note: (text: string) => void) {
  let cancel: (() => void) | null = null;
  const stop = () => {
    cancel?.();
    cancel = null;
  };
  return {
    hear: ({ state, reason, error }: Pick<Job, 'state' | 'reason' | 'error'>): void => {
      if (state !== 'paused' || !isOfDisk(error)) stop();
      else cancel ??= clock.setTimer(() => note(`paused: ${reason}`), HELD_AFTER_MS);
    },
    stop,
  };
}
