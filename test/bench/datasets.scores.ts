/**
 * Two score runs of 100,000 items compared: until the first rows are known, a filter of them, the longest turn of main
 * meanwhile, and the statistics alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { bootstrapMean, signFlipTest } from '../../electron/core/statistics/means.ts';
import { ComparisonThread } from '../../electron/datasets/comparison-thread.ts';
import { ScoreComparisons } from '../../electron/datasets/score-comparison.ts';
import { type DatasetStore, openDatasetStore, type StoredScoreRun } from '../../electron/db/build-store.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { NO_FILTER, type RunFilter } from '../../electron/shared/run-comparison.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ITEMS = 100_000;
const RUNS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const QUESTION = 'How long does the bank take to send the money back for this order? '.repeat(4);

function storeRun(store: DatasetStore, id: string, next: () => number): void {
  const plan: StoredScoreRun['plan'] = {
    ...{ datasetId: 'd', datasetName: 'Refunds', evaluator: 'quality', parameters: {} },
    inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } }],
  };
  store.commit(() =>
    store.scoreRuns.create({
      ...{
        id,
        plan,
        reason: '',
        error: null,
        readOffset: null,
        lateStart: null,
        endedAtMs: 1,
        state: 'done',
      },
      ...{ wantsAll: true, expectedItems: ITEMS, startAtMs: null, createdAtMs: 1 },
    }),
  );
  for (let from = 0; from < ITEMS; from += 5_000) {
    store.commit(() => {
      const items = Array.from({ length: 5_000 }, (_, at) => {
        const score = { name: 'quality', value: next(), label: null, reasoning: 'The answer names a day.' };
        const place = { position: from + at, itemId: `item-${from + at}`, inputs: { text: QUESTION } };
        return { ...place, state: 'scored' as const, scores: [score], error: null, atMs: 1 };
      });
      store.scores.addItems(id, items);
      for (const item of items) store.scores.saveItem(id, item);
    });
  }
}

/** Milliseconds of the work, and the longest turn meanwhile. */
async function timed(work: () => Promise<unknown>): Promise<{ ms: number; turnMs: number }> {
  let [turnMs, last, isOver] = [0, performance.now(), false];
  const tick = () => {
    const now = performance.now();
    turnMs = Math.max(turnMs, now - last);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const from = performance.now();
  await work();
  const ms = performance.now() - from;
  isOver = true;
  return { ms, turnMs };
}

function emptyLibrary(folder: string): string {
  const libraryFile = join(folder, 'library.db');
  openLibraryStore({ file: libraryFile, clock: systemClock, logger: silentLogger }).close();
  return libraryFile;
}

/** The comparison of runs in its thread, after a first request of other runs that starts the thread. */
async function timedSide(thread: ComparisonThread): Promise<{ firstMs: number; filterMs: number }> {
  const ask = (ids: readonly string[], filter: Partial<RunFilter>) =>
    thread.ask({
      sources: ids.map((id) => ({
        ref: { kind: 'scores', id },
        ...{ version: '1', generationId: 0, evaluator: 'quality', inputs: [] },
      })),
      datasetId: 'd',
      ask: {
        form: 'compare',
        query: {
          ...{ baseline: 0, score: null, lowerIsBetter: false, offset: 0, limit: 100 },
          filter: { ...NO_FILTER, ...filter },
        },
      },
    });
  try {
    await ask(['another'], {});
    const first = await timed(() => ask(RUNS, {}));
    const filter = await timed(() => ask(RUNS, { change: 'worse', atLeast: 0.5 }));
    return { firstMs: first.ms, filterMs: filter.ms };
  } finally {
    await thread.close();
  }
}

export async function run(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-scores-'));
  const datasetsFile = join(folder, 'datasets.db');
  const store = openDatasetStore({ ...{ file: datasetsFile, clock: systemClock, logger: silentLogger } });
  try {
    const next = seededNumbers(34);
    for (const id of RUNS) storeRun(store, id, next);
    const counts = { items: ITEMS, scored: ITEMS, failed: 0, skipped: 0, unscored: 0 };
    const runOf = () => ({ counts, scoreNames: ['quality'] });
    const comparisons = new ScoreComparisons({ store, clock: systemClock, runOf });
    const [before, after] = RUNS;
    const query = {
      before,
      after,
      name: null,
      lowerIsBetter: false,
      show: null,
      only: null,
      offset: 0,
      limit: 100,
    };
    const first = await timed(() => comparisons.compare(query));
    const filter = await timed(() => comparisons.compare({ ...query, show: 'worse' }));
    const thread = new ComparisonThread({ libraryFile: emptyLibrary(folder), datasetsFile });
    const side = await timedSide(thread);
    const values = Array.from({ length: ITEMS }, () => next() - 0.5);
    const from = performance.now();
    whole(bootstrapMean(values, next));
    whole(signFlipTest(values, next));
    const statisticsMs = performance.now() - from;
    return [
      result('two runs of 100,000 items compared: first rows', first.ms, 'ms', 300, 'read from the store'),
      result('longest turn meanwhile', first.turnMs, 'ms', 10, 'of the process that compares'),
      result('a filter of them', filter.ms, 'ms', 100, 'the worse ones'),
      result(
        'in the comparison of runs: first rows',
        side.firstMs,
        'ms',
        300,
        'with the thread already started',
      ),
      result('a filter in it', side.filterMs, 'ms', 100, 'worse by at least 0.5'),
      result('interval and test of 100,000 pairs', statisticsMs, 'ms', 100, ''),
    ];
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
