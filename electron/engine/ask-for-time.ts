import type { Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import type { Session } from './session.ts';

/**
 * Requests any cheap answer, because answers contain the service's time, which a daily limit needs after a restart of
 * the computer.
 */
export function askForTime(
  sessions: Iterable<Promise<Session>>,
  origin: string,
  logger: Pick<Logger, 'warn'>,
): void {
  for (const opening of sessions) {
    opening
      .then(async ({ connection, client }) => {
        if (new URL(connection.baseUrl).origin !== origin) return;
        await client.call('server-info.get', {}, { priority: 'click', group: 'time' });
      })
      .catch((thrown: unknown) => {
        logger.warn('time of the service not learned', { reason: toAppError(thrown).message });
      });
  }
}
