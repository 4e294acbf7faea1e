/**
 * Unusable rows of the budget file. They are found and removed when the file is opened, so that no request fails or
 * waits for ever because of one. Lost permits count as unknown use.
 */
import { MAX_DATE_MS } from '../core/jobs/job-record.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

const DAY_MS = 86_400_000;
/** Maximum end of a permit or pause, counted from the last commit. */
const MAX_AHEAD_MS = 400 * DAY_MS;
/** Maximum sequence number: ids of permits are multiples of it, and must stay exact as doubles. */
const MAX_SEQUENCE = 100_000_000_000;
const MAX_PID = 2_147_483_647;

const known = z.object({ ledger_ms: z.number(), sequence: z.number() });
const names = z.array(z.string());

/** Removes unusable rows and returns their tables and ids. Call inside a transaction, before `join`. */
export function dropDamaged(db: Database): string[] {
  const dropped = (text: string, bound: Record<string, number>) =>
    parseRow(names, db.prepare(text).pluck().all(bound), 'name of a damaged row');
  const ledger = dropped(
    `DELETE FROM ledger WHERE NOT (boot_ms BETWEEN 0 AND @most AND ledger_ms BETWEEN 0 AND @most
       AND sequence BETWEEN 0 AND @mostSequence AND holder BETWEEN 0 AND @mostSequence)
     RETURNING 'ledger ' || id`,
    { most: MAX_DATE_MS / 2, mostSequence: MAX_SEQUENCE },
  );
  // Null means that the use is unknown until the moment of `join`.
  const noteUnknownUse = () => db.exec('INSERT OR REPLACE INTO unknown_use (id, before_ms) VALUES (1, NULL)');
  // Times and sequence numbers have no meaning without the row of the ledger.
  if (ledger.length > 0) {
    db.exec('DELETE FROM permit_block; DELETE FROM holder; UPDATE lane SET learned = NULL, sequence = 0');
    noteUnknownUse();
    return ledger;
  }
  const row = db.prepare('SELECT ledger_ms, sequence FROM ledger').get();
  if (row === undefined) return [];
  const { ledger_ms: ledgerMs, sequence } = parseRow(known, row, 'ledger');
  const bound = { ahead: ledgerMs + MAX_AHEAD_MS, sequence };
  const permits = dropped(
    `DELETE FROM permit_block WHERE open_until_ms > @ahead OR keep_until_ms > @ahead OR sequence > @sequence OR
        ${notSlots} RETURNING 'permit_block ' || id`,
    bound,
  );
  const learned = dropped(
    `UPDATE lane SET learned = NULL WHERE learned IS NOT NULL AND CASE WHEN json_valid(learned) THEN
         json_type(learned) <> 'object' OR coalesce(json_extract(learned, '$.parkedUntilMs'), 0) > @ahead
         OR coalesce(json_extract(learned, '$.cap.untilMs'), 0) > @ahead
       ELSE 1 END RETURNING 'lane ' || id || ': learned limits'`,
    { ahead: bound.ahead },
  );
  const order = dropped(
    "UPDATE lane SET sequence = 0 WHERE sequence NOT BETWEEN 0 AND @sequence RETURNING 'lane ' || id || ': order'",
    { sequence },
  );
  const holders = dropped("DELETE FROM holder WHERE pid NOT BETWEEN 1 AND @most RETURNING 'holder ' || id", {
    most: MAX_PID,
  });
  const times = dropped(
    `DELETE FROM service_time WHERE NOT (date_ms BETWEEN 0 AND @most AND sent_at_ms BETWEEN 0 AND @ahead
       AND received_at_ms BETWEEN 0 AND @ahead AND coalesce(wall_ms, 0) BETWEEN 0 AND @most)
     RETURNING 'service_time ' || origin`,
    { most: MAX_DATE_MS, ahead: bound.ahead },
  );
  const unknown = dropped(
    "DELETE FROM unknown_use WHERE before_ms NOT BETWEEN 0 AND @ahead RETURNING 'unknown_use ' || id",
    { ahead: bound.ahead },
  );
  if (permits.length + unknown.length > 0) noteUnknownUse();
  return [...permits, ...learned, ...order, ...holders, ...times, ...unknown];
}

/** Slots are null, or numbers: `RELEASED` or the time of an answer. */
const notSlots = `CASE WHEN json_valid(slots) AND json_type(slots) = 'array' THEN EXISTS (
    SELECT 1 FROM json_each(slots) WHERE type NOT IN ('null', 'integer', 'real') OR value > @ahead)
  ELSE 1 END`;
