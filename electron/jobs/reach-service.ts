import { toAppError } from '../shared/errors.ts';

/**
 * Makes a request that every service answers, before anything is marked as sent. Otherwise a job that is killed while
 * it waits for an unreachable service would have unknown outcomes. Rejects only if no answer arrives.
 */
export async function reachService(
  /**
   * Requests `server-info.get` with high priority, so that it is rejected instead of queued and the caller can report
   * this.
   */
  ask: () => Promise<unknown>,
): Promise<void> {
  try {
    await ask();
  } catch (problem) {
    const error = toAppError(problem);
    if (error.details.status === undefined) throw error;
  }
}
