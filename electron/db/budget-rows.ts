/** The tables of the budget file: every statement, and row parsers. */
import type { Database } from 'better-sqlite3';
import type { LaneRecord } from '../core/limits/budget-ledger.ts';
import type { ServiceTime } from '../core/limits/service-clock.ts';
import * as z from '../shared/zod.ts';
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
    // Text that is not JSON becomes undefined, which the row parser reports.
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

export type BudgetStatements = ReturnType<typeof budgetStatements>;

/** Every statement of the budget file, prepared once. */
export function budgetStatements(db: Database) {
  return {
    readLedger: db.prepare('SELECT boot_ms, ledger_ms, sequence, computer, start FROM ledger WHERE id = 1'),
    createLedger: db.prepare(
      'INSERT INTO ledger (id, boot_ms, ledger_ms, sequence, holder) VALUES (1, ?, ?, 0, 0)',
    ),
    unknownUse: db.prepare('SELECT before_ms FROM unknown_use').pluck(),
    noteUnknownUse: db.prepare('INSERT OR REPLACE INTO unknown_use (id, before_ms) VALUES (1, ?)'),
    anchorLedger: db.prepare(
      'UPDATE ledger SET boot_ms = ?, ledger_ms = ?, computer = ?, start = ? WHERE id = 1',
    ),
    // The increased sequence tells a process that was alone that another one has joined.
    nextHolder: db
      .prepare('UPDATE ledger SET holder = holder + 1, sequence = sequence + 1 WHERE id = 1 RETURNING holder')
      .pluck(),
    readSequence: db.prepare('SELECT sequence FROM ledger WHERE id = 1').pluck(),
    nextSequence: db
      .prepare(
        'UPDATE ledger SET sequence = sequence + 1, boot_ms = ?, ledger_ms = ? WHERE id = 1 RETURNING sequence',
      )
      .pluck(),

    addHolder: db.prepare('INSERT INTO holder (id, pid, space) VALUES (?, ?, ?)'),
    dropHolder: db.prepare('DELETE FROM holder WHERE id = ?'),
    otherHolders: db.prepare('SELECT id, pid, space FROM holder WHERE id <> ?'),
    openHolders: db.prepare(
      `SELECT DISTINCT h.id, h.pid, h.space FROM permit_block b JOIN holder h ON h.id = b.owner
       WHERE b.lane_id = ? AND b.owner <> ? AND instr(b.slots, 'null') > 0 AND b.open_until_ms > ?`,
    ),
    closeOpen: db.prepare(
      `UPDATE permit_block SET open_until_ms = ?, sequence = ?
       WHERE owner = ? AND instr(slots, 'null') > 0 AND open_until_ms > ?
       RETURNING id, lane_id, slots, open_until_ms`,
    ),

    findLane: db.prepare(
      'SELECT id, origin, token_id, operation, learned FROM lane WHERE origin = ? AND token_id = ? AND operation = ?',
    ),
    lastToken: db
      .prepare(
        `SELECT token_id FROM lane WHERE origin = ? AND token_id <> 'none' AND sequence > 0
         ORDER BY sequence DESC LIMIT 1`,
      )
      .pluck(),
    addLane: db.prepare(
      'INSERT INTO lane (origin, token_id, operation, sequence, holder) VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING',
    ),
    useLane: db.prepare('UPDATE lane SET sequence = ?, holder = ? WHERE id = ?'),
    saveLearned: db.prepare('UPDATE lane SET learned = ?, sequence = ?, holder = ? WHERE id = ?'),
    changedLanes: db.prepare(
      'SELECT id, origin, token_id, operation, learned FROM lane WHERE sequence > ? AND holder <> ?',
    ),

    originLanes: db.prepare(
      'SELECT id, origin, token_id, operation, learned FROM lane WHERE origin = ? AND learned IS NOT NULL',
    ),

    addBlock: db.prepare(
      `INSERT INTO permit_block (id, lane_id, slots, open_until_ms, keep_until_ms, sequence, holder, owner)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    saveBlock: db.prepare(
      `UPDATE permit_block SET slots = ?, open_until_ms = ?, done_at_ms = ?, keep_until_ms = ?, sequence = ?, holder = ?
       WHERE id = ?`,
    ),
    laneBlocks: db.prepare('SELECT id, lane_id, slots, open_until_ms FROM permit_block WHERE lane_id = ?'),
    changedBlocks: db.prepare(
      'SELECT id, lane_id, slots, open_until_ms FROM permit_block WHERE sequence > ? AND holder <> ?',
    ),
    originBlocks: db.prepare(
      `SELECT id, lane_id, slots, open_until_ms FROM permit_block
       WHERE lane_id IN (SELECT id FROM lane WHERE origin = ?)`,
    ),
    moveBlock: db.prepare(
      'UPDATE permit_block SET slots = ?, open_until_ms = ?, done_at_ms = ?, sequence = ?, holder = ? WHERE id = ?',
    ),
    prune: db.prepare('DELETE FROM permit_block WHERE keep_until_ms < ?'),

    readTime: db.prepare(
      'SELECT origin, date_ms, sent_at_ms, received_at_ms, wall_ms FROM service_time WHERE origin = ?',
    ),
    saveTime: db.prepare(
      `INSERT INTO service_time (origin, date_ms, sent_at_ms, received_at_ms, wall_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (origin) DO UPDATE SET date_ms = excluded.date_ms, sent_at_ms = excluded.sent_at_ms,
         received_at_ms = excluded.received_at_ms, wall_ms = excluded.wall_ms`,
    ),
  };
}
