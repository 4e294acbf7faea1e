/**
 * One path of `bench -- growth` at one size, in a separate process: `node growth-path.ts PATH SIZE`. Prints the steps
 * of the path as JSON.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { createSql } from '../../electron/analysis/sql.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex } from '../../electron/db/search-index.ts';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { canonicalQuery, keyOf } from '../../electron/library/list-query.ts';
import { OrderThread } from '../../electron/library/order-thread.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { configureCollector } from '../../electron/platform/collector.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import { DataFolder } from './data-folder.ts';
import { ExportRig, exportOf, valuesOf } from './export-rig.ts';
import type { GrowthPath, GrowthStep } from './growth-steps.ts';
import { CONNECTION_ID } from './library-rig.ts';
import { churnCsv } from './make-files.ts';
import { MirrorRig } from './mirror-rig.ts';
import { percentile } from './percentile.ts';
import { cpuOfChildren, peakOf, peakOfChildren } from './process-cost.ts';
import { storeRows, twentyColumns } from './stored-rows.ts';
import { sendFile, withQuickService } from './upload-run.ts';
import { silentLogger } from './virtual-world.ts';

const STEP_CHARS = 400_000;
const CSV_BLOCK_ROWS = 100_000;
const SEARCHES = 60;
const PAGES_READ = 60;
const WATCH_MS = 50;
const CSV: Dialect = {
  ...{ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true },
  nullWords: [],
};
const options = { clock: systemClock, logger: silentLogger };

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

class Steps {
  readonly all: GrowthStep[] = [];

  async measure<T>(step: string, work: () => T | Promise<T>): Promise<T> {
    let childMb = 0;
    const watch = setInterval(() => {
      childMb = Math.max(childMb, peakOfChildren());
    }, WATCH_MS);
    const [cpu, ofChildren, from] = [ownCpuMs(), cpuOfChildren(), performance.now()];
    try {
      return await work();
    } finally {
      clearInterval(watch);
      const ms = performance.now() - from;
      const cpuMs = ownCpuMs() - cpu + (cpuOfChildren() - ofChildren || 0);
      this.all.push({ step, ms, cpuMs, peakMb: Math.max(peakOf('self'), childMb, peakOfChildren()) });
    }
  }

  /** The 95th percentile of the times of many equal actions, which must not depend on the size. */
  async percentile95<T>(step: string, cases: readonly T[], work: (each: T) => unknown): Promise<void> {
    const [times, cpus]: [number[], number[]] = [[], []];
    for (const each of cases) {
      const [cpu, from] = [ownCpuMs(), performance.now()];
      await work(each);
      times.push(performance.now() - from);
      cpus.push(ownCpuMs() - cpu);
    }
    const [ms, cpuMs] = [percentile(times, 0.95), percentile(cpus, 0.95)];
    this.all.push({ step, ms, cpuMs, peakMb: peakOf('self') });
  }
}

/** Writes rows of about 59 bytes in blocks, because a text of 10,000,000 rows is longer than a string can be. */
function writeCsv(path: string, rows: number): void {
  const file = openSync(path, 'w');
  const [header = '', ...block] = churnCsv(Math.min(rows, CSV_BLOCK_ROWS)).trimEnd().split('\n');
  writeSync(file, `${header}\n`);
  for (let written = 0; written < rows; written += block.length)
    writeSync(file, `${block.slice(0, rows - written).join('\n')}\n`);
  closeSync(file);
}

const PATHS: Record<GrowthPath, (size: number, steps: Steps, folder: DataFolder) => Promise<void>> = {
  csv: async (size, steps, folder) => {
    const path = folder.file('rows.csv');
    writeCsv(path, size);
    await steps.measure('read', async () => {
      const source = await openSource(path, CSV);
      let rows = 0;
      for await (const part of readRows(source, path, { start: source.dataStart })) rows += part.rows.length;
      await source.close();
      if (rows !== size) throw new Error(`${rows} of ${size} rows were read.`);
    });
  },

  upload: async (size, steps, folder) => {
    const path = folder.file('rows.csv');
    writeCsv(path, size);
    await withQuickService(0, async (url) => {
      const { ms, cpuMs, mostMb, counts } = await sendFile(url, path);
      if (counts.acknowledged !== size) throw new Error(`${counts.acknowledged} of ${size} rows were sent.`);
      steps.all.push({ step: 'checked and sent', ms, cpuMs, peakMb: mostMb });
    });
  },

  library: async (size, steps, folder) => {
    const files = { libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') };
    const store = openLibraryStore({ file: files.libraryFile, ...options });
    const { lists } = store;
    const rowOf = (at: number) => ({
      name: `app.${(Math.imul(at, 2_654_435_761) >>> 0).toString(36)}.field_${at}`,
      ...{ semantic_name: 'UNKNOWN', data_type: 'string', row_count: at },
    });
    const query = canonicalQuery({
      ...{ operation: 'catalog.list', path: { application_id: 'a' }, query: {} },
    });
    const generationId = await steps.measure('pages stored', () =>
      storeRows(store, { key: keyOf(CONNECTION_ID, query), query, rows: size, rowOf }),
    );
    const index = openSearchIndex({ ...files, ...options });
    await steps.measure('search index built', () => {
      while (index.step(STEP_CHARS));
    });
    const question = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 3 };
    const typed = Array.from({ length: SEARCHES }, (_, at) =>
      at % 2 === 0 ? `${7_000 + at * 4_001}` : (Math.imul(at, 2_654_435_761) >>> 0).toString(36).slice(0, 4),
    );
    await steps.percentile95('search, p95', typed, (text) => index.find({ ...question, typed: text }, 140));
    index.close();
    const places = Array.from({ length: PAGES_READ }, (_, at) => Math.floor((size * at) / PAGES_READ));
    await steps.percentile95('a window of rows, p95', places, (at) => [
      ...lists.rowsFrom(generationId, at, 100),
    ]);
    const orders = new OrderThread(files.libraryFile);
    const sort = { kind: 'sort', sort: { field: 'name', isDescending: false } } as const;
    const sorted = await steps.measure('sorted by a text', () =>
      orders.run({ generationId, step: sort, within: null }),
    );
    if (sorted?.length !== size) throw new Error(`${sorted?.length} of ${size} rows were sorted.`);
    await steps.measure('narrowed by a text', () =>
      orders.run({
        generationId,
        step: { kind: 'text-filter', typed: 'field_99', tables: [] },
        within: null,
      }),
    );
    await orders.close();
    store.close();
  },

  shape: async (size, steps, folder) => {
    await using rig = new ExportRig('http://127.0.0.1:9', { folder });
    const query = canonicalQuery(valuesOf('shape'));
    const key = keyOf(CONNECTION_ID, query);
    storeRows(rig.library.store, { key, query, rows: size, rowOf: twentyColumns });
    const { sidecars } = rig.library;
    const shown = rig.library.store.lists.shownLists()[0]?.shown;
    if (shown === undefined) throw new Error('Expected a stored list.');
    await steps.measure('columns prepared', () => sidecars.file(shown));
    const profiled = { generation: shown, within: null, fields: null };
    await steps.measure('exact profiles', () => sidecars.profile({ ...profiled, filters: [] }));
    const range = { kind: 'range', field: 'amount', from: 0, to: 500, includesTo: false } as const;
    await steps.measure('crossfilter', () => sidecars.profile({ ...profiled, filters: [range] }));
    const sql = createSql({
      lists: () => rig.library.store.lists.shownLists(),
      names: async () => new Map(),
      sidecars,
      ...{ startChild: startNodeChild, clock: systemClock },
    });
    await steps.measure('SQL group by', () =>
      sql.run(
        '00000000-0000-4000-8000-000000000001',
        `SELECT country, avg(amount), count(*) FROM lists."#${shown.listId}" GROUP BY 1`,
      ),
    );
    await sql.close();
    for (const format of ['csv', 'jsonl', 'parquet'] as const)
      await steps.measure(`exported to ${format}`, async () => {
        const file = folder.file(`rows.${format}`);
        const { state, rows, reason } = await rig.exported(
          exportOf({ query, format, reads: 'stored' }),
          file,
        );
        if (state !== 'done' || rows !== size) throw new Error(`${state}, ${rows} rows: ${reason}`);
      });
  },

  mirror: async (size, steps, folder) => {
    await using rig = new MirrorRig(folder);
    const query = { operation: 'rows.list', path: {}, query: {} };
    storeRows(rig.store, { key: 'rows', query, rows: size, rowOf: twentyColumns });
    const target = folder.file('notebooks');
    for (const step of ['first mirror', 'mirror without a change'])
      await steps.measure(step, async () => {
        const { state, result, reason } = await rig.write(target, ['rows']);
        if (state !== 'done' || result?.rows !== size) throw new Error(`${state}: ${reason}`);
      });
  },

  versions: async (size, steps, folder) => {
    const store = openSnapshotStore({ file: folder.file('snapshots.db'), ...options });
    function* items(edition: number) {
      for (let at = 0; at < size; at += 1) {
        const question = `How long does refund ${at} take${at % 100 === 0 ? ` ${edition}` : ''}?`;
        const item = { id: `i${at}`, inputs: { question }, expected_outputs: { answer: `${at % 17} days` } };
        yield { identity: item.id, json: JSON.stringify(item) };
      }
    }
    const take = async (edition: number) =>
      (
        await steps.measure(edition === 0 ? 'first version' : 'next version', () =>
          store.take('d', items(edition), size, edition),
        )
      )?.snapshotId ?? 0;
    const [from, to] = [await take(0), await take(1)];
    await steps.measure('two versions compared', () =>
      store.diff({ action: 'diff', from, to, kind: null, offset: 0, limit: 50 }),
    );
    store.close();
  },
};

configureCollector();
const [, , path = '', size] = process.argv;
const run = Object.entries(PATHS).find(([name]) => name === path)?.[1];
if (run === undefined) throw new Error(`Expected one of ${Object.keys(PATHS).join(', ')}, got ${path}.`);
const steps = new Steps();
using folder = new DataFolder();
mkdirSync(folder.path, { recursive: true });
await run(Number(size), steps, folder);
console.log(JSON.stringify(steps.all));
