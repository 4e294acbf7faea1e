/** Rows of the budget file, parsed on arrival. */
import { z } from 'zod';
import type { LaneRecord, PermitRecord, ServiceTime } from '../core/budget-ledger.ts';
import { parseRow } from './open.ts';

const permitRow = z.object({
  id: z.number(),
  lane_id: z.number(),
  open_until_ms: z.number(),
  done_at_ms: z.number().nullable(),
  is_released: z.number(),
});
const laneRow = z.object({
  id: z.number(),
  origin: z.string(),
  token_id: z.string(),
  operation: z.string(),
  learned: z.string().nullable(),
});
export const ledgerRow = z.object({ boot_ms: z.number(), ledger_ms: z.number(), sequence: z.number() });
export const holderRow = z.object({ id: z.number(), pid: z.number() });
const timeRow = z.object({
  origin: z.string(),
  date_ms: z.number(),
  sent_at_ms: z.number(),
  received_at_ms: z.number(),
});

export function toPermit(row: unknown): PermitRecord {
  const permit = parseRow(permitRow, row, 'permit');
  return {
    id: permit.id,
    laneId: permit.lane_id,
    openUntilMs: permit.open_until_ms,
    doneAtMs: permit.done_at_ms,
    isReleased: permit.is_released === 1,
  };
}

export function toLane(row: unknown): LaneRecord {
  const lane = parseRow(laneRow, row, 'lane');
  return {
    id: lane.id,
    key: { origin: lane.origin, tokenId: lane.token_id, operation: lane.operation },
    learned: lane.learned,
  };
}

export function toServiceTime(row: unknown): ServiceTime {
  const time = parseRow(timeRow, row, 'service time');
  return {
    origin: time.origin,
    dateMs: time.date_ms,
    sentAtMs: time.sent_at_ms,
    receivedAtMs: time.received_at_ms,
  };
}
