/**
 * An application with 1,000,000 entities and 200,000 spans stored and 20 tabs open, offline: the time from a click to
 * the painted rows, the time from a key to the painted search results, and the load while idle.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { launchApp } from '../helpers/app.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import setUp from '../helpers/e2e-setup.ts';
import { FIXTURE_APP } from '../helpers/fixture-window.ts';
import { ENTITIES, indexedFolder, LISTS, layoutFile, tabsOfAll } from '../helpers/large-library.ts';
import { percentile } from '../helpers/percentile.ts';
import { openPlace } from '../helpers/places.ts';
import { familyOf, isWindow, megabytesOf, memoryOf, type Process } from '../helpers/process-family.ts';

const PAINTED_MS = 100;
const SHORT_MS = 150;
const IDLE_PERCENT = 0.3;
const MEMORY_MB = 350;
const ALL_MEMORY_MB = 300;
/**
 * V8 collects the garbage of earlier work 30 to 40 s after it, which takes 50 ms each time. The process is not idle
 * before.
 */
const SETTLE_MS = 60_000;
const IDLE_MS = 60_000;
/** `sysconf(_SC_CLK_TCK)` of Linux. */
const TICKS_A_SECOND = 100;
const WORDS = 12;
const JUMPS = 40;
const JUMP_MS = 50;

type Expected = { type: 'pointerdown' | 'keydown'; selector: string; text: string };

/**
 * Milliseconds from the next event to the frame that shows an element with exactly this text. Counted from the creation
 * of the event, so that its delay before the handler is included. Runs in the window.
 */
function watch({ type, selector, text }: Expected): void {
  const isThere = (): boolean =>
    [...document.querySelectorAll(selector)].some((each) => each.textContent.trim().toLowerCase() === text);
  const painted = new Promise<number>((resolve) => {
    const heard = (event: Event): void => {
      const look = (): void => {
        // Counted when this frame has been drawn.
        if (isThere()) setTimeout(() => resolve(performance.now() - event.timeStamp));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    addEventListener(type, heard, { capture: true, once: true });
  });
  Object.assign(globalThis, { painted });
}

async function timed(page: Page, awaited: Expected, act: () => Promise<void>): Promise<number> {
  await page.evaluate(watch, awaited);
  await act();
  return await page.evaluate(() => (globalThis as unknown as { painted: Promise<number> }).painted);
}

/** Scrolls a tab into view, and returns its middle. Runs in the window. */
function placeOfTab(title: string): { x: number; y: number } {
  const tab = [...document.querySelectorAll('[role=tab]')].find((each) => each.textContent.trim() === title);
  if (tab === undefined) throw new Error(`No tab ${title}.`);
  tab.scrollIntoView({ inline: 'nearest' });
  const { x, y, width, height } = tab.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}

/** Clicks each tab once, the active one last. */
async function clicks(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < LISTS; turn += 1) {
    const at = (turn + 1) % LISTS;
    // Located by its position, because finding it by name takes the window longer than showing it.
    const { x, y } = await page.evaluate(placeOfTab, `Application ${at}`);
    // The number of rows identifies the list.
    const text = ((at * ENTITIES) / LISTS).toLocaleString('en-US');
    const selector = '[role=grid] [role=gridcell]';
    times.push(await timed(page, { type: 'pointerdown', selector, text }, () => page.mouse.click(x, y)));
  }
  return times;
}

/**
 * Scrolls the grid to a part of its height from 0 to 1. Returns the milliseconds until a frame has all visible rows with
 * their values. Runs in the window.
 */
async function jumpTo({ part, firstValue }: { part: number; firstValue: number }): Promise<number> {
  const grid = [...document.querySelectorAll('[role=grid]')].find((each) => each.checkVisibility());
  const scrolled = [grid, ...(grid?.querySelectorAll('*') ?? [])].find(
    (each) => each !== undefined && each.scrollHeight > each.clientHeight + 1_000,
  );
  if (grid === undefined || scrolled === undefined) throw new Error('No grid to scroll.');
  const { bottom } = scrolled.getBoundingClientRect();
  const isWhole = (): boolean => {
    const rows = [...grid.querySelectorAll('[role=row][aria-rowindex]:not([aria-rowindex="1"])')];
    const visible = rows.filter((row) => row.getBoundingClientRect().top < bottom);
    return (
      visible.length > 0 &&
      visible.every((row) => {
        const value = firstValue + Number(row.getAttribute('aria-rowindex')) - 2;
        return [...row.querySelectorAll('[role=gridcell]')].some(
          (cell) => cell.textContent.trim() === value.toLocaleString('en-US'),
        );
      })
    );
  };
  const before = grid.querySelector('[role=row][aria-rowindex]:not([aria-rowindex="1"])')?.ariaRowIndex;
  const startedAt = performance.now();
  scrolled.scrollTop = part * (scrolled.scrollHeight - scrolled.clientHeight);
  return await new Promise((resolve) => {
    const look = (): void => {
      const now = grid.querySelector('[role=row][aria-rowindex]:not([aria-rowindex="1"])')?.ariaRowIndex;
      if (now !== before && isWhole()) setTimeout(() => resolve(performance.now() - startedAt));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** Jumps to places of the list of the last application, which is the active one, in an order that is not that of the rows. */
async function jumps(page: Page): Promise<number[]> {
  const last = LISTS - 1;
  const { x, y } = await page.evaluate(placeOfTab, `Application ${last}`);
  const firstValue = (last * ENTITIES) / LISTS;
  const selector = '[role=grid] [role=gridcell]';
  const text = firstValue.toLocaleString('en-US');
  await timed(page, { type: 'pointerdown', selector, text }, () => page.mouse.click(x, y));
  const times: number[] = [];
  for (let turn = 1; turn <= JUMPS; turn += 1) {
    // A step of the golden ratio visits all parts of the list evenly, never one twice.
    const part = (turn * 0.618_033_988_75) % 1;
    times.push(await page.evaluate(jumpTo, { part, firstValue }));
  }
  return times;
}

/** Types words letter by letter, and measures from each key to the frame that marks the text typed so far. */
async function keys(page: Page, words: readonly string[]): Promise<{ short: number[]; long: number[] }> {
  await page.keyboard.press('Control+1');
  await openPlace(page, 'Search');
  const field = page.getByRole('combobox', { name: 'Text to find' });
  const [short, long]: [number[], number[]] = [[], []];
  for (const word of words) {
    await field.fill('');
    for (let letters = 1; letters <= word.length; letters += 1) {
      const awaited = { type: 'keydown', selector: 'mark', text: word.slice(0, letters) } as const;
      const ms = await timed(page, awaited, () => page.keyboard.press(word[letters - 1] ?? ''));
      (letters < 3 ? short : long).push(ms);
    }
  }
  return { short, long };
}

/** Processor time of all processes, in milliseconds. */
async function withCpu<T>(
  pid: number,
  act: () => Promise<T>,
  countOf: (done: T) => number,
): Promise<[T, number]> {
  const ticks = () => familyOf(pid).reduce((sum, each) => sum + each.ticks, 0);
  const before = ticks();
  const done = await act();
  return [done, ((ticks() - before) / TICKS_A_SECOND / countOf(done)) * 1_000];
}

/** Processor load in cores of an idle runtime: of its main process, the page of its window, and all processes. */
async function idlePercents(pid: number): Promise<{ main: number; page: number; all: number }> {
  await pause(SETTLE_MS);
  const before = new Map(familyOf(pid).map((each) => [each.pid, each.ticks]));
  await pause(IDLE_MS);
  const percent = (some: readonly Process[]) => {
    const ticks = some.reduce((sum, each) => sum + each.ticks - (before.get(each.pid) ?? 0), 0);
    return (ticks / TICKS_A_SECOND / (IDLE_MS / 1_000)) * 100;
  };
  const family = familyOf(pid);
  return {
    main: percent(family.filter((each) => each.pid === pid)),
    page: percent(family.filter(isWindow)),
    all: percent(family),
  };
}

const inParts = ({ main, page, all }: Awaited<ReturnType<typeof idlePercents>>): string =>
  `main ${main.toFixed(2)}, page ${page.toFixed(2)}, Chromium's other processes ${(all - main - page).toFixed(2)}`;

/** The same for the runtime with an empty page. */
async function idleOfHost(): Promise<BenchResult[]> {
  using folder = new DataFolder();
  const { app, close } = await launchApp({ root: FIXTURE_APP, dataDir: folder.path });
  try {
    const pid = app.process().pid ?? 0;
    const percents = await idlePercents(pid);
    const note = `what the runtime takes by itself: ${inParts(percents)}`;
    return [
      result('idle, the runtime with an empty page', percents.all, '% of a core', null, note),
      result('memory of all processes, the runtime with an empty page', memoryOf(pid), 'MB', null, 'PSS'),
    ];
  } finally {
    await close();
  }
}

async function idle(pid: number): Promise<BenchResult[]> {
  const percents = await idlePercents(pid);
  const windows = familyOf(pid).filter(isWindow);
  const ofWindow = windows.reduce((all, each) => all + megabytesOf(each.pid), 0);
  const ofMain = megabytesOf(pid);
  return [
    result(
      'idle',
      percents.all,
      '% of a core',
      IDLE_PERCENT,
      `all its processes in ${IDLE_MS / 1_000} s: ${inParts(percents)}`,
    ),
    result(
      'memory of main and window, idle',
      ofMain + ofWindow,
      'MB',
      MEMORY_MB,
      `main ${ofMain.toFixed(0)}, window ${ofWindow.toFixed(0)}`,
    ),
    result(
      'memory of all processes, idle',
      memoryOf(pid),
      'MB',
      ALL_MEMORY_MB,
      "PSS, with Chromium's own processes",
    ),
  ];
}

export async function run(): Promise<BenchResult[]> {
  await setUp();
  return [...(await ofApplication()), ...(await idleOfHost())];
}

async function ofApplication(): Promise<BenchResult[]> {
  using folder = indexedFolder();
  const { some } = folder;
  writeFileSync(layoutFile(folder.path), JSON.stringify({ tabs: tabsOfAll() }));
  const { app, page, close } = await launchApp({ dataDir: folder.path });
  try {
    await page.waitForSelector('html[data-ready]');
    const pid = app.process().pid ?? 0;
    const [first, cpuOfFirst] = await withCpu(
      pid,
      () => clicks(page),
      ({ length }) => length,
    );
    const [again, cpuOfAgain] = await withCpu(
      pid,
      () => clicks(page),
      ({ length }) => length,
    );
    const [jumped, cpuOfJump] = await withCpu(
      pid,
      () => jumps(page),
      ({ length }) => length,
    );
    const words = some.filter((word) => /^[a-z]{6}/.test(word)).slice(0, WORDS);
    const typed = words.map((word) => word.slice(0, 6));
    const countOf = (times: { short: number[]; long: number[] }) => times.short.length + times.long.length;
    const [{ short, long }, cpuOfKey] = await withCpu(pid, () => keys(page, typed), countOf);
    await page.keyboard.press('Control+1');
    const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
    const row = (name: string, times: readonly number[], cpuMs: number, limit: number) => {
      const cpu = `p50 ${percentile(times, 0.5).toFixed(1)} ms; CPU of all processes ${cpuMs.toFixed(0)} ms each`;
      return result(
        `${name}, p95`,
        percentile(times, 0.95),
        'ms',
        limit,
        `${cpu}; ${times.length} times; ${load}`,
      );
    };
    return [
      row('click to painted list, first', first, cpuOfFirst, PAINTED_MS),
      row('click to painted list, again', again, cpuOfAgain, PAINTED_MS),
      row('jump to any row', jumped, cpuOfJump, JUMP_MS),
      row('key to painted results', long, cpuOfKey, PAINTED_MS),
      row('the same, one and two letters', short, cpuOfKey, SHORT_MS),
      ...(await idle(pid)),
    ];
  } finally {
    await close();
  }
}
