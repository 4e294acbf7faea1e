import type { ReportFailure } from '../core/guard-timers.ts';
import type { Logger } from '../core/ports.ts';
import type { EventPayloads } from '../shared/contract.ts';
import { toAppError } from '../shared/errors.ts';

/** Logs each failure of background work, and notifies the window once per kind. */
export function reportFailures(
  logger: Pick<Logger, 'error'>,
  publish: (channel: 'app:failed', failure: EventPayloads['app:failed']) => void,
): ReportFailure {
  const told = new Set<string>();
  return (what, thrown) => {
    const { code, message } = toAppError(thrown);
    const stack = thrown instanceof Error ? (thrown.stack ?? null) : null;
    logger.error('failed in the background', { what, code, reason: message, stack });
    const kind = `${what}: ${message}`;
    if (told.has(kind)) return;
    told.add(kind);
    publish('app:failed', { what, message });
  };
}
