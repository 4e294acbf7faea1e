import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BudgetLedger, LOOK_ALONE_MS } from '../../electron/core/budget-ledger.ts';
import { bootMs } from '../../electron/db/boot-clock.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { BUDGET_MIGRATIONS } from '../../electron/db/migrations/budget/index.ts';
import { openStore } from '../../electron/db/open.ts';
import type { BudgetProcessOptions } from '../helpers/budget-process.ts';
import { silentLogger, VirtualWorld } from '../helpers/virtual-world.ts';

const KEY = { origin: 'http://127.0.0.1', tokenId: 'token', operation: 'GET /v3/applications' };
const DAY_MS = 86_400_000;

let folder = '';
let file = '';
const opened: BudgetLedger[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-budget-'));
  file = join(folder, 'budget.db');
});
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Numbers of the processes that were killed. */
const killed = new Set<number>();
let lastPid = 0;

function open(world: VirtualWorld, bootedAtMs = 0): BudgetLedger {
  lastPid += 1;
  const identity = { pid: lastPid, space: 'here', isRunning: (pid: number) => !killed.has(pid) };
  const ledger = openBudgetStore({
    file,
    clock: world.process(),
    logger: silentLogger,
    bootMs: () => world.trueMs - bootedAtMs,
    identity,
  });
  opened.push(ledger);
  return ledger;
}

const grant = (ledger: BudgetLedger, laneId: number) =>
  ledger.transact(false, (_changes, writer) =>
    writer.permit(laneId, ledger.nowMs() + 1_000, ledger.nowMs() + DAY_MS),
  );

describe('permits', () => {
  test('another process sees a permit when it is granted, its answer after the flush', () => {
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

  test('a transaction sees what others granted since the last look', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    second.lane(KEY);
    const id = grant(first, lane.id);
    const seen = second.transact(false, (changes) => changes.permits.map((permit) => permit.id));
    expect(seen).toEqual([id]);
  });

  test('changes that a flush comes across are not lost', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    const id = grant(first, lane.id);
    second.saveLearned(lane.id, '{}');
    second.flush();
    expect(second.refresh().permits).toMatchObject([{ id }]);
    expect(first.refresh().lanes).toMatchObject([{ id: lane.id, learned: '{}' }]);
  });

  test('work that throws leaves nothing behind', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const fail = () =>
      ledger.transact(false, (_changes, writer) => {
        writer.permit(lane.id, 1, 1);
        throw new RangeError('on purpose');
      });
    expect(fail).toThrow();
    expect(open(world).lane(KEY).permits).toEqual([]);
    const id = grant(ledger, lane.id);
    expect(
      open(world)
        .lane(KEY)
        .permits.map((permit) => permit.id),
    ).toEqual([id]);
  });

  test('open permits of a killed process are taken as answered soon', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    second.lane(KEY);
    const untilMs = first.nowMs() + 300_000;
    const id = first.transact(false, (_changes, writer) => writer.permit(lane.id, untilMs, untilMs));
    expect(second.refresh().permits).toMatchObject([{ id, openUntilMs: untilMs }]);
    killed.add(lastPid - 1);
    world.trueMs += 2_000;
    expect(second.refresh().permits).toMatchObject([{ id, openUntilMs: second.nowMs() + 3_000 }]);
    expect(open(world).lane(KEY).permits).toMatchObject([{ id, openUntilMs: second.nowMs() + 3_000 }]);
  });

  test('permits that can matter to no window are dropped, others stay', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const old = grant(ledger, lane.id);
    ledger.finish(old, ledger.nowMs(), ledger.nowMs() + 60_000);
    world.trueMs += 120_000;
    const fresh = grant(ledger, lane.id);
    expect(
      open(world)
        .lane(KEY)
        .permits.map((permit) => permit.id),
    ).toEqual([fresh]);
  });
});

/** Grants one after the other, a hundred milliseconds apart, as a busy lane does; returns those without a transaction. */
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

describe('permits that are recorded beforehand', () => {
  test('a busy lane needs few transactions while its process is alone, and each permit was on disk before', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    const taken = busy(world, ledger, lane.id, 100);
    expect(taken.length).toBeGreaterThan(80);
    expect(new Set(taken).size).toBe(taken.length);
    const onDisk = new Set(ledger.lane(KEY).permits.map(({ id }) => id));
    for (const id of taken) expect(onDisk.has(id)).toBe(true);
  });

  test('a lane that is used now and then has none', () => {
    const world = new VirtualWorld();
    const ledger = open(world);
    const { lane } = ledger.lane(KEY);
    grant(ledger, lane.id);
    world.trueMs += 10_000;
    grant(ledger, lane.id);
    expect(openIn(ledger)).toBe(2);
    expect(ledger.take(lane.id, 0, 0)).toBeNull();
  });

  test('what is spare is given back when another process comes, and with the flush', () => {
    const world = new VirtualWorld();
    const first = open(world);
    const { lane } = first.lane(KEY);
    busy(world, first, lane.id, 17);
    expect(openIn(first)).toBeGreaterThan(17);
    const second = open(world);
    // Whoever comes counts all of them at first, and sends nothing until the other must have looked.
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

  test('of a process that was killed count as answered soon afterwards', () => {
    const world = new VirtualWorld();
    const first = open(world);
    const { lane } = first.lane(KEY);
    busy(world, first, lane.id, 17);
    const openAtDeath = openIn(first);
    killed.add(lastPid);
    const second = open(world);
    expect(second.readyAtMs).toBe(0);
    expect(openIn(second)).toBe(openAtDeath);
    const { permits } = second.refresh();
    expect(permits).toHaveLength(openAtDeath);
    for (const permit of permits) expect(permit.openUntilMs).toBe(second.nowMs() + 3_000);
    expect(second.isShared).toBe(false);
  });

  test('never in a lane that must survive a power cut', () => {
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

describe('a budget of the version before', () => {
  test('keeps its permits', () => {
    const world = new VirtualWorld();
    const db = openStore({
      file,
      migrations: BUDGET_MIGRATIONS.slice(0, 1),
      synchronous: 'NORMAL',
      clock: world.process(),
      logger: silentLogger,
    });
    const nowMs = world.process().nowMs();
    db.exec(`INSERT INTO ledger VALUES (1, 0, ${nowMs}, 7, 1);
      INSERT INTO lane VALUES (1, '${KEY.origin}', '${KEY.tokenId}', '${KEY.operation}', NULL, 1, 1);
      INSERT INTO permit VALUES (1000001, 1, ${nowMs + 500}, ${nowMs - 1_000.25}, 0, ${nowMs + DAY_MS}, 1, 1);
      INSERT INTO permit VALUES (2000001, 1, ${nowMs + 900}, NULL, 0, ${nowMs + DAY_MS}, 2, 1);
      INSERT INTO permit VALUES (3000001, 1, ${nowMs + 900}, NULL, 1, ${nowMs + DAY_MS}, 3, 1);`);
    db.close();
    const ledger = open(world);
    expect(ledger.nowMs()).toBe(nowMs);
    const { permits } = ledger.lane(KEY);
    expect(permits).toHaveLength(2);
    expect(permits.map(({ doneAtMs }) => doneAtMs)).toEqual(expect.arrayContaining([nowMs - 1_000.25, null]));
    expect(permits.find(({ doneAtMs }) => doneAtMs === null)?.openUntilMs).toBe(nowMs + 900);
    const fresh = grant(ledger, 1);
    expect(permits.map(({ id }) => id)).not.toContain(fresh);
  });
});

describe('ledger time', () => {
  test('does not follow the wall clock, and goes on after a restart of the process', () => {
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

  test('after a restart of the computer only the time since then is believed', () => {
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

  test('an answer that is noted for some time to come is no restart of the computer', () => {
    // A cancelled request counts until it has surely arrived: that lies ahead. Ledger time then jumped by the uptime.
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

  test('a restart of the computer ended every process, whoever has its number now', () => {
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

  test('time the service proves to have passed moves old permits back in every process', () => {
    const world = new VirtualWorld();
    const [first, second] = [open(world), open(world)];
    const { lane } = first.lane(KEY);
    second.lane(KEY);
    const id = grant(first, lane.id);
    const doneAtMs = first.nowMs();
    first.finish(id, doneAtMs, doneAtMs + DAY_MS);
    first.flush();
    second.refresh();
    expect(first.shiftBack(KEY.origin, doneAtMs, 5_000, () => false)).toBe(true);
    expect(second.refresh().permits).toMatchObject([{ id, doneAtMs: doneAtMs - 5_000 }]);
    first.shiftBack('http://elsewhere', doneAtMs, 5_000, () => false);
    expect(second.shiftBack(KEY.origin, doneAtMs, 5_000, () => true)).toBe(false);
    expect(second.refresh().permits).toEqual([]);
  });
});

describe('a file that is not ours to use', () => {
  test('one from a newer version is refused and stays as it is', () => {
    const world = new VirtualWorld();
    open(world).close();
    const db = new Database(file);
    db.pragma('user_version = 9000');
    db.close();
    expect(() => open(world)).toThrow(expect.objectContaining({ code: 'STORE_NEWER' }));
  });
});

interface Line {
  event: 'sent' | 'answered' | 'status' | 'end';
  id: number;
  atMs: number;
  left: number;
}

/** Starts a real process; `lines` grows as it speaks. */
function start(options: BudgetProcessOptions) {
  const script = join(import.meta.dirname, '../helpers/budget-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text));
    for (const look of waiting) look();
  });
  const until = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isTrue()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { child, lines, until };
}

const sentBy = (lines: readonly Line[]) => lines.filter((line) => line.event === 'sent').length;

interface Request {
  sentMs: number;
  doneMs: number;
}

/** What was not answered is taken as answered when its process was killed. */
function requestsOf(processes: readonly { lines: Line[] }[], killedMs: number): Request[] {
  return processes.flatMap(({ lines }) =>
    lines
      .filter((line) => line.event === 'sent')
      .map((sent) => ({
        sentMs: sent.atMs,
        doneMs: lines.find((line) => line.event === 'answered' && line.id === sent.id)?.atMs ?? killedMs,
      })),
  );
}

/** In every second before a send. */
function expectAtMost(count: number, requests: readonly Request[]): void {
  for (const { sentMs } of requests) {
    const occupying = requests.filter((other) => other.sentMs <= sentMs && other.doneMs > sentMs - 1_000);
    expect(occupying.length).toBeLessThanOrEqual(count);
  }
}

describe('several real processes on one file', () => {
  test('together they never have more in a second than the limit', async () => {
    const options = { file, category: 'metadata-write', count: 10, latencyMs: 15 } as const;
    const [first, second, third] = [start(options), start(options), start({ ...options, count: 60 })];
    await third.until(() => sentBy(third.lines) >= 3);
    third.child.kill('SIGKILL');
    const killedMs = bootMs();
    await Promise.all(
      [first, second].map(({ lines, until }) => until(() => lines.some((line) => line.event === 'end'))),
    );
    const requests = requestsOf([first, second, third], killedMs);
    expect(requests.length).toBeGreaterThanOrEqual(23);
    expectAtMost(10, requests);
  }, 120_000);

  test('one that was killed at full load, alone, and the next together have no more than the limit', async () => {
    const options = { file, category: 'metadata-write', count: 60, latencyMs: 15 } as const;
    const first = start(options);
    await first.until(() => sentBy(first.lines) >= 24);
    first.child.kill('SIGKILL');
    await new Promise((resolve) => first.child.once('exit', resolve));
    const killedMs = bootMs();
    const second = start({ ...options, count: 14 });
    await second.until(() => second.lines.some((line) => line.event === 'end'));
    const requests = requestsOf([first, second], killedMs);
    expect(requests.length).toBeGreaterThanOrEqual(38);
    expectAtMost(10, requests);
  }, 120_000);

  test('a day holds 30 deletions, whoever is killed at whatever moment', async () => {
    const options = { file, category: 'event-deletion', count: 40, latencyMs: 5 } as const;
    const [first, second] = [start(options), start(options)];
    await Promise.race([first, second].map(({ lines, until }) => until(() => sentBy(lines) > 0)));
    first.child.kill('SIGKILL');
    second.child.kill('SIGKILL');
    const last = start(options);
    await last.until(() => last.lines.some((line) => line.event === 'status'));
    expect(last.lines.find((line) => line.event === 'status')).toMatchObject({ used: 30, left: 0 });
    // A permit may have been recorded and not used; never the other way round.
    const total = [first, second, last].reduce((sum, { lines }) => sum + sentBy(lines), 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(30);
  }, 120_000);
});
