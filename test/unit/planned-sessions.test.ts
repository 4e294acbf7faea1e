import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../electron/core/ports.ts';
import { earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { watchPlannedSessions } from '../../electron/engine/planned-sessions.ts';
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
    state,
    reason: '',
    progress: null,
    error: null,
  });
  store.close();
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
  let look: (() => void) | null = null;
  const clock: Clock = {
    ...systemClock,
    nowMs: () => nowMs,
    setTimer: (callback) => {
      look = callback;
      return () => {
        look = null;
      };
    },
  };
  const opened: string[] = [];
  const end = watchPlannedSessions({
    clock,
    logger: silentLogger,
    closedIds: () =>
      ['due', 'later', 'cancelled', 'damaged', 'never used'].filter((id) => !opened.includes(id)),
    files: (id) => ({ uploads: folder.file(id), datasets: folder.file(`${id}-datasets`) }),
    open: (id) => {
      opened.push(id);
      return id === 'due' ? Promise.reject(new Error('locked')) : Promise.resolve();
    },
  });
  expect(opened).toEqual([]);
  const run = () => (look as (() => void) | null)?.();
  run();
  await Promise.resolve();
  expect(opened).toEqual(['due']);
  nowMs = 500_000;
  run();
  expect(opened).toEqual(['due', 'later']);
  end();
  expect(look).toBeNull();
});

test('reading a store changes nothing and needs nothing', () => {
  plan('store', 7_000);
  expect(earliestPlannedStart(folder.file('store'), Date.now())).toBe(7_000);
  expect(earliestPlannedStart(folder.file('none'), Date.now())).toBeNull();
  expect(earliestPlannedStart(folder.file('none'), Date.now())).toBeNull();
});
