import { toAppError } from '../shared/errors.ts';

/**
 * Makes a request that every service answers, so that nothing is marked as sent while the service cannot be reached: a
 * job that is killed while it waits then has no unknown outcomes. Rejects only if no answer arrives.
 */
export async function reachService(
  /**
   * Requests `server-info.get` with priority, so that it is refused instead of queued, and the caller can report that.
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
