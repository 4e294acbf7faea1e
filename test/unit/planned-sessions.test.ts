import { readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../electron/core/ports.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { createMaintenance } from '../../electron/db/maintenance-thread.ts';
import { createPlannedStarts, earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { watchPlannedSessions } from '../../electron/engine/planned-sessions.ts';
import { mirrorShape } from '../../electron/mirror/stored-mirror.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

function plan(id: string, startAtMs: number, state = 'scheduled'): void {
  const store = openUploadStore({ file: folder.file(id), clock: systemClock, logger: silentLogger });
  store.deletions.create({
    id,
    modelId: 'm',
    body: {},
    what: '1 event',
    createdAtMs: 1,
    endedAtMs: null,
    startAtMs: state === 'scheduled' ? startAtMs : null,
    lateStart: null,
    serviceJobId: null,
    provenAtMs: null,
    state,
    reason: '',
    progress: null,
    error: null,
  });
  store.close();
}

/** Answers like the thread, and records which stores were read. */
function recorded() {
  const read: string[] = [];
  const starts = createPlannedStarts({
    plannedStart: async (_store, file, nowMs) => {
      read.push(file);
      return earliestPlannedStart(file, nowMs);
    },
  });
  return { read, starts };
}

test('a session opens when something in it is due, whichever connection is open', async () => {
  plan('due', 1_000);
  plan('later', 500_000);
  plan('cancelled', 1_000, 'cancelled');
  writeFileSync(
    folder.file('damaged'),
    'no database at all, but long enough to be looked at as one'.repeat(40),
  );
  let nowMs = 2_000;
  const armed: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    nowMs: () => nowMs,
    setTimer: (callback) => {
      armed.push(callback);
      return () => {
        armed.splice(armed.indexOf(callback), 1);
      };
    },
  };
  const opened: string[] = [];
  const maintenance = createMaintenance();
  const end = watchPlannedSessions({
    clock,
    logger: silentLogger,
    starts: createPlannedStarts(maintenance),
    closedIds: () =>
      ['due', 'later', 'cancelled', 'damaged', 'never used'].filter((id) => !opened.includes(id)),
    files: (id) => ({
      uploads: folder.file(id),
      datasets: folder.file(`${id}-datasets`),
      library: folder.file(`${id}-library`),
    }),
    open: (id) => {
      opened.push(id);
      return id === 'due' ? Promise.reject(new Error('locked')) : Promise.resolve();
    },
  });
  const look = async () => {
    armed.pop()?.();
    await vi.waitFor(() => expect(armed).toHaveLength(1), { timeout: 30_000 });
  };
  expect(opened).toEqual([]);
  await look();
  expect(opened).toEqual(['due']);
  nowMs = 500_000;
  await look();
  expect(opened).toEqual(['due', 'later']);
  // Maintenance ends during a check, which then opens nothing and plans no further check.
  opened.length = 0;
  armed.pop()?.();
  end();
  await maintenance.stop();
  expect([opened, armed]).toEqual([[], []]);
});

test('is looked for again after the connections could not be read', async () => {
  const armed: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    setTimer: (callback) => {
      armed.push(callback);
      return () => undefined;
    },
  };
  const end = watchPlannedSessions({
    clock,
    logger: silentLogger,
    starts: recorded().starts,
    closedIds: () => {
      throw new Error('The store is busy.');
    },
    files: () => ({ uploads: '', datasets: '', library: '' }),
    open: () => Promise.resolve(),
  });
  armed.pop()?.();
  await vi.waitFor(() => expect(armed).toHaveLength(1));
  end();
});

test('the earliest start is read from a store, and is null without a store', () => {
  plan('store', 7_000);
  expect(earliestPlannedStart(folder.file('store'), Date.now())).toBe(7_000);
  expect(earliestPlannedStart(folder.file('none'), Date.now())).toBeNull();
  expect(earliestPlannedStart(folder.file('none'), Date.now())).toBeNull();
});

test('a planned export counts, but not data for offline use, which waits until its connection is opened', () => {
  const file = folder.file('library');
  const store = openLibraryStore({ file, clock: systemClock, logger: silentLogger });
  const head = { reason: '', error: null, lateStart: null, createdAtMs: 1, endedAtMs: null };
  const kept = { kind: 'dataset' as const, id: 'd', name: 'Claims', range: null, withValues: false };
  store.kept.jobs.create({
    ...{ ...head, id: 'kept', plan: { ...kept, entities: null, body: null }, refreshHours: 1, state: 'done' },
    ...{ startAtMs: 3_000, notBeforeMs: 0 },
  });
  expect(earliestPlannedStart(file, Date.now())).toBeNull();
  store.jobsOf(mirrorShape).jobs.create({
    ...{ ...head, id: 'mirror', plan: { tables: null }, folder: '/tmp/notebooks', state: 'ready' },
    ...{ result: null, startAtMs: 7_000 },
  });
  expect(earliestPlannedStart(file, Date.now())).toBe(7_000);
  store.close();
});

test('a store is read again only after it or its log has changed', async () => {
  plan('store', 7_000);
  const file = folder.file('store');
  const { read, starts } = recorded();
  const earliest = () => starts.earliest('uploads', file, Date.now());
  // A file that changed within the last seconds is read again, as a later change could have the same time.
  expect([await earliest(), await earliest(), read.length]).toEqual([7_000, 7_000, 2]);
  utimesSync(file, 1, 1);
  expect([await earliest(), await earliest(), read.length]).toEqual([7_000, 7_000, 3]);
  plan('other', 5_000);
  renameSync(folder.file('other'), file);
  utimesSync(file, 1, 1);
  expect([await earliest(), await earliest(), read.length]).toEqual([5_000, 5_000, 4]);
  const log = readFileSync(`${file}-wal`, 'latin1');
  writeFileSync(`${file}-wal`, `${log} `);
  utimesSync(`${file}-wal`, 2, 2);
  expect([await earliest(), await earliest(), read.length]).toEqual([5_000, 5_000, 5]);
});

test('a store that cannot be read is reported once', async () => {
  const file = folder.file('store');
  writeFileSync(file, 'no database at all, but long enough to be looked at as one'.repeat(40));
  utimesSync(file, 1, 1);
  const { read, starts } = recorded();
  await expect(starts.earliest('uploads', file, Date.now())).rejects.toThrow('not a database');
  expect(await starts.earliest('uploads', file, Date.now())).toBeNull();
  expect(read).toHaveLength(1);
});

test('a repeat that was planned while the clock was ahead counts at the time of its rule', async () => {
  const file = folder.file('library');
  const store = openLibraryStore({ file, clock: systemClock, logger: silentLogger });
  const [nowMs, aheadMs] = [Date.UTC(2026, 9, 1, 12), Date.UTC(2026, 10, 1, 12)];
  const rule = { on: 'time' as const, days: [0, 1, 2, 3, 4, 5, 6], hour: 13, minute: 0, zone: 'UTC' };
  const repeat = { rule, sinceMs: 1, failures: 0, isPaused: false, nextId: null };
  store.jobsOf(mirrorShape).jobs.create({
    ...{ id: 'mirror', plan: { tables: null }, folder: '/tmp/notebooks', state: 'ready', reason: '' },
    ...{ error: null, lateStart: null, createdAtMs: aheadMs, endedAtMs: null, result: null, repeat },
    startAtMs: aheadMs + 3_600_000,
  });
  store.close();
  utimesSync(file, 1, 1);
  const { starts } = recorded();
  expect(await starts.earliest('library', file, aheadMs)).toBe(aheadMs + 3_600_000);
  // The store has not changed since, but the clock has.
  expect(await starts.earliest('library', file, nowMs)).toBe(nowMs + 3_600_000);
});
