/**
 * How long the application takes from the start of main to its first painted view: with nothing stored, and with a
 * store of 1,000,000 entities and 200,000 spans. Both have one connection, which works offline.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openAppStore } from '../../electron/db/app-store.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';
import { fill } from './library.ts';

const TIMES = 7;
const READY_MS = 900;
const MOST_RATIO = 1.3;
const ID = '00000000-0000-4000-8000-000000000001';
const ROOT = join(import.meta.dirname, '../..');
const report = z.object({ readyMs: z.number(), windowMs: z.number() });
const execute = promisify(execFile);

/** A data folder with one connection. Returns the file of its library. */
function prepare(folder: string): string {
  const paths = dataPaths(folder);
  const store = openAppStore({ file: paths.appDb, clock: systemClock, logger: silentLogger });
  store.saveConnection({
    ...{ id: ID, name: 'Staging', baseUrl: 'https://spandeck.invalid/', kind: 'service', colour: 'teal' },
    ...{ isReadOnly: false, allowsPlainHttp: false, proxyUrl: null, extraCaFile: null },
    ...{ tokenStorage: 'memory', tokenHint: null, createdAtMs: 1 },
  });
  store.saveSettings({ activeConnectionId: ID, worksOffline: true });
  store.close();
  const file = paths.libraryDb(ID);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** What `npm start -- --smoke` says of one start. */
async function start(folder: string): Promise<z.infer<typeof report>> {
  const words = [join(ROOT, 'build/start.ts'), '--smoke', '--data-dir', folder];
  const { stdout } = await execute(process.execPath, words, { cwd: ROOT });
  const line = stdout.split('\n').find((each) => each.startsWith('{"ready"')) ?? '';
  return report.parse(JSON.parse(line));
}

export async function run(): Promise<BenchResult[]> {
  using empty = new DataFolder();
  using full = new DataFolder();
  prepare(empty.path);
  const file = prepare(full.path);
  const store = openLibraryStore({ file, clock: systemClock, logger: silentLogger });
  fill(store);
  store.close();
  const times: Record<'empty' | 'full', number[]> = { empty: [], full: [] };
  // In turns, so that what else the machine does falls on both; the first start of each builds and fills caches.
  for (let turn = 0; turn <= TIMES; turn += 1) {
    const [small, large] = [await start(empty.path), await start(full.path)];
    if (turn === 0) continue;
    times.empty.push(small.readyMs);
    times.full.push(large.readyMs);
  }
  const median = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const gigabytes = (statSync(file).size / 1e9).toFixed(2);
  const note = `p50 of ${TIMES}; load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  const [ofEmpty, ofFull] = [median(times.empty), median(times.full)];
  return [
    result('ready, nothing stored', ofEmpty, 'ms', READY_MS, note),
    result('ready, 1,200,000 rows stored', ofFull, 'ms', READY_MS, `${gigabytes} GB; ${note}`),
    result('the second to the first', ofFull / ofEmpty, 'times', MOST_RATIO, note),
  ];
}
