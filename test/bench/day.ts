/**
 * Memory after eight scripted hours of work in one window: each hour opens all views and reads records, filters spans,
 * reads a trace and searches. An hour takes half a minute, because the script does not think between two acts.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { launchApp } from '../helpers/app.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import setUp from '../helpers/e2e-setup.ts';
import { measureHeld } from '../helpers/held-memory.ts';
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { forEachPlace, openPlace } from '../helpers/places.ts';
import { familyOf, isWindow, megabytesOf, memoryOf } from '../helpers/process-family.ts';

const HOURS = Number(process.env['DAY_HOURS'] ?? 8);
/** Memory after the last hour in percent of the memory at rest before the first one. */
const MAX_PERCENT = 103;
const RECORDS = 4;
const WORDS = ['refund', 'order', 'timeout', 'llm', 'invoice'];
/** V8 returns memory of earlier work half a minute after it. */
const SETTLE_MS = 60_000;

/** Reads some records of the grid of the visible view, if there is one. */
async function readRecords(page: Page): Promise<void> {
  const grid = page.locator('[data-view="active"] [role="grid"]').first();
  if ((await grid.count()) === 0) return;
  await grid.focus();
  for (let row = 0; row < RECORDS; row += 1) {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
  }
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Escape');
}

/** Reads a failed trace, goes back, and shows the slow spans. */
async function readSpans(page: Page): Promise<void> {
  const bench = new Workbench(page);
  await openPlace(page, 'Spans');
  await bench.expectAnswered();
  const rows = bench.view.getByRole('grid').first();
  await rows.focus();
  for (let row = 0; row < RECORDS; row += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await pause(500);
  await page.keyboard.press('Alt+ArrowLeft');
  await bench.expectAnswered();
}

async function search(page: Page): Promise<void> {
  await openPlace(page, 'Search');
  const field = page.getByRole('combobox', { name: 'Text to find' });
  for (const word of WORDS) {
    await field.fill('');
    await field.pressSequentially(word);
  }
  await page.keyboard.press('Escape');
}

async function hour(page: Page): Promise<number> {
  let views = 0;
  await forEachPlace(page, async () => {
    views += 1;
    await readRecords(page);
  });
  await readSpans(page);
  await search(page);
  return views;
}

/** Memory of all processes at rest, in MB, by kind. */
async function atRest(page: Page, pid: number): Promise<{ all: number; main: number; window: number }> {
  await page.keyboard.press('Control+1');
  await pause(SETTLE_MS);
  const windows = familyOf(pid).filter(isWindow);
  return {
    all: memoryOf(pid),
    main: megabytesOf(pid),
    window: windows.reduce((sum, each) => sum + megabytesOf(each.pid), 0),
  };
}

export async function run(): Promise<BenchResult[]> {
  await setUp();
  using folder = new DataFolder();
  const { app, page, close } = await launchApp({ dataDir: folder.path });
  try {
    await new WelcomePage(page).enterSample();
    const pid = app.process().pid ?? 0;
    const results: BenchResult[] = [];
    const add = (name: string, { all, main, window }: Awaited<ReturnType<typeof atRest>>) => {
      const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
      const parts = `PSS; main ${main.toFixed(0)}, window ${window.toFixed(0)}; ${load}`;
      results.push(result(name, all, 'MB', null, parts));
      return all;
    };
    const before = add('at rest before the first hour', await atRest(page, pid));
    let [first, last, views] = [before, before, 0];
    const heaps: number[] = [];
    for (let at = 1; at <= HOURS; at += 1) {
      views += await hour(page);
      if (at > 1 && at < HOURS) continue;
      last = add(`at rest after hour ${at}`, await atRest(page, pid));
      if (at === 1) first = last;
      const { heapMb, nodes, listeners } = await measureHeld(page);
      heaps.push(heapMb);
      const dom = `${nodes} nodes, ${listeners} listeners`;
      results.push(result(`in use in the window after hour ${at}`, heapMb, 'MB', null, dom));
    }
    const percent = (of: number) => (last / of) * 100;
    return [
      ...results,
      result(
        'after the last hour, of before the first',
        percent(before),
        '%',
        MAX_PERCENT,
        `${views} views opened`,
      ),
      result(
        'after the last hour, of after the first',
        percent(first),
        '%',
        MAX_PERCENT,
        'the code of all views is loaded in both',
      ),
      result(
        'in use in the window after the last hour, of after the first',
        ((heaps.at(-1) ?? Number.NaN) / (heaps[0] ?? Number.NaN)) * 100,
        '%',
        MAX_PERCENT,
        'JavaScript objects after garbage collection',
      ),
    ];
  } finally {
    await close();
  }
}
