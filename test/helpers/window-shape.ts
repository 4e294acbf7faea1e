/** The cost of a window with large data: a trace of many spans, a text of megabytes, a million rows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { bundle } from '../../build/bundle.ts';
import type { Scenario } from '../component/fake-main/scenario.ts';
import {
  findChromium,
  launchChromium,
  openApart,
  openContext,
  serveRenderer,
} from '../component/renderer-page.ts';
import { type BenchResult, result } from './bench-result.ts';
import { openPlace } from './places.ts';
import { traceTasks } from './thread-trace.ts';

const FRAME_MS = 16;
const MAX_MB = 300;
const ROWS = 1_000_000;
const STEPS = 200;
const TRACES = [
  { spans: 10_000, limitMs: 300 },
  { spans: 32_843, limitMs: 1_000 },
] as const;

/** Measures the built window, with a fake main process in another process. */
export async function windowLines(): Promise<BenchResult[]> {
  if (findChromium() === null) return [result('window', Number.NaN, 'ms', FRAME_MS, 'no Chromium here')];
  await bundle(() => undefined, { only: 'window' });
  await using site = await serveRenderer(join(import.meta.dirname, '../../dist/renderer'), 'apart.ts');
  const browser = await launchChromium();
  const open = async (scenario: Scenario): Promise<Page> => {
    const { page } = await openApart(await openContext(browser), site.url, scenario);
    await page.waitForSelector('html[data-ready]');
    return page;
  };
  try {
    const lines: BenchResult[] = [];
    for (const trace of TRACES) lines.push(...(await traceLines(open, trace)));
    lines.push(...(await cellLines(open)), ...(await scrollLines(open, browser)));
    return lines;
  } finally {
    await browser.close();
  }
}

type Open = (scenario: Scenario) => Promise<Page>;
const catalog = { id: '1', kind: 'catalog', title: 'Catalog', params: {} };

/** Records the last input, and when the expected content was painted after it. Runs in the window. */
function noteTimes({ selector, text }: { selector: string; text: string }): void {
  const times = { pressedMs: 0, paintedMs: 0 };
  Object.assign(globalThis, { times });
  const press = ({ timeStamp }: Event) => {
    times.pressedMs = timeStamp;
    times.paintedMs = 0;
  };
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, press, { capture: true });
  const isThere = () =>
    [...document.querySelectorAll(selector)].some(({ textContent }) => textContent.includes(text));
  const look = () => {
    if (times.pressedMs > 0 && times.paintedMs === 0 && isThere()) times.paintedMs = performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Milliseconds from the last input to the frame after the one that painted the expected content. */
const timeOf = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { times } = globalThis as unknown as { times: { pressedMs: number; paintedMs: number } };
    while (times.paintedMs === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return times.paintedMs - times.pressedMs;
  });

/**
 * The milliseconds that `act` returns, or else its wall time in the window, and the longest task of the window in
 * processor time.
 */
async function watched(
  page: Page,
  act: () => Promise<unknown>,
): Promise<{ ms: number; longestMs: number; note: string }> {
  let ms = 0;
  const cost = await traceTasks(page, FRAME_MS, async () => {
    const from = await page.evaluate(() => performance.now());
    const answered = await act();
    const toMs = await page.evaluate(() => performance.now());
    ms = typeof answered === 'number' ? answered : toMs - from;
  });
  const note = `on the processor; ${cost.over} of ${cost.tasks} tasks longer, 99% ${cost.p99Ms.toFixed(1)} ms`;
  return { ms, longestMs: cost.longestMs, note };
}

async function traceLines(
  open: Open,
  { spans, limitMs }: { spans: number; limitMs: number },
): Promise<BenchResult[]> {
  const params = {
    ...{
      scope: 'trace',
      scope_id: 'trace-of-many',
      application_id: 'a',
      application_name: 'Support assistant',
    },
    ...{ ordering: 'start_time', range: 'fixed' },
    ...{ start: '2026-03-11T00:00:00.000Z', end: '2026-03-13T00:00:00.000Z' },
  };
  const tab = { id: '2', kind: 'trace', title: 'Long trace', params };
  const page = await open({
    traceSpans: spans,
    layout: { tabs: { list: [catalog, tab], activeId: '1' } },
  });
  const tree = page.getByRole('treegrid', { name: 'Spans of the trace as a tree' });
  // Measured from the press on the tab to its rows, and from a key to the row at the cursor. The time in between
  // belongs to the test.
  await page.evaluate(noteTimes, { selector: '[role="treegrid"] [role="row"]:nth-child(4)', text: '' });
  const usable = await watched(page, async () => {
    await page.getByRole('tab', { name: 'Long trace' }).click();
    const rowsMs = await timeOf(page);
    await tree.focus();
    await page.evaluate(noteTimes, {
      selector: '[role="row"][aria-rowindex="2"][aria-selected="true"]',
      text: '',
    });
    await page.keyboard.press('ArrowDown');
    return rowsMs + (await timeOf(page));
  });
  const whole = await watched(page, () =>
    page.locator(`[role="treegrid"][aria-rowcount="${spans}"]`).waitFor({ timeout: 60_000 }),
  );
  await page.close();
  const name = `window, a trace of ${spans.toLocaleString('en-US')} spans`;
  const further = `to its first rows and a key; all of it ${whole.ms.toFixed(0)} ms later`;
  return [
    result(`${name}: usable`, usable.ms, 'ms', limitMs, further),
    result(`${name}: longest task`, Math.max(usable.longestMs, whole.longestMs), 'ms', FRAME_MS, whole.note),
  ];
}

async function cellLines(open: Open): Promise<BenchResult[]> {
  const long = {
    span_type: 'tool',
    name: 'long',
    input: 'a line of a long text\n'.repeat(240_000),
    output: 'x',
  };
  const page = await open({ spans: [{ span_type: 'llm', name: 'short' }, long] });
  await openPlace(page, 'Spans');
  const cell = page.getByRole('gridcell', { name: 'long', exact: true });
  await cell.click();
  await page.evaluate(noteTimes, { selector: 'button', text: 'Show all 5.3 MB' });
  const seen = await watched(page, async () => {
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Show all 5.3 MB' }).waitFor();
    return timeOf(page);
  });
  await page.close();
  return [
    result(
      'window, a cell of 5 MB',
      seen.ms,
      'ms',
      100,
      'from the key to its first lines in the reading pane',
    ),
    result('window, a cell of 5 MB: longest task', seen.longestMs, 'ms', FRAME_MS, seen.note),
  ];
}

/** Memory in MB of the largest process of a window. Known only if /proc reports it. */
async function memoryOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(
      ({ id }) =>
        Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1_024,
    );
  return Math.max(0, ...sizes);
}

async function scrollLines(open: Open, browser: Browser): Promise<BenchResult[]> {
  const page = await open({ entities: ROWS, storedRows: ROWS });
  await page.getByRole('gridcell', { name: 'Support assistant', exact: true }).dblclick();
  await page.getByText('1,000,000 entities', { exact: true }).waitFor();
  const rows = page.getByRole('grid', { name: /^Entities of/ });
  await rows.hover();
  await rows.focus();
  const before = await memoryOf(browser);
  let peak = before;
  const seen = await watched(page, async () => {
    for (let step = 0; step < STEPS; step += 1) {
      if (step % 40 === 39) await page.keyboard.press(step % 80 === 39 ? 'Control+End' : 'Control+Home');
      else if (step % 2 === 0) await page.mouse.wheel(0, 1_500);
      else await page.keyboard.press('PageDown');
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      if (step % 20 === 0) peak = Math.max(peak, await memoryOf(browser));
    }
  });
  await page.close();
  const note = `RSS of the renderer, ${before.toFixed(0)} MB before; ${STEPS} steps by wheel, page and from end to end; with its made-up main`;
  return [
    result('window, scrolling 1,000,000 rows: memory', peak, 'MB', MAX_MB, note),
    result('window, scrolling 1,000,000 rows: longest task', seen.longestMs, 'ms', FRAME_MS, seen.note),
  ];
}
