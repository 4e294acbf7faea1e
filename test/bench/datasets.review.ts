/**
 * A scripted reviewer who decides 600 spans by keys alone, with failure kinds, notes and undos. A step is the time from
 * the key to the next drawn span, by the clock of the window: the built renderer in Chromium, with a fake main process
 * in a separate thread.
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
import { openPlace } from '../helpers/places.ts';
import { traceTasks } from '../helpers/thread-trace.ts';

const SPANS = 600;
/** At least one span per second, with each step too short to notice. */
const MIN_PER_MINUTE = 60;
const STEP_MS = 50;
const FRAME_MS = 16;
const NOTE_EVERY = 10;

/** Selects 1,000 spans and starts their review. */
async function openReview(page: Page): Promise<void> {
  await openPlace(page, 'Spans');
  await page.getByRole('button', { name: 'More tools' }).click();
  const tools = page.getByRole('dialog', { name: 'More tools' });
  await tools.getByRole('button', { name: 'Select all 1,000' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '1,000 selected' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByRole('group', { name: 'Review' }).waitFor();
  await page.keyboard.press('n');
  await page.keyboard.press('Escape');
}

/** Milliseconds from the key to the first frame that shows another span. Runs in the window. */
async function pressed(key: string): Promise<number> {
  const pane = document.querySelector('[role="group"][aria-label="Review"]');
  const shown = () => pane?.querySelector('header b')?.textContent ?? '';
  const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  // Waits until there is a span to decide.
  while (shown() === '') await frame();
  const before = shown();
  const from = performance.now();
  const code = /\d/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
  pane?.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
  while (shown() === '' || shown() === before) await frame();
  await frame();
  return performance.now() - from;
}

async function review(page: Page): Promise<{ steps: number[]; seconds: number }> {
  const kinds = page.getByRole('textbox', { name: 'New failure kind' });
  for (const kind of ['Invents a policy', 'Too long', 'Wrong tone']) {
    await kinds.fill(kind);
    await page.keyboard.press('Enter');
  }
  const steps: number[] = [];
  const from = performance.now();
  for (let at = 0; at < SPANS; at += 1) {
    if (at % NOTE_EVERY === 0) {
      await page.keyboard.press('n');
      await page.keyboard.type('Counts the voucher as money.');
      await page.keyboard.press('Escape');
    }
    const keys = ['a', 'a', 'r', '1', 's', '2', 'a', '3', 'a', 'k'] as const;
    steps.push(await page.evaluate(pressed, keys[at % keys.length] ?? 'a'));
  }
  return { steps, seconds: (performance.now() - from) / 1_000 };
}

export async function run(): Promise<BenchResult[]> {
  if (findChromium() === null) return [result('review', Number.NaN, 'ms', STEP_MS, 'no Chromium here')];
  await bundle(() => undefined, { only: 'window' });
  await using site = await serveRenderer(join(import.meta.dirname, '../../dist/renderer'), 'apart.ts');
  const browser = await launchChromium();
  try {
    const { page } = await openApart(await openContext(browser), site.url, {});
    await page.waitForSelector('html[data-ready]');
    await openReview(page);
    let { steps, seconds } = { steps: [] as number[], seconds: 0 };
    const cost = await traceTasks(page, FRAME_MS, async () => {
      ({ steps, seconds } = await review(page));
    });
    const load = `load ${loadavg()[0]?.toFixed(1)}`;
    const most = `${steps.length} steps, longest ${Math.max(...steps).toFixed(0)} ms; half within ${percentile(steps, 0.5).toFixed(0)} ms; ${load}`;
    const tasks = `on the processor; 99% ${cost.p99Ms.toFixed(1)} ms, ${cost.over} of ${cost.tasks} tasks over a frame`;
    const pace = 'more is better; every tenth span has a note';
    return [
      result('a scripted reviewer: spans', (60 * steps.length) / seconds, 'a minute', MIN_PER_MINUTE, pace),
      result('its steps, 95%: key to next span drawn', percentile(steps, 0.95), 'ms', STEP_MS, most),
      result('its steps: longest task', cost.longestMs, 'ms', STEP_MS, tasks),
    ];
  } finally {
    await browser.close();
  }
}
