import { toAppError } from '../shared/errors.ts';

/**
 * Asks for what every service answers, so that nothing counts as sent while there is no way to it: a job that is killed
 * while it waits then leaves nothing to decide. Rejects only where no answer comes.
 */
export async function reachService(
  /** Asks for `server-info.get`; with priority, so that it is refused rather than queued, and whoever waits says so. */
  ask: () => Promise<unknown>,
): Promise<void> {
  try {
    await ask();
  } catch (problem) {
    const error = toAppError(problem);
    if (error.details.status === undefined) throw error;
  }
}
