/** Repeats of jobs that only read, with a real store: each run is a separate job, and exactly one other follows. */
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import type { MirrorJob } from '../../electron/shared/mirror-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { RepeatRule } from '../../electron/shared/repeat-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { Lives } from '../helpers/lives.ts';
import { MIRRORED, MirrorRig } from '../helpers/mirror-rig.ts';

const DATASETS: ListQuery = { operation: 'datasets.list', path: {}, query: {} };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Noon on a Thursday. */
const NOON = Date.UTC(2026, 9, 1, 12);
const WEEKDAYS: RepeatRule = { on: 'time', days: [1, 2, 3, 4, 5], hour: 7, minute: 0, zone: 'UTC' };
const AFTER_SYNC: RepeatRule = { on: 'sync' };

let folder: DataFolder;
let target: string;
let nowMs: number;
let rig: MirrorRig;
const lives = new Lives('repeat-child.ts');

const open = () => new MirrorRig(folder, MIRRORED, { ...systemClock, nowMs: () => nowMs });
beforeEach(() => {
  folder = new DataFolder();
  target = folder.file('notebooks');
  nowMs = NOON;
  rig = open();
  rig.read(DATASETS, [['a', { id: 'a' }]]);
  rig.mirrors.recover(true);
});
afterEach(async () => {
  lives.killAll();
  await rig[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const repeated = (rule: RepeatRule) =>
  rig.mirrors.create({ tables: null }, { folder: target, startAtMs: null, rule });
/** All mirrors, newest first. */
const all = (): MirrorJob[] =>
  rig.mirrors.list().toSorted((one, other) => other.createdAtMs - one.createdAtMs);
const following = (): MirrorJob[] =>
  rig.mirrors.list().filter(({ repeat, state }) => repeat?.nextId === null && state !== 'cancelled');
/** Moves the clock, and waits until everything that became due has ended. */
async function at(ms: number): Promise<void> {
  nowMs = ms;
  rig.mirrors.wake();
  // A run that succeeds removes failed runs.
  for (const { mirrorId } of rig.mirrors.list())
    if (all().some((each) => each.mirrorId === mirrorId)) await rig.mirrors.whenIdle(mirrorId);
}
const theOne = (): MirrorJob => {
  const [one, ...more] = following();
  if (one === undefined || more.length > 0) throw new Error(`Expected one run to follow, got ${more.length}`);
  return one;
};

describe('a repeat at set times', () => {
  test('runs on weekdays, each time as a job of its own that keeps its result', async () => {
    expect(await repeated(WEEKDAYS)).toMatchObject({ state: 'ready', startAtMs: NOON + 19 * HOUR });
    await at(NOON + 18 * HOUR);
    expect(all()).toHaveLength(1);
    await at(NOON + 19 * HOUR);
    expect(all()).toMatchObject([
      // Friday is followed by Monday.
      { state: 'ready', startAtMs: NOON + 19 * HOUR + 3 * DAY, result: null },
      { state: 'done', startAtMs: null, result: { rows: 1 } },
    ]);
    await at(NOON + 19 * HOUR + 3 * DAY);
    expect(all().map(({ state }) => state)).toEqual(['ready', 'done', 'done']);
  });

  test('makes up for many missed times by one run', async () => {
    await repeated(WEEKDAYS);
    await at(NOON + 30 * DAY);
    const [next, run, ...more] = all();
    expect(more).toEqual([]);
    expect(run).toMatchObject({ state: 'done', lateStart: { plannedAtMs: NOON + 19 * HOUR } });
    expect(next?.startAtMs).toBeGreaterThan(nowMs);
  });

  test('continues after a failed run, and pauses with the reason after three in a row', async () => {
    await repeated(WEEKDAYS);
    writeFileSync(target, 'in the way');
    for (let run = 0; run < 3; run += 1) await at(theOne().startAtMs ?? 0);
    expect(all().filter(({ state, error }) => state === 'paused' && error !== null)).toHaveLength(3);
    const paused = theOne();
    expect(paused).toMatchObject({ state: 'ready', startAtMs: null, repeat: { isPaused: true } });
    expect(paused.reason).toContain('3 runs in a row failed');
    await at(NOON + 60 * DAY);
    expect(all()).toHaveLength(4);

    rmSync(target);
    rig.mirrors.repeat(paused.mirrorId, { type: 'resume' });
    await at(theOne().startAtMs ?? 0);
    expect(rig.mirrors.get(paused.mirrorId)).toMatchObject({ state: 'done', error: null });
    expect(theOne()).toMatchObject({ repeat: { failures: 0, isPaused: false } });
    // If a failed run were resumed, it would write older data over present data.
    expect(all().map(({ state }) => state)).toEqual(['ready', 'done']);
    expect(rig.replaced).toHaveLength(3);
  });

  test('keeps the last 30 ended runs', async () => {
    await repeated(WEEKDAYS);
    await at(NOON + 19 * HOUR);
    const [, ended] = all();
    const stored = rig.rows.jobs.load(ended?.mirrorId ?? '');
    const earlier = Array.from({ length: 40 }, (_, ago) => ({
      ...{ ...stored, id: `earlier ${ago}` },
      createdAtMs: NOON - ago * DAY,
    }));
    for (const run of earlier) rig.rows.jobs.create(run);
    rig.heard.length = 0;
    await at(theOne().startAtMs ?? 0);
    const left = all();
    expect(left.map(({ state }) => state)).toEqual(['ready', ...Array<string>(30).fill('done')]);
    expect(rig.replaced.toSorted()).toEqual(
      earlier
        .slice(28)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test('refuses a first start for a job that is running, and removing one that repeats', async () => {
    const { mirrorId, startAtMs } = await repeated(WEEKDAYS);
    const refused: string[] = [];
    rig.onTable = () => {
      const set = { type: 'set', rule: { ...WEEKDAYS, hour: 9 }, startAtMs: nowMs + DAY } as const;
      try {
        rig.mirrors.repeat(mirrorId, set);
      } catch (problem) {
        refused.push(String(problem));
      }
      rig.mirrors.repeat(mirrorId, { ...set, startAtMs: null });
    };
    await at(startAtMs ?? 0);
    expect(refused.join()).toContain('Expected no first start for a job that is running');
    expect(theOne()).toMatchObject({ repeat: { rule: { hour: 9 } } });
    // The id of an earlier run refers to the last run.
    const paused = rig.mirrors.repeat(mirrorId, { type: 'pause' });
    expect(paused).toMatchObject({ mirrorId: theOne().mirrorId, repeat: { isPaused: true } });
    expect(() => rig.mirrors.forget(paused.mirrorId)).toThrow(/End the repeat first/);
    expect(theOne().mirrorId).toBe(paused.mirrorId);
    const sync = { type: 'set', rule: AFTER_SYNC, startAtMs: nowMs + DAY } as const;
    expect(() => rig.mirrors.repeat(mirrorId, sync)).toThrow(/Expected no first start/);
  });

  test('pauses, resumes, changes and ends without a run in between', async () => {
    const { mirrorId } = await repeated(WEEKDAYS);
    expect(rig.mirrors.repeat(mirrorId, { type: 'pause' })).toMatchObject({
      ...{ startAtMs: null, reason: 'The repeat is paused.' },
    });
    await at(NOON + 10 * DAY);
    expect(all()).toMatchObject([{ state: 'ready', startAtMs: null }]);
    expect(rig.mirrors.repeat(mirrorId, { type: 'resume' }).startAtMs).toBeGreaterThan(nowMs);
    const rule = { ...WEEKDAYS, hour: 9 };
    const startAtMs = nowMs + HOUR;
    expect(rig.mirrors.repeat(mirrorId, { type: 'set', rule, startAtMs })).toMatchObject({
      ...{ mirrorId, startAtMs, repeat: { rule } },
    });
    // Cancelling the start ends the repeat, so that nothing remains that never starts.
    expect(rig.mirrors.control(mirrorId, 'unschedule')).toMatchObject({ state: 'cancelled', repeat: null });
    await at(NOON + 40 * DAY);
    expect(all()).toHaveLength(1);
    expect(() => rig.mirrors.repeat(mirrorId, { type: 'pause' })).toThrow(/no repeat or was followed/);
  });

  test('a paused repeat stays paused after a run that the user starts', async () => {
    const { mirrorId } = await repeated(WEEKDAYS);
    rig.mirrors.repeat(mirrorId, { type: 'pause' });
    rig.mirrors.control(mirrorId, 'start');
    await rig.mirrors.whenIdle(mirrorId);
    expect(theOne()).toMatchObject({ startAtMs: null, repeat: { isPaused: true } });
  });

  test('repeats an ended job with a new job, and keeps the result of the ended one', async () => {
    const once = await rig.write(target);
    const next = rig.mirrors.repeat(once.mirrorId, { type: 'set', rule: WEEKDAYS, startAtMs: null });
    expect(next).toMatchObject({ folder: once.folder, state: 'ready', startAtMs: NOON + 19 * HOUR });
    expect(rig.mirrors.get(once.mirrorId)).toMatchObject({ state: 'done', result: { rows: 1 } });
    // Refreshing by hand does not end the repeat.
    nowMs += 1;
    await rig.write(target);
    expect(theOne().mirrorId).toBe(next.mirrorId);
  });

  test('refuses a second repeat of a folder, and a first start in the past', async () => {
    await repeated(WEEKDAYS);
    await expect(repeated(AFTER_SYNC)).rejects.toThrow(/written every weekday at 07:00/);
    const { mirrorId } = theOne();
    const past = { type: 'set', rule: WEEKDAYS, startAtMs: NOON - 1 } as const;
    expect(() => rig.mirrors.repeat(mirrorId, past)).toThrow(/in the future/);
    expect(theOne()).toMatchObject({ startAtMs: NOON + 19 * HOUR });
  });
});

describe('after a clock that was ahead was set back', () => {
  const WEEK = 7 * DAY;

  test('the next run starts at the next time of the rule, once', async () => {
    nowMs = NOON + 4 * WEEK;
    const { startAtMs } = await repeated(WEEKDAYS);
    await at(startAtMs ?? 0);
    expect(theOne().startAtMs).toBeGreaterThan(NOON + 4 * WEEK);
    await at(NOON);
    expect(theOne()).toMatchObject({ state: 'ready', startAtMs: NOON + 19 * HOUR });
    await at(NOON + 19 * HOUR);
    expect(all().filter(({ state }) => state === 'done')).toHaveLength(2);
    expect(theOne()).toMatchObject({ lateStart: null, startAtMs: NOON + 19 * HOUR + 3 * DAY });
  });

  test('a first start that the user chose stays', async () => {
    nowMs = NOON + WEEK;
    const startAtMs = NOON + 2 * WEEK;
    await rig.mirrors.create({ tables: null }, { folder: target, startAtMs, rule: WEEKDAYS });
    await at(NOON);
    expect(theOne()).toMatchObject({ startAtMs });
  });

  test('a small correction of the clock does not repeat the last run', async () => {
    const { startAtMs } = await repeated(WEEKDAYS);
    await at(startAtMs ?? 0);
    const next = theOne().startAtMs;
    await at((startAtMs ?? 0) - 30_000);
    expect(theOne().startAtMs).toBe(next);
  });
});

test('never overlaps with an earlier run, which the user may resume', async () => {
  const first = await repeated(WEEKDAYS);
  writeFileSync(target, 'in the way');
  await at(first.startAtMs ?? 0);
  rmSync(target);
  const next = theOne();
  let isNextStarted = false;
  rig.onTable = () => {
    nowMs = next.startAtMs ?? 0;
    rig.mirrors.wake();
    isNextStarted = rig.mirrors.get(next.mirrorId).state !== 'ready';
    expect(() => rig.mirrors.control(next.mirrorId, 'start')).toThrow(/Another job is writing to/);
    rig.onTable = () => undefined;
  };
  rig.mirrors.control(first.mirrorId, 'resume');
  await rig.mirrors.whenIdle(first.mirrorId);
  expect(isNextStarted).toBe(false);
  await at(nowMs);
  expect(rig.mirrors.get(first.mirrorId)).toMatchObject({ state: 'done' });
  expect(rig.mirrors.get(next.mirrorId)).toMatchObject({ state: 'done' });
  expect(following()).toHaveLength(1);
});

test('runs once after readings for offline use, also if they ended while it was closed', async () => {
  rig.lastSyncMs = NOON - HOUR;
  await repeated(AFTER_SYNC);
  const sync = async (ms: number) => {
    nowMs = ms;
    rig.lastSyncMs = ms;
    rig.mirrors.startDueAfterSync();
    await at(ms + 1);
  };
  // An earlier read does not count.
  rig.mirrors.startDueAfterSync();
  await at(NOON + 1);
  expect(all().map(({ state }) => state)).toEqual(['ready']);
  await sync(NOON + HOUR);
  expect(all().map(({ state }) => state)).toEqual(['ready', 'done']);
  rig.mirrors.startDueAfterSync();
  await at(NOON + 2 * HOUR);
  expect(all()).toHaveLength(2);

  await rig[Symbol.asyncDispose]();
  rig = open();
  rig.lastSyncMs = NOON + 3 * HOUR;
  nowMs = NOON + 4 * HOUR;
  rig.mirrors.recover(true);
  await at(nowMs + 1);
  expect(all().map(({ state }) => state)).toEqual(['ready', 'done', 'done']);
});

test('runs again for a reading that ended during a run', async () => {
  await repeated(AFTER_SYNC);
  const read = (ms: number) => {
    nowMs = ms;
    rig.lastSyncMs = ms;
    rig.mirrors.startDueAfterSync();
  };
  rig.onTable = () => {
    rig.onTable = () => undefined;
    read(NOON + 2 * HOUR);
  };
  read(NOON + HOUR);
  await at(nowMs + 1);
  await at(nowMs + 1);
  expect(all().map(({ state }) => state)).toEqual(['ready', 'done', 'done']);
});

test('starts the others after a reading if one cannot start', async () => {
  await repeated(AFTER_SYNC);
  nowMs += 1;
  const other = { folder: folder.file('other'), startAtMs: null, rule: AFTER_SYNC };
  const { mirrorId } = await rig.mirrors.create({ tables: null }, other);
  const held = { owner: 'another process', processId: process.ppid, atMs: nowMs };
  rig.rows.jobs.leases.take(mirrorId, held, () => false);
  rig.lastSyncMs = NOON + HOUR;
  rig.mirrors.startDueAfterSync();
  await at(NOON + HOUR + 1);
  expect(all().map(({ state }) => state)).toEqual(['ready', 'ready', 'done']);
});

test.each(['window', 'command line'])(
  'a run that was killed continues in a window, if a %s opens first, and its success counts',
  async (first) => {
    const { mirrorId: failed } = await repeated(WEEKDAYS);
    nowMs = systemClock.nowMs();
    writeFileSync(target, 'in the way');
    rig.mirrors.control(failed, 'start');
    await rig.mirrors.whenIdle(failed);
    rmSync(target);
    const { mirrorId, repeat } = theOne();
    expect(repeat?.failures).toBe(1);
    await rig[Symbol.asyncDispose]();
    await lives.live({ folder: folder.path, mirror: mirrorId, kill: 'before' }, null);
    if (first === 'command line') {
      rig = open();
      rig.mirrors.recover(false);
      await rig[Symbol.asyncDispose]();
    }
    rig = open();
    rig.mirrors.recover(true);
    await at(nowMs + 1);
    expect(rig.mirrors.get(mirrorId)).toMatchObject({ state: 'done', result: { rows: 1 } });
    expect(theOne()).toMatchObject({ state: 'ready', repeat: { failures: 0 } });
    expect(all()).toHaveLength(2);
  },
);

test.each(['before', 'inside', 'after'])(
  'killed when a run ends, %s the next one is stored, exactly one follows',
  async (kill) => {
    nowMs = systemClock.nowMs();
    const { mirrorId } = await repeated(WEEKDAYS);
    await rig[Symbol.asyncDispose]();
    const last = await lives.live({ folder: folder.path, mirror: mirrorId, kill }, null);
    expect(last).not.toContain('ended');
    rig = open();
    rig.mirrors.recover(true);
    await rig.mirrors.whenIdle(mirrorId);
    expect(rig.mirrors.get(mirrorId)).toMatchObject({ state: 'done', result: { rows: 1 } });
    expect(theOne()).toMatchObject({ state: 'ready', repeat: { failures: 0 } });
    expect(theOne().startAtMs).toBeGreaterThan(nowMs);
    expect(all()).toHaveLength(2);
  },
);
