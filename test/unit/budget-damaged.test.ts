/**
 * A damaged row of the budget file blocks no request: the row is removed, and its lane has the published limits again.
 */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BudgetRig, grant, KEY } from '../helpers/budget-rig.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

let rig: BudgetRig;
beforeEach(() => {
  rig = new BudgetRig();
});
afterEach(() => rig.close());

const FAR = 9_000_000_000_000_000;
test.each([
  ['permit_block', 'slots', '{"broken'],
  ['permit_block', 'slots', '7'],
  ['permit_block', 'slots', '["later"]'],
  ['permit_block', 'slots', '[9e15]'],
  ['permit_block', 'open_until_ms', FAR],
  ['permit_block', 'keep_until_ms', FAR],
  ['permit_block', 'sequence', FAR],
  ['lane', 'learned', '{"broken'],
  ['lane', 'learned', '{"parkedUntilMs": 9e15}'],
  ['lane', 'sequence', FAR],
  ['ledger', 'boot_ms', FAR],
  ['ledger', 'ledger_ms', FAR],
  ['ledger', 'ledger_ms', -1],
  ['ledger', 'sequence', FAR],
  ['ledger', 'holder', FAR],
  ['service_time', 'date_ms', FAR],
  ['service_time', 'received_at_ms', FAR],
])('a damaged %s.%s (%s)', (table, column, value) => {
  const world = new VirtualWorld();
  const first = rig.open(world);
  const { lane } = first.lane(KEY);
  grant(first, lane.id);
  first.saveServiceTime({ origin: KEY.origin, dateMs: 1, sentAtMs: 1, receivedAtMs: 1, wallMs: 1 });
  first.flush();
  rig.kill(first);
  const db = new Database(rig.file);
  expect(db.prepare(`UPDATE ${table} SET ${column} = ?`).run(value).changes).toBeGreaterThan(0);

  const next = rig.open(world);
  const found = next.lane(KEY);
  expect(found.lane.learned).toBeNull();
  expect(found.permits.every(({ openUntilMs }) => openUntilMs < FAR)).toBe(true);
  expect(found.unknownBeforeMs).toBe(found.permits.length === 0 ? next.nowMs() : null);
  expect(next.serviceTime(KEY.origin)?.dateMs ?? 1).toBe(1);
  const granted = grant(next, found.lane.id);
  expect(Number.isSafeInteger(granted)).toBe(true);
  next.flush();
  expect(db.prepare(`SELECT count(*) FROM ${table} WHERE ${column} = ?`).pluck().get(value)).toBe(0);
  db.close();
});
