/**
 * A file is uploaded and a user searches while an application with 300,000 entities is downloaded for offline use: how
 * long the working thread is blocked, and the latency of a view's own request compared with an idle program. The
 * services are separate processes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Foreground } from '../../electron/core/foreground.ts';
import { startSearchThread } from '../../electron/db/search-thread.ts';
import { createSearch } from '../../electron/library/search.ts';
import { configureCollector } from '../../electron/platform/collector.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { writeLargeCsv } from '../helpers/make-files.ts';
import { percentile } from '../helpers/percentile.ts';
import { type TurnCost, turnsOf } from '../helpers/turn-cost.ts';
import { UploadRig } from '../helpers/upload-rig.ts';
import { withQuickService } from '../helpers/upload-run.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Enough requests of a view for a meaningful 95th percentile. */
const ENTITIES = 300_000;
const PAGE_ROWS = 1_000;
const HELD_MS = 20;
const SEARCH_EVERY_MS = 100;
const READ_EVERY_MS = 60;
const ALONE_MS = 10_000;
/** More bytes than can be sent while the application is read. */
const UPLOADED_BYTES = 300_000_000;
const LATENCY_MS = 30;
const VIEW: ListQuery = { operation: 'datasets.list', path: {}, query: {} };

async function serve(): Promise<{ server: ChildProcess; baseUrl: string }> {
  const script = join(import.meta.dirname, '../helpers/catalog-server-child.ts');
  const server = spawn(process.execPath, [script, String(ENTITIES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  return { server, baseUrl: String(line).trim() };
}

interface Measured {
  heldMs: { p50: number; p99: number; longest: number };
  cost: TurnCost;
  readMs: readonly number[];
  foundMs: readonly number[];
}

/** Repeats both measurements until `whole` resolves. */
async function measure(
  rig: KeepRig,
  find: ((typed: string) => Promise<unknown>) | null,
  whole: Promise<unknown>,
): Promise<Measured> {
  let isOver = false;
  const [readMs, foundMs]: [number[], number[]] = [[], []];
  const again = async (everyMs: number, times: number[], act: (turn: number) => Promise<unknown>) => {
    for (let turn = 0; !isOver; turn += 1) {
      const startedAt = performance.now();
      await act(turn);
      times.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const work = [
    again(READ_EVERY_MS, readMs, () => rig.library.read(VIEW, 'always')),
    ...(find === null
      ? []
      : [again(SEARCH_EVERY_MS, foundMs, (turn) => find(`entity_${String(turn * 37).padStart(4, '0')}`))]),
  ];
  const cost = await turnsOf(HELD_MS, () => whole);
  isOver = true;
  delay.disable();
  await Promise.all(work);
  const ms = (percent: number) => delay.percentile(percent) / 1e6;
  return { heldMs: { p50: ms(50), p99: ms(99), longest: delay.max / 1e6 }, cost, readMs, foundMs };
}

/** Starts an upload. Returns a function that ends it. */
async function startUpload(
  baseUrl: string,
  folder: DataFolder,
  foreground: Foreground,
): Promise<{ sent: () => number; end: () => Promise<void> }> {
  const rig = new UploadRig({
    baseUrl,
    token: 't',
    folder: folder.path,
    foreground,
    options: { maxInFlight: 4 },
  });
  const file = folder.file('rows.csv');
  writeLargeCsv(file, UPLOADED_BYTES);
  const plan = await rig.plan(file, 'Bench');
  const columns = plan.columns.map((column) => ({ ...column, target: column.target ?? column.source }));
  const { jobId } = await rig.uploads.createJob({ ...plan, columns }, true);
  // Events that the rig records for tests do not count as work of the product.
  const forget = setInterval(() => {
    for (const list of [rig.jobs, rig.rig.log, rig.rig.settled]) list.length = 0;
  }, 250);
  const sent = () => rig.uploads.getJob(jobId).counts.acknowledged;
  // Waits, because the file is checked before anything is sent.
  while (sent() === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    sent,
    end: async () => {
      clearInterval(forget);
      await rig[Symbol.asyncDispose]();
    },
  };
}

export async function run(): Promise<BenchResult[]> {
  configureCollector();
  return await withQuickService(LATENCY_MS, runBeside);
}

async function runBeside(uploadUrl: string): Promise<BenchResult[]> {
  using folder = new DataFolder();
  const { server, baseUrl } = await serve();
  const foreground = new Foreground(systemClock);
  const rig = new KeepRig({ baseUrl, token: 't', folder, foreground });
  rig.library.settings.pageRows = PAGE_ROWS;
  rig.keepShare = 1 / 3;
  const files = { libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') };
  const search = createSearch({
    changes: rig.library.store.searchChanges,
    startThread: (events) => startSearchThread({ ...files, mostMs: 140, ...events }),
    uploads: () => [],
    isFollowing: true,
    clock: systemClock,
    logger: silentLogger,
  });
  const every = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 3 };
  const find = (typed: string) => search.find({ ...every, typed });
  try {
    const alone = await measure(rig, null, new Promise((resolve) => setTimeout(resolve, ALONE_MS)));
    const upload = await startUpload(uploadUrl, folder, foreground);
    const [startedAt, sentBefore] = [performance.now(), upload.sent()];
    const kept = rig.kept(planFor({ kind: 'application', id: 'a' }));
    const beside = await measure(rig, find, kept);
    const { counts } = await kept;
    const sent = upload.sent() - sentBefore;
    await upload.end();
    const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
    const rows = `${counts.rows.toLocaleString('en-US')} rows kept, ${sent.toLocaleString('en-US')} uploaded`;
    const what = `${rows} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s; ${load}`;
    const { cost } = beside;
    return [
      result('keeping, searching, uploading: held, p99', beside.heldMs.p99, 'ms', HELD_MS, what),
      result(
        'the same, p50',
        beside.heldMs.p50,
        'ms',
        null,
        `longest ${beside.heldMs.longest.toFixed(0)} ms`,
      ),
      result(
        'a turn of the loop, p99',
        cost.p99Ms,
        'ms',
        HELD_MS,
        `on the processor; longest ${cost.longestMs.toFixed(1)} ms, ${cost.over} of ${cost.turns} longer`,
      ),
      result(
        'nothing else to do: held, p99',
        alone.heldMs.p99,
        'ms',
        null,
        'what the machine takes by itself',
      ),
      result(
        "a view's own request, p95",
        percentile(beside.readMs, 0.95),
        'ms',
        null,
        `p50 ${percentile(beside.readMs, 0.5).toFixed(0)} ms, meanwhile`,
      ),
      result(
        'the same with nothing else, p95',
        percentile(alone.readMs, 0.95),
        'ms',
        null,
        `p50 ${percentile(alone.readMs, 0.5).toFixed(0)} ms; ${load}`,
      ),
      result(
        'search meanwhile, p95',
        percentile(beside.foundMs, 0.95),
        'ms',
        null,
        `${beside.foundMs.length} times`,
      ),
    ];
  } finally {
    await search.stop();
    await rig[Symbol.asyncDispose]();
    server.kill();
  }
}
