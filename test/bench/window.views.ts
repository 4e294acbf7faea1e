/**
 * How long each view takes from the click that opens it for the first time to its painted content. Each view is opened
 * in a separate window, before that window has loaded the code of views while idle. The window is the built renderer in
 * Chromium with a fake main process in another process.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { bundle } from '../../build/bundle.ts';
import {
  findChromium,
  launchChromium,
  openApart,
  openContext,
  serveRenderer,
} from '../component/renderer-page.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { percentile } from '../helpers/percentile.ts';
import { openPlace, placeTitles } from '../helpers/places.ts';

const LIMIT_MS = 300;
/** Number of slowest views to name. */
const NAMED = 5;
/** Maximum time in ms. A view without content by then is an error. */
const MAX_MS = 30_000;

interface Click {
  /** Time by the clock of the window, in ms. */
  atMs: number;
}

/** Records the last click, and marks the title of the view that it replaces. Runs in the window. */
function watchClicks(): void {
  const note = (): void => {
    Object.assign(globalThis, { click: { atMs: performance.now() } satisfies Click });
    document.querySelector('[data-view="active"] h1')?.setAttribute('data-old', '');
  };
  document.addEventListener('click', note, { capture: true });
}

/**
 * Milliseconds from the last click to the frame with the content of another view; null if there is none. Runs in the
 * window.
 */
function untilShown(maxMs: number): Promise<number | null> {
  const { click } = globalThis as unknown as { click: Click };
  const view = '[data-view="active"]';
  const waits = '[data-skeleton], [role="grid"][aria-busy="true"], figure[aria-busy="true"]';
  const isShown = (): boolean =>
    document.querySelector(`${view} h1:not([data-old])`) !== null &&
    document.querySelector(`${view} h1[data-old]`) === null &&
    document.querySelector(`${view} :is(${waits})`) === null;
  return new Promise((resolve) => {
    const look = (): void => {
      if (isShown()) requestAnimationFrame(() => resolve(performance.now() - click.atMs));
      else if (performance.now() - click.atMs > maxMs) resolve(null);
      else requestAnimationFrame(look);
    };
    look();
  });
}

export async function run(): Promise<BenchResult[]> {
  if (findChromium() === null) return [result('views', Number.NaN, 'ms', LIMIT_MS, 'no Chromium here')];
  await bundle(() => undefined, { only: 'window' });
  await using site = await serveRenderer(join(import.meta.dirname, '../../dist/renderer'), 'apart.ts');
  const browser = await launchChromium();
  const inWindow = async <T>(act: (page: Page) => Promise<T>): Promise<T> => {
    const { page } = await openApart(await openContext(browser), site.url, {});
    await page.waitForSelector('html[data-ready]');
    const answer = await act(page);
    await page.context().close();
    return answer;
  };
  try {
    const shownAtStart = await inWindow((page) => page.locator('[data-view="active"] h1').textContent());
    const titles = (await inWindow(placeTitles)).filter((title) => title !== shownAtStart?.trim());
    const shown: { title: string; ms: number }[] = [];
    for (const title of titles) {
      const ms = await inWindow(async (page) => {
        await page.evaluate(watchClicks);
        await openPlace(page, title);
        return page.evaluate(untilShown, MAX_MS);
      });
      if (ms === null) throw new Error(`Expected the content of ${title} within ${MAX_MS} ms, got none.`);
      shown.push({ title, ms });
    }
    const slowest = shown.toSorted((a, b) => b.ms - a.ms);
    const times = slowest.map(({ ms }) => ms).toReversed();
    const named = slowest.slice(0, NAMED).map(({ title, ms }) => `${title} ${ms.toFixed(0)}`);
    const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
    return [
      result(
        'a view opened for the first time, slowest',
        times.at(-1) ?? Number.NaN,
        'ms',
        LIMIT_MS,
        named.join(', '),
      ),
      result(
        'a view opened for the first time, median',
        percentile(times, 0.5),
        'ms',
        LIMIT_MS,
        `${times.length} views; ${load}`,
      ),
    ];
  } finally {
    await browser.close();
  }
}
