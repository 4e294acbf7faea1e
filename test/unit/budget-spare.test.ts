/** Permits for busy lanes that the only process records in advance, and budget files of the previous version. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BudgetLedger, LOOK_ALONE_MS } from '../../electron/core/limits/budget-ledger.ts';
import { BudgetRig, grant, KEY } from '../helpers/budget-rig.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

let rig: BudgetRig;
beforeEach(() => {
  rig = new BudgetRig();
});
afterEach(() => rig.close());
const open = (world: VirtualWorld) => rig.open(world);

/** Grants permits 100 ms apart, as a busy lane does. Returns how many were granted without a transaction. */
function busy(world: VirtualWorld, ledger: BudgetLedger, laneId: number, count: number): number[] {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    world.trueMs += 100;
    ledger.refresh();
    const nowMs = ledger.nowMs();
    const id = ledger.take(laneId, nowMs + 300_000, nowMs + 400_000);
    if (id === null) {
      ledger.transact(false, (_, writer) => writer.permit(laneId, nowMs + 300_000, nowMs + 400_000, 10));
    } else taken.push(id);
  }
  return taken;
}

const openIn = (ledger: BudgetLedger) =>
  ledger.lane(KEY).permits.filter((permit) => permit.doneAtMs === null && !permit.isReleased).length;

describe('permits recorded in advance', () => {
  test('a busy lane needs few transactions while its process is alone, and each permit is on disk before its use', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const taken = busy(world, ledger, lane.id, 100);
    expect(taken.length).toBeGreaterThan(80);
    expect(new Set(taken).size).toBe(taken.length);
    const onDisk = new Set(ledger.lane(KEY).permits.map(({ id }) => id));
    for (const id of taken) expect(onDisk.has(id)).toBe(true);
  });

  test('a lane that is rarely used has none', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    grant(ledger, lane.id);
    world.trueMs += 10_000;
    grant(ledger, lane.id);
    expect(openIn(ledger)).toBe(2);
    expect(ledger.take(lane.id, 0, 0)).toBeNull();
  });

  test('spare permits are returned when another process starts, and with the flush', () => {
    const world = new VirtualWorld();
    const first = open(world);
    const { lane } = first.lane(KEY);
    busy(world, first, lane.id, 17);
    expect(openIn(first)).toBeGreaterThan(17);
    const second = open(world);
    // At first the new process counts all of these permits, and sends nothing until the other process must have noticed
    // it.
    expect(openIn(second)).toBe(openIn(first));
    expect(second.readyAtMs).toBeGreaterThanOrEqual(second.nowMs() + LOOK_ALONE_MS);
    world.trueMs += LOOK_ALONE_MS;
    first.refresh();
    expect(first.isShared).toBe(true);
    expect(first.take(lane.id, 0, 0)).toBeNull();
    second.refresh();
    expect(openIn(second)).toBe(17);
    second.close();
    first.refresh();
    expect(first.isShared).toBe(false);
    busy(world, first, lane.id, 17);
    expect(openIn(first)).toBeGreaterThan(34);
    first.flush();
    expect(openIn(first)).toBe(34);
  });

  test('of a killed process count as answered soon afterwards', () => {
    const world = new VirtualWorld();
    const first = open(world);
    const { lane } = first.lane(KEY);
    busy(world, first, lane.id, 17);
    const openAtDeath = openIn(first);
    rig.kill(first);
    const second = open(world);
    expect(second.readyAtMs).toBe(0);
    expect(openIn(second)).toBe(openAtDeath);
    const { permits } = second.refresh();
    expect(permits).toHaveLength(openAtDeath);
    for (const permit of permits) expect(permit.openUntilMs).toBe(second.nowMs() + 3_000);
    expect(second.isShared).toBe(false);
  });

  test('are never made in a lane that must survive a power failure', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const untilMs = ledger.nowMs() + 300_000;
    for (let index = 0; index < 10; index++) {
      world.trueMs += 100;
      ledger.transact(true, (_, writer) => writer.permit(lane.id, untilMs, untilMs, 10));
      expect(ledger.take(lane.id, 0, 0)).toBeNull();
    }
    expect(openIn(ledger)).toBe(10);
  });
});
