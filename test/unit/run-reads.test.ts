/** Reads the runs of a comparison. A score run in progress is read again once it has more scores. */
import { expect, test } from 'vitest';
import { openDatasetStore, type StoredScoreRun } from '../../electron/db/build-store.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { openRunReads } from '../../electron/db/run-reads.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const RUN = '00000000-0000-4000-8000-000000000001';
const ITEMS = 3;

test('the version of a score run changes with each saved score and with its end', () => {
  using folder = new DataFolder();
  const store = openDatasetStore({
    file: folder.file('datasets.db'),
    clock: new VirtualClock(),
    logger: silentLogger,
  });
  const plan: StoredScoreRun['plan'] = {
    ...{ datasetId: 'd', datasetName: 'Refunds', evaluator: 'quality', parameters: {} },
    inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } }],
  };
  const run: StoredScoreRun = {
    ...{ id: RUN, plan, reason: '', error: null, readOffset: null, lateStart: null, endedAtMs: null },
    ...{ state: 'running', wantsAll: true, expectedItems: ITEMS, startAtMs: null, createdAtMs: 1 },
  };
  const items = Array.from({ length: ITEMS }, (_, position) => ({
    ...{ position, itemId: `i${position}`, inputs: { text: 'x' }, state: 'scored' as const, error: null },
    ...{ scores: [{ name: 'quality', value: 1, label: null, reasoning: null }], atMs: 1 },
  }));
  store.commit(() => store.scoreRuns.create(run));
  store.commit(() =>
    store.scores.addItems(
      RUN,
      items.map((item) => ({ ...item, state: 'unscored' as const, scores: [] })),
    ),
  );
  const library = openLibraryStore({
    file: folder.file('library.db'),
    clock: new VirtualClock(),
    logger: silentLogger,
  });
  /** The state as a comparison reads it at this moment. */
  const stateNow = () => {
    const reads = openRunReads(folder.file('library.db'), folder.file('datasets.db'), 0);
    const state = reads.scoreRunState(RUN);
    reads.close();
    return state;
  };
  const versions = new Set([stateNow()?.version]);
  for (const item of items) {
    store.commit(() => store.scores.saveItem(RUN, item));
    versions.add(stateNow()?.version);
  }
  store.commit(() => store.scoreRuns.save({ ...run, state: 'done', endedAtMs: 2 }));
  expect(stateNow()?.isDone).toBe(true);
  versions.add(stateNow()?.version);
  expect(versions.size).toBe(1 + ITEMS + 1);
  library.close();
  store.close();
});
