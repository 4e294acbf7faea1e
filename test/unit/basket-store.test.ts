/** Stored baskets: those of earlier versions are readable, and counts are correct after a repair. */
import { expect, test } from 'vitest';
import { newBuild } from '../../electron/datasets/new-build.ts';
import { type DatasetStore, openDatasetStore } from '../../electron/db/build-store.ts';
import { DATASET_MIGRATIONS } from '../../electron/db/migrations/datasets/index.ts';
import { openStore } from '../../electron/db/open.ts';
import { rescueRows } from '../../electron/db/rescue.ts';
import { settleRescued } from '../../electron/db/rescued-rules.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const open = (file: string): DatasetStore =>
  openDatasetStore({ file, clock: systemClock, logger: silentLogger });
const openRaw = (file: string) =>
  openStore({
    file,
    migrations: DATASET_MIGRATIONS,
    synchronous: 'FULL',
    clock: systemClock,
    logger: silentLogger,
  });
const BUILD = newBuild({
  ...{ id: 'b', name: 'Answers', applicationName: 'Support assistant', createdAtMs: 1 },
  applicationId: '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c12',
});
const SELECTION = {
  application_id: BUILD.applicationId,
  start_time: '2026-01-01T00:00:00Z',
  end_time: '2026-02-01T00:00:00Z',
};
const ENDED = { fetched: 5, added: 4, total: 9, hasMovedWhileRead: false, error: null };

test('reads a basket from before there were other sources as filled from the service', () => {
  using folder = new DataFolder();
  const file = folder.file('datasets.db');
  const store = open(file);
  store.builds.create(BUILD);
  store.close();
  const raw = openRaw(file);
  const fill = { phase: 'stopped', selection: SELECTION, isCut: false, ...ENDED };
  raw
    .prepare("UPDATE job SET facts_json = json_set(facts_json, '$.fill', json(?))")
    .run(JSON.stringify(fill));
  raw.close();
  const later = open(file);
  expect(later.builds.load('b').fill).toEqual({
    phase: 'stopped',
    source: { kind: 'service', selection: SELECTION },
    ...ENDED,
  });
  later.close();
});

test('reads near-duplicates stored under their former name', () => {
  using folder = new DataFolder();
  const file = folder.file('datasets.db');
  const store = open(file);
  store.builds.create(BUILD);
  store.close();
  const raw = openRaw(file);
  const nearDuplicates = { threshold: 0.9, found: 3, skipped: [1, 2], kept: [7] };
  raw
    .prepare(
      "UPDATE job SET facts_json = json_remove(json_set(facts_json, '$.twins', json(?)), '$.nearDuplicates')",
    )
    .run(JSON.stringify(nearDuplicates));
  raw.close();
  const later = open(file);
  expect(later.builds.load('b').nearDuplicates).toEqual(nearDuplicates);
  later.close();
});

test('reads a missing count whose reason is stored under its former name', () => {
  using folder = new DataFolder();
  const file = folder.file('datasets.db');
  const store = open(file);
  store.builds.create(BUILD);
  store.close();
  const raw = openRaw(file);
  raw
    .prepare("UPDATE job SET facts_json = json_set(facts_json, '$.baseline', json(?))")
    .run(JSON.stringify({ items: null, why: 'Offline.', atMs: 1 }));
  raw.close();
  const later = open(file);
  expect(later.builds.load('b').baseline).toEqual({ items: null, reason: 'Offline.', atMs: 1 });
  later.close();
});

test('a repaired store counts each span once', () => {
  using folder = new DataFolder();
  const store = open(folder.file('before.db'));
  store.commit(() =>
    store.spans.add(
      'b',
      0,
      Array.from({ length: 3_000 }, (_, position) => ({
        ...{ trace_id: 't', span_id: `s${position}`, startMs: position, startTime: null },
        ...{ name: null, spanType: null, keys: [`key ${position % 3}`], record: '{}' },
        state: position % 7 === 0 ? ('excluded' as const) : ('unsent' as const),
      })),
    ),
  );
  const tallies = store.spans.tallies('b');
  store.close();
  expect(tallies).toMatchObject({ excluded: 429, unsent: 2_571 });
  const [from, to] = [openRaw(folder.file('before.db')), openRaw(folder.file('after.db'))];
  settleRescued(to, 'datasets', { tables: rescueRows(from, to), isLogLost: false }, 1);
  from.close();
  to.close();
  const repaired = open(folder.file('after.db'));
  expect(repaired.spans.tallies('b')).toEqual(tallies);
  expect(repaired.spans.page('b', { states: ['excluded'], shapeIds: null }, 428, 5)).toHaveLength(1);
  repaired.close();
});
