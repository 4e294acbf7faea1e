/** Texts about why a followed job waits. Pure. */
import type { Clock } from '../core/ports.ts';
import type { Job } from '../shared/job-contract.ts';
import type { NetworkState } from '../shared/model.ts';

type Heard = Pick<Job, 'state' | 'reason' | 'error' | 'progress'>;

/** While the service is not reached, a job whose requests wait for it is shown as a waiting one. Null if it is reached. */
export function waitingFor({ state, error }: NetworkState, progress: Job['progress']): Heard | null {
  if (state !== 'unreachable' || error === null) return null;
  return { state: 'waiting', reason: error.message, error, progress };
}

/**
 * Returns a function that gives the line to print for a change, or null. A reason is printed once, however often the
 * job retries, and again after progress.
 */
export function createWaitNotes(): (heard: Heard) => string | null {
  let said: { reason: string; done: number } | null = null;
  return ({ state, reason, error, progress: { done } }) => {
    if (state !== 'waiting' || error === null || (said?.reason === reason && said.done === done)) return null;
    said = { reason, done };
    const nextStep = reason === error.message ? (error.details.nextStep ?? '') : '';
    return `${state}: ${reason} ${nextStep}`.trim();
  };
}

/** Printed at Ctrl-C while a job holds answers that it cannot write. */
export const UNWRITTEN_ANSWERS =
  'Waiting until the last answers of the service can be written. Ctrl-C again ends at once; the outcome of their requests is then unknown.';

/** A paused job that has not ended after this time is holding answers that it cannot write. */
const HELD_AFTER_MS = 500;

/** Whether an error keeps answers of the service in memory until they can be written. */
export const isOfDisk = (error: Job['error']): boolean =>
  error?.code === 'DISK_FULL' || error?.code === 'STORE_FAILED';

/** Prints why a job that was paused by a full disk does not end: it holds answers that are not written yet. */
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
