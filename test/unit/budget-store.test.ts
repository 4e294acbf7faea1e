import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BudgetRig, DAY_MS, grant, KEY } from '../helpers/budget-rig.ts';
import { MemoryBudget } from '../helpers/memory-budget.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

let rig: BudgetRig;
beforeEach(() => {
  rig = new BudgetRig();
});
afterEach(() => rig.close());
const open = (world: VirtualWorld, bootedAtMs = 0) => rig.open(world, bootedAtMs);
/** The permits that a process finds when it opens the file now. */
const permitsIn = (world: VirtualWorld) =>
  open(world)
    .lane(KEY)
    .permits.map(({ id }) => id);

describe('permits in the budget file', () => {
  test('another process sees a permit when it is granted, and its answer after the flush', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    expect(second.lane(KEY).lane.id).toBe(lane.id);
    const id = grant(first, lane.id);
    expect(second.refresh().permits).toMatchObject([{ id, doneAtMs: null, isReleased: false }]);
    expect(second.refresh().permits).toEqual([]);
    const doneAtMs = first.nowMs();
    first.finish(id, doneAtMs, doneAtMs + DAY_MS);
    expect(second.refresh().permits).toEqual([]);
    first.flush();
    expect(second.refresh().permits).toMatchObject([{ id, doneAtMs }]);
    expect(first.refresh().permits).toEqual([]);
  });

  test('a transaction sees the permits that others granted since the last read', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    second.lane(KEY);
    const id = grant(first, lane.id);
    const seen = second.transact(false, (changes) => changes.permits.map((permit) => permit.id));
    expect(seen).toEqual([id]);
  });

  test('changes made during a flush are not lost', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    const id = grant(first, lane.id);
    second.saveLearned(lane.id, '{}');
    second.flush();
    expect(second.refresh().permits).toMatchObject([{ id }]);
    expect(first.refresh().lanes).toMatchObject([{ id: lane.id, learned: '{}' }]);
  });

  test('work that throws leaves no change', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const fail = () =>
      ledger.transact(false, (_changes, writer) => {
        writer.permit(lane.id, 1, 1);
        throw new RangeError('on purpose');
      });
    expect(fail).toThrow();
    expect(permitsIn(world)).toEqual([]);
    const id = grant(ledger, lane.id);
    expect(permitsIn(world)).toEqual([id]);
  });

  test('other processes see who holds a lane, until its answers are written or its permits have ended', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    expect(second.holdersOf(lane.id)).toEqual([]);
    const untilMs = first.nowMs() + 300_000;
    const id = first.transact(false, (_changes, writer) => writer.permit(lane.id, untilMs, untilMs));
    expect(second.holdersOf(lane.id)).toEqual([{ pid: 1, isStopped: false }]);
    expect(first.holdersOf(lane.id)).toEqual([]);
    expect(second.holdersOf(lane.id + 1)).toEqual([]);
    first.finish(id, first.nowMs(), untilMs);
    first.flush();
    expect(second.holdersOf(lane.id)).toEqual([]);
  });

  test('open permits of a killed process soon count as answered', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    second.lane(KEY);
    const untilMs = first.nowMs() + 300_000;
    const id = first.transact(false, (_changes, writer) => writer.permit(lane.id, untilMs, untilMs));
    expect(second.refresh().permits).toMatchObject([{ id, openUntilMs: untilMs }]);
    rig.kill(first);
    world.trueMs += 2_000;
    expect(second.refresh().permits).toMatchObject([{ id, openUntilMs: second.nowMs() + 3_000 }]);
    expect(open(world).lane(KEY).permits).toMatchObject([{ id, openUntilMs: second.nowMs() + 3_000 }]);
  });

  test('permits outside every window are deleted, others stay', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const old = grant(ledger, lane.id);
    ledger.finish(old, ledger.nowMs(), ledger.nowMs() + 60_000);
    world.trueMs += 120_000;
    const fresh = grant(ledger, lane.id);
    expect(permitsIn(world)).toEqual([fresh]);
  });
});

test('the newest token is the last one that sent a request, not the last one whose lanes were read', () => {
  const world = new VirtualWorld();
  const memory = new MemoryBudget(() => world.trueMs);
  for (const ledgers of [
    [open(world), open(world)],
    [memory.open(), memory.open()],
  ]) {
    for (const ledger of ledgers) {
      const { lane } = ledger.lane(KEY);
      const { lane: other } = ledger.lane({ ...KEY, tokenId: 'other' });
      grant(ledger, lane.id);
      ledger.lane({ ...KEY, tokenId: 'other', operation: 'GET /v3/models' });
      expect(ledger.lastToken(KEY.origin)).toBe('token');
      grant(ledger, other.id);
      expect(ledger.lastToken(KEY.origin)).toBe('other');
    }
  }
});

describe('ledger time', () => {
  test('does not follow the wall clock, and continues after a restart of the process', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const before = ledger.nowMs();
    world.wallErrorMs = 30 * DAY_MS;
    expect(open(world).nowMs()).toBe(before);
    world.wallErrorMs = -30 * DAY_MS;
    world.trueMs += 5_000;
    ledger.close();
    expect(open(world).nowMs()).toBe(before + 5_000);
  });

  test('after a restart of the computer only the time since then counts', () => {
    const world = new VirtualWorld();
    world.trueMs = 10 * DAY_MS;
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const id = grant(ledger, lane.id);
    world.trueMs += 1_000;
    const doneAtMs = ledger.nowMs();
    ledger.finish(id, doneAtMs, doneAtMs + DAY_MS);
    ledger.close();
    world.trueMs += 3 * DAY_MS;
    world.wallErrorMs = 30 * DAY_MS;
    const bootedAtMs = world.trueMs - 60_000;
    expect(open(world, bootedAtMs).nowMs()).toBe(doneAtMs + 60_000);
  });

  test('an answer dated in the future is not a restart of the computer', () => {
    // A cancelled request counts until it has certainly arrived, which is in the future. A jump of ledger time by the
    // uptime must not change that.
    const world = new VirtualWorld();
    world.trueMs = 10 * DAY_MS;
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const id = grant(ledger, lane.id);
    world.trueMs += 1_000;
    ledger.finish(id, ledger.nowMs() + 2_000, ledger.nowMs() + DAY_MS);
    ledger.flush();
    world.trueMs += 500;
    expect(open(world).nowMs()).toBe(ledger.nowMs());
  });

  test('a restart of the computer ended every process, whichever process has its number now', () => {
    const world = new VirtualWorld();
    world.trueMs = DAY_MS;
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    ledger.transact(false, (_, writer) =>
      writer.permit(lane.id, ledger.nowMs() + 300_000, ledger.nowMs() + DAY_MS),
    );
    const earlier = grant(ledger, lane.id);
    ledger.finish(earlier, ledger.nowMs(), ledger.nowMs() + DAY_MS);
    ledger.flush();
    world.trueMs += 60_000;
    const next = open(world, world.trueMs - 1_000);
    expect(next.isShared).toBe(false);
    expect(next.readyAtMs).toBe(0);
    const [left] = next.lane(KEY).permits.filter(({ doneAtMs }) => doneAtMs === null);
    expect(left?.openUntilMs).toBeLessThanOrEqual(next.nowMs() + 3_000);
  });

  test.each([
    ['longer than the other', 20 * DAY_MS],
    ['shorter than the other', 3 * DAY_MS],
  ])('in a moved folder, the uptime of the new computer (%s) frees no day', (_, upMs) => {
    // Found by reading the code: the uptime counted as time since the last request, so thirty more deletions could be
    // sent.
    const world = new VirtualWorld();
    world.trueMs = 30 * DAY_MS;
    const ledger = rig.open(world, 20 * DAY_MS, { computer: 'old', start: '' });
    const nowMs = ledger.nowMs();
    rig.kill(ledger);
    world.trueMs += 60_000;
    const moved = rig.open(world, world.trueMs - upMs, { computer: 'new', start: '' });
    expect(moved.nowMs()).toBe(nowMs);
    world.trueMs += 5_000;
    expect(moved.nowMs()).toBe(nowMs + 5_000);
    // Permits recorded on the old computer have no owner here.
    expect(moved.isShared).toBe(false);
  });

  test.each([
    ['where the system names its starts, also after a longer time than before', 'second', 5 * DAY_MS],
    ['of a clock of its own (a container) nothing is believed', 'first', 60_000],
  ])('%s', (_, start, upMs) => {
    const world = new VirtualWorld();
    world.trueMs = 30 * DAY_MS;
    const ledger = rig.open(world, world.trueMs - DAY_MS, { computer: 'here', start: 'first' });
    const nowMs = ledger.nowMs();
    ledger.close();
    world.trueMs += 8 * DAY_MS;
    const next = rig.open(world, world.trueMs - upMs, { computer: 'here', start });
    expect(next.nowMs()).toBe(nowMs + (start === 'second' ? upMs : 0));
  });

  test('time that the service proves to have passed ages old permits in every process', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    second.lane(KEY);
    const id = grant(first, lane.id);
    const doneAtMs = first.nowMs();
    first.finish(id, doneAtMs, doneAtMs + DAY_MS);
    first.flush();
    second.refresh();
    const unseen = { untilMs: doneAtMs, byMs: 5_000, atMs: doneAtMs };
    expect(first.shiftBack(KEY.origin, unseen, () => false)).toBe(true);
    expect(second.refresh().permits).toMatchObject([{ id, doneAtMs: doneAtMs - 5_000 }]);
    first.shiftBack('http://elsewhere', unseen, () => false);
    expect(second.shiftBack(KEY.origin, unseen, () => true)).toBe(false);
    expect(second.refresh().permits).toEqual([]);
  });

  test.each(['file', 'memory'])(
    'aged by another process, an answer that is not written yet stays an answer (%s)',
    (kind) => {
      const world = new VirtualWorld();
      const memory = new MemoryBudget(() => world.trueMs);
      const [first, second] = kind === 'file' ? [open(world), open(world)] : [memory.open(), memory.open()];
      const { lane } = first.lane(KEY);
      second.lane(KEY);
      const [old, id] = [grant(first, lane.id), grant(first, lane.id)];
      const doneAtMs = first.nowMs();
      first.finish(old, doneAtMs, doneAtMs + DAY_MS);
      first.flush();
      first.finish(id, doneAtMs + 10, doneAtMs + DAY_MS);
      const unseen = { untilMs: doneAtMs + 2_000, byMs: 5_000, atMs: doneAtMs + 2_000 };
      second.shiftBack(KEY.origin, unseen, () => false);
      const permits = first.refresh().permits.filter((permit) => permit.id === id);
      for (const permit of permits) expect(permit.doneAtMs).toBe(doneAtMs + 10);
      first.flush();
      expect(second.refresh().permits.findLast((permit) => permit.id === id)).toMatchObject({
        doneAtMs: doneAtMs + 10,
      });
    },
  );
});

describe('a file that cannot be used', () => {
  test('a file that cannot be written (read-only or locked) is named, with what to do', () => {
    const world = new VirtualWorld();
    open(world).close();
    const db = new Database(rig.file);
    db.exec("CREATE TRIGGER refuse BEFORE INSERT ON holder BEGIN SELECT RAISE(ABORT, 'refused'); END");
    db.close();
    const message = /^budget\.db could not be opened: SQLITE_\w+\. .*can be written, then try again\.$/;
    expect(() => open(world)).toThrow(
      expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringMatching(message) }),
    );
  });

  test('a file of a newer version is rejected and stays unchanged', () => {
    const world = new VirtualWorld();
    open(world).close();
    const db = new Database(rig.file);
    db.pragma('user_version = 9000');
    db.close();
    expect(() => open(world)).toThrow(expect.objectContaining({ code: 'STORE_NEWER' }));
  });
});
