/**
 * Profiles and SQL over 1,000,000 rows with twenty columns, by the real engine in its processes: from the query to the
 * answer in the calling process. `SHAPE_ROWS=100000` measures fewer rows, and says so in each note.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createSidecars, type Sidecars } from '../../electron/analysis/sidecars.ts';
import { createSql } from '../../electron/analysis/sql.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { configureCollector } from '../../electron/platform/collector.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { exportLines } from '../helpers/export-bench.ts';
import { percentile } from '../helpers/percentile.ts';
import { cpuOfChildren, peakOfChildren } from '../helpers/process-cost.ts';
import { turnsOf } from '../helpers/turn-cost.ts';
import { silentLogger } from '../helpers/virtual-world.ts';
import { windowLines } from '../helpers/window-shape.ts';

const SHAPE_ROWS_FILE = join(import.meta.dirname, '../helpers/shape-rows.ts');
const ROWS = Number(process.env['SHAPE_ROWS'] ?? 1_000_000);
// Formatted once before the measurement, because formatting a number for the first time takes a turn of its own.
const ROWS_SAID = ROWS.toLocaleString('en-US');
const WIDE_ROWS = Math.min(ROWS, 50_000);
/** Maximum processor time of a turn of the main process, in milliseconds. */
const MAIN_MS = 10;
/** Number of column summaries that a window of 1280 pixels shows. */
const HEADS = 8;
const FILTERED = 40;
interface Timed<T> {
  ms: number;
  /** Processor time of child processes over all cores, in milliseconds; NaN if unknown. */
  cpuMs: number;
  value: T;
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const cpuBefore = cpuOfChildren();
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, cpuMs: cpuOfChildren() - cpuBefore, value };
}

export async function run(): Promise<BenchResult[]> {
  configureCollector();
  using folder = new DataFolder();
  const libraryFile = folder.file('library.db');
  // Done in another process: starting a process takes longer the more memory this one uses, which must be as little as
  // in the main process.
  execFileSync(process.execPath, [SHAPE_ROWS_FILE, libraryFile, String(ROWS), String(WIDE_ROWS)]);
  const library = openLibraryStore({ file: libraryFile, clock: systemClock, logger: silentLogger });
  const deps = { startChild: startNodeChild, clock: systemClock, logger: silentLogger };
  const sidecars = createSidecars({
    ...{ folder: folder.file('analysis'), libraryFile, ...deps },
    onPrepared: () => undefined,
  });
  const held = monitorEventLoopDelay({ resolution: 1 });
  const results: BenchResult[] = [];
  try {
    const cost = await turnsOf(MAIN_MS, async () => {
      results.push(...(await measure(library, sidecars, held)));
    });
    const said = `on the processor; ${cost.over} of ${cost.turns} turns longer, ${cost.longestGcMs.toFixed(1)} ms of it memory, longest gap ${(held.max / 1e6).toFixed(0)} ms`;
    results.push(result('the process that asks: longest turn', cost.longestMs, 'ms', MAIN_MS, said));
  } finally {
    await sidecars.stop();
    library.close();
  }
  return [...results, ...(await exportLines()), ...(await windowLines())];
}

async function measure(
  library: LibraryStore,
  sidecars: Sidecars,
  held: ReturnType<typeof monitorEventLoopDelay>,
): Promise<BenchResult[]> {
  const lists = () => library.lists.shownLists();
  const shownOf = (name: string) => {
    const found = lists().find(({ query }) => query.operation === `${name}.list`);
    if (found === undefined) throw new Error(`Expected the list ${name} in the store.`);
    return found.shown;
  };
  const generation = shownOf('rows');
  const ask = (filters: readonly ColumnFilter[], fields: readonly string[] | null, of = generation) =>
    timed(() => sidecars.profile({ generation: of, within: null, fields, filters }));
  const note = (what: string) => {
    const load = `load ${loadavg()[0]?.toFixed(1)}`;
    return `${what}; ${ROWS_SAID} rows, ${load}`;
  };
  const cpu = (ms: number) => (Number.isNaN(ms) ? '' : `, CPU ${ms.toFixed(0)} ms`);
  const results: BenchResult[] = [];
  const add = (name: string, figure: number, unit: string, limit: number | null, what: string) =>
    results.push(result(name, figure, unit, limit, note(what)));

  // Starts the query process, as opening any list does.
  await sidecars.columns(shownOf('others'));
  held.enable();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, peakOfChildren())), 200);
  const first = await ask([], ['country', 'amount', 'count', 'share', 'at', 'isMember', 'note', 'id']);
  const build = await timed(() => sidecars.file(generation));
  clearInterval(watch);
  add(
    'first bars, of a sample',
    first.ms,
    'ms',
    150,
    `eight heads of a sample, before the columns are prepared${cpu(first.cpuMs)}`,
  );
  add(
    'columns prepared',
    (first.ms + build.ms) / 1_000,
    's',
    20,
    `the sidecar written, from the first question${cpu(build.cpuMs)}`,
  );
  add('memory while they are prepared', peak, 'MB', 1_000, 'the largest process');
  const exact = await ask([], null);
  add(
    'exact profiles',
    exact.ms / 1_000,
    's',
    1.6,
    `${exact.value.columns.length} columns${cpu(exact.cpuMs)}`,
  );
  const heads = exact.value.columns.slice(0, HEADS).map(({ field }) => field);
  const half: number[] = [];
  const few: number[] = [];
  const spent = { half: 0, few: 0 };
  for (let index = 0; index < FILTERED; index += 1) {
    const from = index * 10;
    const manyPass = await ask([range('amount', from, from + 500)], heads);
    const fewPass = await ask([range('id', index * 1_000, index * 1_000 + 100)], heads);
    half.push(manyPass.ms);
    few.push(fewPass.ms);
    spent.half += manyPass.cpuMs / FILTERED;
    spent.few += fewPass.cpuMs / FILTERED;
  }
  add(
    'crossfilter, half of the rows',
    percentile(half, 0.95),
    'ms',
    250,
    `p95 of ${FILTERED}, ${HEADS} heads${cpu(spent.half)} each`,
  );
  add(
    'crossfilter, few rows',
    percentile(few, 0.95),
    'ms',
    100,
    `p95 of ${FILTERED}, 100 rows pass${cpu(spent.few)} each`,
  );

  for (const name of ['narrow', 'wide']) await sidecars.file(shownOf(name));
  const eight = Array.from({ length: HEADS }, (_, index) => `c${index}`);
  const narrow = await ask([], eight, shownOf('narrow'));
  const wide = await ask([], eight, shownOf('wide'));
  add(
    'heads of 200 columns',
    wide.ms,
    'ms',
    Math.max(narrow.ms, 50) * 1.25,
    `of 20 columns ${narrow.ms.toFixed(0)} ms${cpu(wide.cpuMs)}`,
  );

  const sql = createSql({
    lists,
    names: async () => new Map(),
    sidecars,
    startChild: startNodeChild,
    clock: systemClock,
  });
  const listed = (name: string) => `lists."#${shownOf(name).listId}"`;
  await sidecars.file(shownOf('others'));
  const runId = '00000000-0000-4000-8000-000000000001';
  const joined = await timed(() =>
    sql.run(
      runId,
      `SELECT country, avg(weight) AS w, count(*) AS n FROM ${listed('rows')} JOIN ${listed('others')} USING (id) GROUP BY 1`,
    ),
  );
  add(
    'join of two views',
    joined.ms / 1_000,
    's',
    2,
    `from the question to its result, with the start of its process${cpu(joined.cpuMs)}`,
  );
  const endless = sql
    .run(runId, `SELECT count(*) FROM ${listed('rows')} a, ${listed('others')} b WHERE a.amount < b.weight`)
    .catch(() => null);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const stopped = await timed(async () => {
    void sql.stop(runId);
    await endless;
  });
  add('a query is stopped', stopped.ms, 'ms', 100, 'interrupted, or its process ended');
  held.disable();
  await sql.close();
  return results;
}

const range = (field: string, from: number, to: number): ColumnFilter => ({
  kind: 'range',
  ...{ field, from, to, includesTo: false },
});
