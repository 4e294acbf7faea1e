/** Selects spans on a disk with slow writes: there is one wait per page, and no loss of durability. */
import { expect, test } from 'vitest';
import { createDatasetStore } from '../../electron/db/build-store.ts';
import { DATASET_MIGRATIONS } from '../../electron/db/migrations/datasets/index.ts';
import { openStore } from '../../electron/db/open.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { open } from '../helpers/dataset-builds.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Value at which SQLite waits for the disk at each commit. */
const FULL = 2;
const NORMAL = 1;

test('only data that can be read again is written with the next commit, whatever its outcome', () => {
  using folder = new DataFolder();
  const db = openStore({
    file: folder.file('datasets.db'),
    migrations: DATASET_MIGRATIONS,
    synchronous: 'FULL',
    clock: systemClock,
    logger: silentLogger,
  });
  const store = createDatasetStore(db);
  const mode = () => db.pragma('synchronous', { simple: true });
  expect(mode()).toBe(FULL);
  expect(store.unhurried(() => store.commit(mode))).toBe(NORMAL);
  expect(mode()).toBe(FULL);
  expect(() =>
    store.unhurried(() => {
      throw new Error('The disk is full.');
    }),
  ).toThrow('The disk is full.');
  expect(store.commit(mode)).toBe(FULL);
  store.close();
});

test('a page of selected spans waits for the disk once, with its last piece', async () => {
  const { rig } = await open({ options: { pageRows: 200 } });
  const { commit, unhurried } = rig.store;
  const commits: ('waits' | 'goes on')[] = [];
  let isUnhurried = false;
  rig.store.commit = (work) => {
    commits.push(isUnhurried ? 'goes on' : 'waits');
    return commit(work);
  };
  rig.store.unhurried = (work) => {
    isUnhurried = true;
    try {
      return unhurried(work);
    } finally {
      isUnhurried = false;
    }
  };
  const { builds } = rig.datasets;
  const selection = await rig.selection();
  const buildId = await rig.newBuild();
  commits.length = 0;
  builds.pickAll(buildId, { kind: 'service', selection });
  await builds.whenIdle(buildId);
  const { counts, fill } = builds.get(buildId);
  expect(fill?.phase).toBe('done');
  const pages = Math.ceil(counts.picked / 200);
  expect(pages).toBeGreaterThan(1);
  // Each page has several parts, and only its last one waits.
  expect(commits.filter((each) => each === 'goes on').length).toBeGreaterThan(pages);
  // One wait per page, and one each at the start and the end.
  expect(commits.filter((each) => each === 'waits').length).toBeLessThanOrEqual(pages + 4);
});
