/** Stored columns of score runs are kept between requests and starts, while the run and its dataset change. */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ComparisonThread } from '../../electron/datasets/comparison-thread.ts';
import { createComparisons } from '../../electron/datasets/run-comparisons.ts';
import { ScoreLedger } from '../../electron/datasets/score-ledger.ts';
import { StoredComparisons } from '../../electron/datasets/stored-comparison.ts';
import { openDatasetStore, type StoredScoreItem } from '../../electron/db/build-store.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { createColumnFiles, removeColumns } from '../../electron/db/run-column-files.ts';
import { openRunReads } from '../../electron/db/run-reads.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const cleanUp = cleanUpAfterEach();
const RUN = '00000000-0000-4000-8000-000000000001';
/** Enough items that the columns are kept in a file. */
const ITEMS = 5_000;
const FAILED = 100;
const QUERY = {
  ...{ runs: [{ kind: 'scores' as const, id: RUN }], baseline: 0, score: null, lowerIsBetter: false },
  ...{ filter: NO_FILTER, hasShape: false, offset: 0, limit: 10 },
};

function open() {
  const folder = new DataFolder();
  const given = { clock: systemClock, logger: silentLogger };
  const [file, libraryFile] = [folder.file('datasets.db'), folder.file('library.db')];
  openLibraryStore({ ...given, file: libraryFile }).close();
  const store = openDatasetStore({ ...given, file });
  cleanUp(() => {
    store.close();
    folder[Symbol.dispose]();
  });
  store.scoreRuns.create({
    ...{ id: RUN, reason: '', error: null, readOffset: 0, lateStart: null, endedAtMs: null },
    plan: {
      ...{ datasetId: 'd', datasetName: 'Refunds', evaluator: 'quality', parameters: {} },
      inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } }],
    },
    ...{ state: 'reading', wantsAll: true, expectedItems: ITEMS, startAtMs: null, createdAtMs: 1 },
  });
  const ledger = new ScoreLedger(
    { ...given, store, connectionId: 'c', onRunChanged: () => undefined },
    store.scoreRuns.load(RUN),
  );
  ledger.addItems(
    Array.from({ length: ITEMS }, (_, at) => itemOf(at, 'unscored')),
    ITEMS,
  );
  ledger.apply([{ type: 'read' }]);
  const finish = (from: number) => {
    ledger.saveItems(
      Array.from({ length: ITEMS - from }, (_, at) =>
        itemOf(from + at, from + at < ITEMS - FAILED ? 'scored' : 'failed'),
      ),
    );
    ledger.apply([{ type: 'settle' }]);
  };
  /**
   * The comparisons of one start of the thread. `meanwhile` is called after the main thread has looked at the run,
   * before the thread does.
   */
  const start = (meanwhile: () => void = () => undefined) => {
    const stored = new StoredComparisons(
      () => openRunReads(libraryFile, file, 1),
      createColumnFiles(folder.file('analysis'), () => 5_000),
    );
    return createComparisons({
      scoreRun: () => ledger.view(),
      experiment: () => Promise.resolve({ record: null, results: null }),
      ask: (request) => {
        meanwhile();
        return Promise.resolve(stored.answer(request));
      },
    });
  };
  const columnsFolder = folder.file('analysis');
  const hasFiles = () => existsSync(columnsFolder) && readdirSync(columnsFolder).length > 0;
  return {
    store,
    ledger,
    finish,
    start,
    hasFiles,
    files: { libraryFile, datasetsFile: file, columnsFolder },
  };
}

const itemOf = (position: number, state: StoredScoreItem['state']): StoredScoreItem => ({
  ...{ position, itemId: `item-${position}`, inputs: { text: 'Five days.' }, state, error: null, atMs: 1 },
  scores: state === 'scored' ? [{ name: 'quality', value: 0.5, label: null, reasoning: null }] : [],
});

async function resultsOf(comparisons: ReturnType<typeof createComparisons>) {
  return (await comparisons.compare(QUERY)).runs[0]?.results;
}

test('a run whose failed items are retried during its comparison is right at later starts', async () => {
  const { ledger, finish, start } = open();
  finish(0);
  const first = start(() => {
    if (ledger.unscored === 0) ledger.retryFailed();
  });
  expect(await resultsOf(first)).toMatchObject({ failed: 0, unscored: FAILED });
  ledger.apply([{ type: 'resume' }]);
  finish(ITEMS - FAILED);
  expect(await resultsOf(start())).toMatchObject({ failed: FAILED, unscored: 0 });
});

test('columns of a finished run are kept in a file, those of an unfinished one are not', async () => {
  const { finish, start, hasFiles } = open();
  await start().compare(QUERY);
  expect(hasFiles()).toBe(false);
  finish(0);
  await start().compare(QUERY);
  expect(hasFiles()).toBe(true);
});

test('items added to the dataset from traces are grouped by them at the next request', async () => {
  const { store, finish, start } = open();
  finish(0);
  const comparisons = start();
  const traces = async () => (await comparisons.items(QUERY)).map(({ traceId }) => traceId);
  expect(new Set(await traces())).toEqual(new Set([null]));
  const [{ itemId = '' } = {}] = await comparisons.items(QUERY);
  store.commit(() =>
    store.spans.saveReceipts('d', 'b', [{ trace_id: 'trace-1', span_id: 'span-1', itemId }], 1),
  );
  expect(await traces()).toContain('trace-1');
});

test('the columns of a removed run are deleted, also those that a pending comparison still keeps', async () => {
  const { finish, start, hasFiles, files } = open();
  finish(0);
  await start().compare(QUERY);
  const thread = new ComparisonThread(files, removeColumns);
  cleanUp(() => thread.close());
  const ref = { kind: 'scores' as const, id: RUN };
  const source = { ref, version: '', isComplete: false, generationId: 0, evaluator: 'quality', inputs: [] };
  const ask = () => thread.ask({ sources: [source], datasetId: 'd', ask: { form: 'prepare' } });
  const pending = ask();
  const forgetting = thread.forget(ref);
  expect(hasFiles()).toBe(false);
  await Promise.all([pending, forgetting]);
  expect(hasFiles()).toBe(false);
});
