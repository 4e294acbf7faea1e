/** Notifies the window of new rows of the request log, several at a time. */
import type { Clock } from '../core/ports.ts';
import type { RequestLogRow } from '../shared/traffic-model.ts';

const EVERY_MS = 250;
/** Maximum rows in an event, far below the size limit of a message. */
const MAX_ROWS = 100;

interface LogFeed {
  add(row: RequestLogRow): void;
  stop(): void;
}

/** `notify` gets rows newest first, at most four times a second; of more than 100 rows, the oldest are only counted. */
export function createLogFeed(
  clock: Clock,
  notify: (news: { rows: RequestLogRow[]; skipped: number }) => void,
): LogFeed {
  let rows: RequestLogRow[] = [];
  let skipped = 0;
  let cancel: (() => void) | null = null;
  const send = () => {
    cancel = null;
    const news = { rows: rows.reverse(), skipped };
    rows = [];
    skipped = 0;
    notify(news);
  };
  return {
    add: (row) => {
      rows.push(row);
      if (rows.length > MAX_ROWS) {
        rows.shift();
        skipped++;
      }
      cancel ??= clock.setTimer(send, EVERY_MS, 'telling of requests');
    },
    stop: () => {
      cancel?.();
      cancel = null;
    },
  };
}
