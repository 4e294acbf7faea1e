/**
 * Checks every few minutes whether an alert rule of a connection has fired. The query is the same as on the start page,
 * so both share the cache: recent answers cost no request, and answers are available offline.
 */
import type { ServiceClient } from '../api/types.ts';
import type { LayoutFile } from '../connections/layout-file.ts';
import { knownAlerts, newAlerts } from '../core/new-alerts.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { Library } from '../library/library.ts';
import { daysUpTo, type FiredAlert, summaryQuery } from '../shared/alert-record.ts';
import { toAppError } from '../shared/errors.ts';

interface AlertWatchDeps {
  clock: Clock;
  logger: Logger;
  library: Pick<Library, 'fetchAll' | 'readStored'>;
  client: ServiceClient;
  /** Stores the alerts that the person was notified of, also for the next start. */
  layout: Pick<LayoutFile, 'read' | 'write'>;
  /** Interval of the checks; 0 means never. */
  everyMs: () => number;
  /** Whether a request would be answered now, as far as is known. */
  canAsk: () => boolean;
  onFired: (alerts: FiredAlert[]) => void;
}

const KNOWN_KEY = 'alerts';
/** Delay after the window was opened, and interval at which the setting is checked. */
const TICK_MS = 60_000;
const DAYS = 7;
const PAGE = 200;
const MAX_RULES = 5_000;

/** Starts watching. Returns a function that stops, and resolves when no read is running any more. */
export function watchAlerts(deps: AlertWatchDeps): () => Promise<void> {
  const { clock, logger, library, layout } = deps;
  const ending = new AbortController();
  let looking = Promise.resolve();
  let looked: { wallMs: number; monotonicMs: number } | null = null;
  let cancel = clock.setTimer(tick, TICK_MS, 'looking for new alerts');

  function tick(): void {
    const everyMs = deps.everyMs();
    if (everyMs > 0 && isDue(everyMs) && deps.canAsk()) {
      looked = { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
      looking = look().catch((thrown: unknown) => {
        if (!ending.signal.aborted) logger.warn('alerts not read', { reason: toAppError(thrown).message });
      });
    }
    cancel = clock.setTimer(tick, TICK_MS, 'looking for new alerts');
  }

  /** Uses two clocks: wall time may be set back, and the monotonic clock may stand still while the computer sleeps. */
  function isDue(everyMs: number): boolean {
    if (looked === null) return true;
    const { wallMs, monotonicMs } = looked;
    return clock.nowMs() - wallMs >= everyMs || clock.monotonicMs() - monotonicMs >= everyMs;
  }

  async function look(): Promise<void> {
    const nowMs = clock.nowMs();
    const query = summaryQuery(daysUpTo(nowMs, DAYS));
    await library.fetchAll({
      ...{ query, form: 'list', generationId: null, until: 'end' },
      notBeforeMs: nowMs - TICK_MS,
      ...{ client: deps.client, group: 'new alerts', signal: ending.signal, onProgress: () => undefined },
    });
    const summaries: Record<string, unknown>[] = [];
    for (let from = 0; from < MAX_RULES; from += PAGE) {
      const rows = await library.readStored(query, from, PAGE);
      summaries.push(...rows.map(({ record }) => record));
      if (rows.length < PAGE) break;
    }
    if (ending.signal.aborted) return;
    const before = knownAlerts.safeParse(layout.read()[KNOWN_KEY]);
    const { fired, known } = newAlerts(summaries, before.success ? before.data : null);
    // Stored before the notification, because a second notification is worse than one that appears late on the start
    // page.
    await layout.write(KNOWN_KEY, known);
    if (fired.length > 0) deps.onFired(fired);
  }

  return async () => {
    cancel();
    ending.abort();
    await looking;
  };
}
