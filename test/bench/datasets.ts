/**
 * A build of 100,000 spans: selecting all of them, reading them, sending them in 500 calls, and finding
 * near-duplicates.
 */
import { statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { NearDuplicateIndex } from '../../electron/core/near-duplicates/near-duplicate-index.ts';
import { configureCollector } from '../../electron/platform/collector.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { RIG_TOKEN } from '../helpers/client-rig.ts';
import { DatasetRig, MAPPING } from '../helpers/dataset-rig.ts';
import { plantedTexts } from '../helpers/planted-texts.ts';
import { type TurnCost, turnsOf } from '../helpers/turn-cost.ts';

const SPANS = 100_000;
/** Maximum time in ms for which one message of a view may block the main thread. */
const BLOCK_MS = 50;
/** Maximum processor time in ms of a turn of the event loop. */
const TURN_MS = 10;

async function startServer(): Promise<{
  baseUrl: string;
  stop: () => Promise<number>;
}> {
  const worker = new Worker(new URL('../helpers/span-server.ts', import.meta.url), {
    workerData: { total: SPANS, attributeCharacters: 1_600 },
  });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    stop: () => worker.terminate(),
  };
}

interface Stretch {
  seconds: number;
  longestMs: number;
  p99Ms: number;
  cost: TurnCost;
}

async function measure(work: () => Promise<unknown>): Promise<Stretch> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startedAt = performance.now();
  delay.enable();
  const cost = await turnsOf(TURN_MS, work);
  delay.disable();
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    longestMs: ms(delay.max),
    p99Ms: ms(delay.percentile(99)),
    cost,
  };
}

const turnRow = (name: string, { cost }: Stretch): BenchResult =>
  result(
    `longest turn while ${name}`,
    cost.longestMs,
    'ms',
    TURN_MS,
    `on the processor; 99% ${cost.p99Ms.toFixed(1)} ms, ${cost.over} of ${cost.turns} turns longer`,
  );

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** For texts of 150 words. They are generated again on each access, which takes 2 s of the measured time. */
function findNearDuplicates(): BenchResult[] {
  const { textOf, sourceOf } = plantedTexts(7, 150);
  global.gc?.();
  const before = process.memoryUsage().rss;
  let [planted, found, right, mostMb] = [0, 0, 0, 0];
  const ms = timed(() => {
    const index = new NearDuplicateIndex({ capacity: SPANS, threshold: 0.85, textOf });
    for (let at = 0; at < SPANS; at += 1) {
      const isPlanted = sourceOf(at) !== null;
      if (isPlanted) planted += 1;
      if (index.add(textOf(at), 'leads') !== null) {
        found += 1;
        if (isPlanted) right += 1;
      }
      if (at % 1_000 === 0) mostMb = Math.max(mostMb, (process.memoryUsage().rss - before) / 1e6);
    }
  });
  const of = `less is better; ${SPANS.toLocaleString('en-US')} texts of 1 KB`;
  return [
    result('finding near-duplicates', ms / 1_000, 's', 30, of),
    result('memory grown by finding near-duplicates', mostMb, 'MB', 100, of),
    result(
      'planted near-duplicates not found',
      100 * (1 - right / planted),
      '%',
      2,
      `less is better; of ${planted}`,
    ),
    result(
      'found near-duplicates not planted',
      100 * (1 - right / Math.max(1, found)),
      '%',
      5,
      'less is better',
    ),
  ];
}

export async function run(): Promise<BenchResult[]> {
  const nearDuplicates = findNearDuplicates();
  configureCollector();
  const server = await startServer();
  const rig = new DatasetRig({
    baseUrl: server.baseUrl,
    token: RIG_TOKEN,
    options: { pageRows: 500 },
  });
  const { builds } = rig.datasets;
  const applicationId = crypto.randomUUID();
  const range = { start_time: '2025-01-01T00:00:00Z', end_time: '2027-01-01T00:00:00Z' };
  const selection = { application_id: applicationId, ...range };
  try {
    // Usually, the main process has sent a request before the user selects spans: the first request loads the code for
    // sending.
    await rig.client.list(
      'spans.query',
      { body: selection, paging: { limit: 1, offset: 0 } },
      { priority: 'view' },
    );
    global.gc?.();
    const before = process.memoryUsage().rss;
    const { buildId } = builds.create({
      applicationId,
      applicationName: 'Many',
      name: 'Many',
    });
    const picking = await measure(() => {
      builds.pickAll(buildId, { kind: 'service', selection });
      return builds.whenIdle(buildId);
    });
    const memoryMb = (process.memoryUsage().rss - before) / 1e6;
    const { counts } = builds.get(buildId);
    if (counts.picked !== SPANS) throw new Error(`Only ${counts.picked} spans were picked.`);
    await rig.target(buildId, 'Many', [...MAPPING]);
    const page = (show: 'all' | 'missing', offset: number) =>
      timed(() => builds.readRows(buildId, { mapping: null, show, offset, limit: 50 }));
    const looks = {
      first: page('all', 0),
      deep: page('all', SPANS - 50),
      missing: page('missing', 10_000),
      times: timed(() => rig.store.spans.range(buildId)),
      keys: timed(() => builds.listKeys(buildId, { search: '', offset: 0, limit: 200 })),
    };
    const sending = await measure(() => rig.commit(buildId));
    const done = builds.get(buildId);
    if (done.state !== 'done' || done.counts.acknowledged !== SPANS) throw new Error(`It is ${done.state}.`);
    const receipts = await measure(() => builds.writeFile(buildId, 'receipts', rig.path('receipts.csv')));
    const fileMb = statSync(rig.path('datasets.db')).size / 1e6;
    const on = `${SPANS.toLocaleString('en-US')} spans of 2 KB`;
    return [
      ...nearDuplicates,
      result(
        'picking all of a query',
        picking.seconds,
        's',
        60,
        `less is better; ${on}, the server in a thread of its own, no limit to wait for`,
      ),
      result(
        'longest block while picking',
        picking.longestMs,
        'ms',
        BLOCK_MS,
        `less is better; p99 ${picking.p99Ms.toFixed(1)} ms`,
      ),
      turnRow('picking', picking),
      result('memory grown by picking', memoryMb, 'MB', 300, 'less is better'),
      result('store on disk', fileMb, 'MB', null, on),
      result('first page of the preview', looks.first, 'ms', BLOCK_MS, '50 rows'),
      result('last page of the preview', looks.deep, 'ms', BLOCK_MS, '50 rows'),
      result('page of spans that miss a key', looks.missing, 'ms', BLOCK_MS, '50 rows from 10,000 on'),
      result('earliest and latest start', looks.times, 'ms', 1, 'of all picked spans'),
      result('keys with coverage and samples', looks.keys, 'ms', BLOCK_MS, 'of all picked spans'),
      result('sending in 500 calls', sending.seconds, 's', 60, 'less is better; without waiting for a limit'),
      result(
        'longest block while sending',
        sending.longestMs,
        'ms',
        BLOCK_MS,
        `less is better; p99 ${sending.p99Ms.toFixed(1)} ms`,
      ),
      turnRow('sending', sending),
      result(
        'receipts as CSV',
        receipts.seconds,
        's',
        10,
        `longest block ${receipts.longestMs.toFixed(1)} ms`,
      ),
    ];
  } finally {
    await rig[Symbol.asyncDispose]();
    await server.stop();
  }
}
