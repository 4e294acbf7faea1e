/** Tells the window of new rows of the request log, in bundles. */
import type { Clock } from '../core/ports.ts';
import type { RequestLogRow } from '../shared/traffic-model.ts';

const EVERY_MS = 250;
/** One event stays far below what a message may carry. */
const MAX_ROWS = 100;

interface LogFeed {
  add(row: RequestLogRow): void;
  stop(): void;
}

/** `tell` gets the rows newest first, at most four times a second; of more than 100 the oldest are only counted. */
export function createLogFeed(
  clock: Clock,
  tell: (news: { rows: RequestLogRow[]; skipped: number }) => void,
): LogFeed {
  let rows: RequestLogRow[] = [];
  let skipped = 0;
  let cancel: (() => void) | null = null;
  const send = () => {
    cancel = null;
    const news = { rows: rows.reverse(), skipped };
    rows = [];
    skipped = 0;
    tell(news);
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
