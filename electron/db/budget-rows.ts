/** Rows of the budget file, parsed on arrival. */
import { z } from 'zod';
import type { LaneRecord } from '../core/limits/budget-ledger.ts';
import type { ServiceTime } from '../core/limits/service-clock.ts';
import { BLOCK_SIZE, type Block } from './budget-blocks.ts';
import { parseRow } from './open.ts';

const blockRow = z.object({
  id: z.number(),
  lane_id: z.number(),
  slots: z.string(),
  open_until_ms: z.number(),
});
const slots = z.array(z.number().nullable()).max(BLOCK_SIZE);
const laneRow = z.object({
  id: z.number(),
  origin: z.string(),
  token_id: z.string(),
  operation: z.string(),
  learned: z.string().nullable(),
});
export const ledgerRow = z.object({
  boot_ms: z.number(),
  ledger_ms: z.number(),
  sequence: z.number(),
  computer: z.string(),
  start: z.string(),
});
export type LedgerRow = z.infer<typeof ledgerRow>;
export const holderRow = z.object({ id: z.number(), pid: z.number(), space: z.string() });
const timeRow = z.object({
  origin: z.string(),
  date_ms: z.number(),
  sent_at_ms: z.number(),
  received_at_ms: z.number(),
  wall_ms: z.number().nullable(),
});

type StoredBlock = Omit<Block, 'keepUntilMs'>;

export function toBlock(row: unknown): StoredBlock {
  const block = parseRow(blockRow, row, 'permit');
  return {
    id: block.id,
    laneId: block.lane_id,
    slots: parseRow(slots, toJson(block.slots), 'permit'),
    openUntilMs: block.open_until_ms,
  };
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (problem) {
    // What is no JSON has no form at all: the parser of rows says so.
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
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
    wallMs: time.wall_ms,
  };
}
