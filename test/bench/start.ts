/**
 * Time of the application from the start of its main process to its first painted view: with an empty store, with a
 * store of 1,000,000 entities and 200,000 spans, and with that store and 20 tabs. All have one connection, which works
 * offline. Then the time from a second start with a link to the painted view of that link in the running window.
 */
import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findRuntime } from '../../build/runtime.ts';
import { startVirtualDisplay } from '../../build/virtual-display.ts';
import { launchApp } from '../helpers/app.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import setUp from '../helpers/e2e-setup.ts';
import { FIXTURE_APP } from '../helpers/fixture-window.ts';
import {
  ENTITIES,
  fillFolder,
  layoutFile,
  prepareFolder,
  SPANS,
  tabsOfAll,
} from '../helpers/large-library.ts';

const TIMES = 7;
const READY_MS = 450;
const SECOND_MS = 150;
const FULL_READY_MS = 500;
const MAX_RATIO = 1.3;
/** Links that a second start passes on, and the titles of their tabs. */
const LINKS = [
  ['spandeck://my-jobs', 'Jobs'],
  ['spandeck://uploads', 'Uploads'],
] as const;
const ROOT = join(import.meta.dirname, '../..');
const report = z.object({ readyMs: z.number(), windowMs: z.number() });
const execute = promisify(execFile);

/** The output of `npm start -- --smoke` for one start. */
async function start(folder: string): Promise<z.infer<typeof report>> {
  const words = [join(ROOT, 'build/start.ts'), '--smoke', '--data-dir', folder];
  const { stdout } = await execute(process.execPath, words, { cwd: ROOT });
  return read(stdout);
}

/** The same for the runtime with an empty page. */
async function startRuntime(folder: string): Promise<z.infer<typeof report>> {
  const display = await startVirtualDisplay();
  try {
    const env = { ...process.env, DISPLAY: display.name };
    const words = [FIXTURE_APP, '--smoke', `--data-dir=${folder}`];
    const { stdout } = await execute(findRuntime().executable, words, { env });
    return read(stdout);
  } finally {
    display.stop();
  }
}

/** Resolves with the time of day in ms at which a frame has the tab of this title selected. Runs in the window. */
function whenSelected(title: string): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      const [tab] = document.querySelectorAll('[role=tab][aria-selected=true]');
      if (tab?.textContent.trim() === title)
        setTimeout(() => resolve(performance.timeOrigin + performance.now()));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** Milliseconds from the start of a second process to the view of its link, painted in the window of the first one. */
async function secondStarts(folder: string): Promise<number[]> {
  await setUp();
  const { page, close } = await launchApp({ dataDir: folder });
  try {
    await page.waitForSelector('html[data-ready]');
    const times: number[] = [];
    for (let turn = 0; turn <= TIMES; turn += 1) {
      const [link, title] = LINKS[turn % LINKS.length] ?? ['', ''];
      const selected = page.evaluate(whenSelected, title);
      const startedAt = Date.now();
      await execute(findRuntime().executable, [ROOT, `--data-dir=${folder}`, link]);
      const ms = (await selected) - startedAt;
      // The first one loads the code of the view.
      if (turn >= LINKS.length) times.push(ms);
    }
    return times;
  } finally {
    await close();
  }
}

function read(stdout: string): z.infer<typeof report> {
  const line = stdout.split('\n').find((each) => each.startsWith('{"ready"')) ?? '';
  return report.parse(JSON.parse(line));
}

export async function run(): Promise<BenchResult[]> {
  using bare = new DataFolder();
  using empty = new DataFolder();
  using full = new DataFolder();
  prepareFolder(empty.path);
  const { libraryFile } = fillFolder(full.path);
  const layout = layoutFile(full.path);
  const times: Record<'bare' | 'empty' | 'full' | 'tabs', number[]> = {
    bare: [],
    empty: [],
    full: [],
    tabs: [],
  };
  // Measured in turns, so that other load of the machine affects all equally. The first start of each builds and fills
  // caches.
  for (let turn = 0; turn <= TIMES; turn += 1) {
    const alone = await startRuntime(bare.path);
    const small = await start(empty.path);
    writeFileSync(layout, '{}');
    const large = await start(full.path);
    writeFileSync(layout, JSON.stringify({ tabs: tabsOfAll() }));
    const tabs = await start(full.path);
    if (turn === 0) continue;
    times.bare.push(alone.readyMs);
    times.empty.push(small.readyMs);
    times.full.push(large.readyMs);
    times.tabs.push(tabs.readyMs);
  }
  const second = await secondStarts(full.path);
  const median = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const gigabytes = (statSync(libraryFile).size / 1e9).toFixed(2);
  const rows = (ENTITIES + SPANS).toLocaleString('en-US');
  const note = `p50 of ${TIMES}; load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  const [ofEmpty, ofFull] = [median(times.empty), median(times.full)];
  return [
    result('ready, the runtime with an empty page', median(times.bare), 'ms', null, note),
    result('ready, nothing stored', ofEmpty, 'ms', READY_MS, note),
    result(`ready, ${rows} rows stored`, ofFull, 'ms', FULL_READY_MS, `${gigabytes} GB; ${note}`),
    result('the second to the first', ofFull / ofEmpty, 'times', MAX_RATIO, note),
    result('ready, the same and 20 tabs', median(times.tabs), 'ms', FULL_READY_MS, note),
    result('a second start, to its view in the first window', median(second), 'ms', SECOND_MS, note),
  ];
}
