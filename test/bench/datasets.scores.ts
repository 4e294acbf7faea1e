/**
 * Two score runs of 100,000 items compared, and two experiments with as many results: the time until the first rows are
 * known, a filter of the rows, and the statistics alone. Processor time, because it does not depend on other work of
 * the computer; the elapsed time is in the note.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { bootstrapMean, signFlipTest } from '../../electron/core/statistics/means.ts';
import { type ComparisonFiles, ComparisonThread } from '../../electron/datasets/comparison-thread.ts';
import type { RunSource } from '../../electron/datasets/run-source.ts';
import { type DatasetStore, openDatasetStore, type StoredScoreRun } from '../../electron/db/build-store.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { removeColumns } from '../../electron/db/run-column-files.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { NO_FILTER, type RunFilter } from '../../electron/shared/run-comparison.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ITEMS = 100_000;
const PAGE = 1_000;
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

/**
 * Stores two experiments, each result with three scores and three numbers in its outputs. Returns their generations.
 */
function storeExperiments(libraryFile: string, next: () => number): number[] {
  const library = openLibraryStore({ file: libraryFile, clock: systemClock, logger: silentLogger });
  try {
    return ['e1', 'e2'].map((id) => {
      const query = { operation: 'experiments.results', path: { experiment_id: id }, query: {} };
      const generation = library.lists.begin(library.lists.open(id, JSON.stringify(query)).id, true);
      for (let offset = 0; offset < ITEMS; offset += PAGE) {
        const rows = Array.from({ length: PAGE }, (_, at) => {
          const identity = `${id}-${offset + at}`;
          const record = JSON.stringify(resultOf(identity, `item-${offset + at}`, next));
          return { identity, shownText: null, record, textId: null };
        });
        const page = { offset, rows, total: ITEMS, receivedAtMs: 1, requestId: 'bench' };
        library.lists.append(generation.id, page, offset + PAGE === ITEMS);
      }
      return generation.id;
    });
  } finally {
    library.close();
  }
}

function resultOf(id: string, itemId: string, next: () => number): Record<string, unknown> {
  const upTo = (most: number) => Math.round(next() * most);
  const scores = ['relevance', 'faithfulness', 'tone'].map((name) => ({
    ...{ evaluator_name: `Answer ${name}`, name, value: upTo(100) / 100, label: null, status: 'SUCCESS' },
    reasoning: 'The answer names a day and says why.',
  }));
  return {
    experiment_item: {
      ...{ id, dataset_item_id: itemId, status: 'SUCCESS', duration_ms: upTo(4_000), scores },
      outputs: {
        answer: QUESTION,
        usage: { input_tokens: upTo(900), output_tokens: upTo(300) },
        cost_usd: next() / 100,
      },
    },
    dataset_item: {
      ...{ id: itemId, inputs: { question: QUESTION }, expected_outputs: { answer: 'Five working days.' } },
    },
  };
}

interface Cost {
  cpuMs: number;
  ms: number;
}

async function timed(work: () => Promise<unknown>): Promise<Cost> {
  const [cpu, from] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, ms: performance.now() - from };
}

/** Measures each comparison in a new thread, after a request that starts the thread. */
async function timedRuns(files: ComparisonFiles, sources: readonly RunSource[]) {
  const costs: Record<'read' | 'first' | 'filter' | 'words' | 'atOnce', Cost> = {
    ...{ read: NOTHING, first: NOTHING, filter: NOTHING, words: NOTHING, atOnce: NOTHING },
  };
  const inThread = async (work: (thread: ComparisonThread) => Promise<void>) => {
    const thread = new ComparisonThread(files, removeColumns);
    try {
      await thread.ask({ sources: [], datasetId: 'd', ask: { form: 'prepare' } });
      await work(thread);
    } finally {
      await thread.close();
    }
  };
  const compare = (thread: ComparisonThread, filter: Partial<RunFilter>) =>
    thread.ask({
      ...{ sources, datasetId: 'd' },
      ask: {
        form: 'compare',
        query: {
          ...{ baseline: 0, score: null, lowerIsBetter: false, hasShape: false, offset: 0, limit: 100 },
          filter: { ...NO_FILTER, ...filter },
        },
      },
    });
  await inThread(async (thread) => {
    costs.read = await timed(() => thread.ask({ sources, datasetId: 'd', ask: { form: 'prepare' } }));
  });
  await inThread(async (thread) => {
    costs.first = await timed(() => compare(thread, {}));
    costs.filter = await timed(() => compare(thread, { change: 'worse', atLeast: 0.5 }));
    costs.atOnce = await timed(() => compare(thread, { words: COMMON }));
    await setTimeout(READ_AHEAD_MS);
    costs.words = await timed(() => compare(thread, { words: `${COMMON} b` }));
  });
  return costs;
}
const NOTHING: Cost = { cpuMs: 0, ms: 0 };
/** A text that occurs in every item. */
const COMMON = QUESTION.slice(0, 12);
/** Time in ms after the first rows during which texts are read for searches. */
const READ_AHEAD_MS = 5_000;

export async function run(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-scores-'));
  const files = {
    libraryFile: join(folder, 'library.db'),
    datasetsFile: join(folder, 'datasets.db'),
    columnsFolder: join(folder, 'analysis'),
  };
  const store = openDatasetStore({ file: files.datasetsFile, clock: systemClock, logger: silentLogger });
  try {
    const next = seededNumbers(34);
    for (const id of RUNS) storeRun(store, id, next);
    const own = { version: '1', isComplete: true, inputs: [] };
    const generations = storeExperiments(files.libraryFile, next);
    const scores = await timedRuns(
      files,
      RUNS.map((id) => ({ ref: { kind: 'scores', id }, ...own, generationId: 0, evaluator: 'quality' })),
    );
    const experiments = await timedRuns(
      files,
      generations.map((generationId) => ({
        ...{ ref: { kind: 'experiment', id: `e${generationId}` }, ...own, generationId, evaluator: '' },
      })),
    );
    const values = Array.from({ length: ITEMS }, () => next() - 0.5);
    const statistics = await timed(async () => {
      whole(bootstrapMean(values, next));
      whole(signFlipTest(values, next));
    });
    const row = (name: string, { cpuMs, ms }: Cost, limit: number | null, note = '') =>
      result(name, cpuMs, 'ms', limit, [`${Math.round(ms)} ms elapsed`, note].filter(Boolean).join('; '));
    return [
      ...(
        [
          ['score runs', scores],
          ['experiments', experiments],
        ] as const
      ).flatMap(([what, { read, first, filter, words, atOnce }]) => [
        row(`two ${what} of 100,000 items read`, read, null, 'once, in the background'),
        row(`two ${what}: first rows`, first, 300, 'with the thread already started'),
        row(`two ${what}: a filter`, filter, 100, 'worse by at least 0.5'),
        row(`two ${what}: words`, words, 100, 'once the texts are read, in the background'),
        row(`two ${what}: words at once`, atOnce, null, 'while they are read, in the store'),
      ]),
      row('interval and test of 100,000 pairs', statistics, 100),
    ];
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
