/**
 * How long the threads of the window and of the main process are blocked while a user works on large data: 100,000
 * rows, 10,000 points, 10,000 requests. The window is the built renderer in Chromium with a fake main process in
 * another process, so that reading an answer counts and making it does not. The main process is measured with the real
 * library, and compared with an idle moment. Blocked times grow with other load of the machine, which the noise shows;
 * the processor time of a task does not.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Locator, Page } from '@playwright/test';
import { bundle } from '../../build/bundle.ts';
import type { Scenario } from '../component/fake-main/scenario.ts';
import {
  findChromium,
  launchChromium,
  openApart,
  openContext,
  serveRenderer,
} from '../component/renderer-page.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { entities } from '../helpers/catalog-lists.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { MovingList } from '../helpers/moving-list.ts';
import { percentile } from '../helpers/percentile.ts';
import { openPlace } from '../helpers/places.ts';
import { type TaskCost, traceTasks } from '../helpers/thread-trace.ts';
import { type TurnCost, turnsOf } from '../helpers/turn-cost.ts';

const ROWS = 100_000;
const POINTS = 10_000;
/** Number of charts on a board, all visible in a large window. */
const TILES = 12;
const REQUESTS = 10_000;
const FRAME_MS = 16;
const MAIN_MS = 10;
const STEPS = 60;
/**
 * Time in ms after which a window begins to load the code of its views, and the length of a pause that means it has
 * ended.
 */
const FIRST_QUIET_MS = 4_000;
const LOADED_MS = 2_000;
const WAYS = { wheel: 'by wheel', pages: 'page by page', ends: 'from end to end' } as const;

interface Held {
  cost: TaskCost;
  frameP95Ms: number;
}

/** Starts to record the frames of the window. Runs in the window. */
function startFrames(): void {
  const notes = { frames: [] as number[], isOver: false };
  Object.assign(globalThis, { drawn: notes });
  let frame = performance.now();
  const draw = (now: number): void => {
    notes.frames.push(now - frame);
    frame = now;
    if (!notes.isOver) requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
}

/** Milliseconds between frames. Runs in the window, so it cannot use names of this file. */
function endFrames(): number[] {
  const { drawn } = globalThis as unknown as { drawn: { frames: number[]; isOver: boolean } };
  drawn.isOver = true;
  return drawn.frames;
}

/** Resolves once the window has loaded the code of all views, which it does shortly after its start. */
async function whenLoaded(page: Page): Promise<void> {
  const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').length);
  await page.waitForTimeout(FIRST_QUIET_MS);
  for (let before = -1, now = await loaded(); now !== before; ) {
    await page.waitForTimeout(LOADED_MS);
    [before, now] = [now, await loaded()];
  }
}

async function during(page: Page, act: () => Promise<void>): Promise<Held> {
  let frames: number[] = [];
  const cost = await traceTasks(page, FRAME_MS, async () => {
    await page.evaluate(startFrames);
    await act();
    await page.waitForTimeout(300);
    frames = await page.evaluate(endFrames);
  });
  return { cost, frameP95Ms: percentile(frames.slice(1), 0.95) };
}

/** Timers do not show how long tasks occupied the thread: Chromium postpones them while the user scrolls or types. */
const rowsOf = (name: string, { cost, frameP95Ms }: Held): BenchResult[] => {
  const { byClock } = cost;
  const waited = `by the clock, ${byClock.onProcessorMs.toFixed(1)} ms of it on the processor; ${byClock.over} of ${cost.tasks} tasks longer`;
  const frames = `frames of ${frameP95Ms.toFixed(1)} ms (95%)`;
  const tasks = `on the processor; 99% ${cost.p99Ms.toFixed(1)} ms, ${cost.over} of ${cost.tasks} tasks longer`;
  return [
    result(`window, ${name}: longest hold`, byClock.longestMs, 'ms', FRAME_MS, waited),
    result(`window, ${name}: hold, 99%`, byClock.p99Ms, 'ms', FRAME_MS, frames),
    result(`window, ${name}: longest task`, cost.longestMs, 'ms', FRAME_MS, tasks),
  ];
};

async function openCatalog(page: Page): Promise<void> {
  await page.getByRole('gridcell', { name: 'Support assistant', exact: true }).dblclick();
  await page.getByText('100,000 entities', { exact: true }).waitFor();
}

/** Scrolls at the pace of a user: one turn of the wheel, or one key, per drawn frame. */
async function scroll(page: Page, grid: string | RegExp, way: 'wheel' | 'ends' | 'pages'): Promise<void> {
  const rows = page.getByRole('grid', { name: grid });
  await rows.hover();
  await rows.focus();
  const keys = way === 'ends' ? ['Control+End', 'Control+Home'] : ['PageDown'];
  const steps = way === 'ends' ? 4 : STEPS;
  for (let step = 0; step < steps; step += 1) {
    if (way === 'wheel') await page.mouse.wheel(0, 1_500);
    else await page.keyboard.press(keys[step % keys.length] ?? '');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
}

/** A saved chart of one metric, which the first tab shows. */
function withChart(): Scenario {
  const query = { query_key: crypto.randomUUID(), model_id: 'm', metric: 'traffic', columns: [] };
  const body = {
    project_id: 'p',
    query_type: 'MONITORING',
    filters: { time_label: '30d', time_range: null, time_zone: 'UTC', bin_size: 'Day' },
    queries: [{ ...query, viz_type: 'line' }],
  };
  const chart = { id: 'c', name: 'Long chart', body, about: 'Card fraud', right: [], savedAtMs: 1 };
  const tabs = [
    { id: '1', kind: 'charts', title: 'Charts', params: {} },
    { id: '2', kind: 'chart', title: 'Long chart', params: { chartId: 'c' } },
  ];
  return { bins: POINTS, layout: { charts: { list: [chart] }, tabs: { list: tabs, activeId: '1' } } };
}

/** A board of charts with three lines each, all visible. */
function withBoard(): Scenario {
  const tiles = Array.from({ length: TILES }, (_, at) => ({
    ...{ id: `t${at}`, title: `Chart ${at + 1}`, about: 'Card fraud', right: [], top: 0 },
    body: {
      project_id: 'p',
      query_type: 'MONITORING',
      queries: [
        { query_key: 'k', model_id: 'm', metric: `metric ${at}`, columns: ['a', 'b', 'c'], viz_type: 'line' },
      ],
    },
  }));
  const params = { board: 'own:bench', tiles: JSON.stringify(tiles) };
  const tab = { id: '1', kind: 'board', title: 'Long board', params };
  return { bins: 90, layout: { tabs: { list: [tab], activeId: '1' } } };
}

/** Moves the pointer over the whole width of a chart. */
async function sweep(page: Page, chart: Locator): Promise<void> {
  const { x, y, width, height } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + 60, y + height / 2);
  await page.mouse.move(x + width - 20, y + height / 2, { steps: 200 });
}

/** Selects a range by dragging over the bars of a histogram, to its end. */
async function draw(page: Page, bars: Locator): Promise<void> {
  const [first, last] = [await bars.nth(5).boundingBox(), await bars.last().boundingBox()];
  if (first === null || last === null) throw new Error('Expected bars above the spans.');
  await page.mouse.move(first.x + 1, first.y + 10);
  await page.mouse.down();
  await page.mouse.move(last.x + 1, last.y + 10, { steps: 60 });
  await page.mouse.up();
}

async function measureWindow(): Promise<BenchResult[]> {
  await bundle(() => undefined, { only: 'window' });
  await using site = await serveRenderer(join(import.meta.dirname, '../../dist/renderer'), 'apart.ts');
  const browser = await launchChromium();
  const results: BenchResult[] = [];
  const open = async (scenario: Scenario): Promise<Page> => {
    const { page } = await openApart(await openContext(browser), site.url, scenario);
    await page.waitForSelector('html[data-ready]');
    return page;
  };
  const openLoaded = async (scenario: Scenario): Promise<Page> => {
    const page = await open(scenario);
    await whenLoaded(page);
    return page;
  };
  try {
    const lists = await open({ entities: ROWS, storedRows: ROWS });
    results.push(...rowsOf('the code of all views is loaded', await during(lists, () => whenLoaded(lists))));
    await openCatalog(lists);
    results.push(
      ...rowsOf('nothing happens (noise)', await during(lists, () => lists.waitForTimeout(2_000))),
    );
    for (const way of ['wheel', 'pages', 'ends'] as const) {
      const beat = await during(lists, () => scroll(lists, /^Entities of/, way));
      results.push(...rowsOf(`100,000 rows, ${WAYS[way]}`, beat));
    }
    const narrow = lists.getByRole('textbox', { name: /^Filter the loaded/ });
    const typed = await during(lists, () => narrow.pressSequentially('unknown', { delay: 60 }));
    results.push(...rowsOf('narrowing them as one types', typed));
    const spans = await openLoaded({});
    await openPlace(spans, 'Spans');
    const bars = spans.getByRole('group', { name: 'Values of Start' }).getByRole('button');
    await bars.last().waitFor();
    results.push(
      ...rowsOf('spans, wheel', await during(spans, () => scroll(spans, /^Spans of/, 'wheel'))),
      ...rowsOf('drawing a time range over them', await during(spans, () => draw(spans, bars))),
    );
    await spans.getByRole('tab', { name: 'Sessions' }).click();
    await spans.getByRole('grid', { name: /^Sessions of/ }).waitFor();
    results.push(
      ...rowsOf('sessions, wheel', await during(spans, () => scroll(spans, /^Sessions of/, 'wheel'))),
    );
    const runs = await openLoaded({ comparedItems: ROWS });
    await openPlace(runs, 'Experiments');
    await runs
      .getByRole('grid', { name: 'Experiments' })
      .getByRole('gridcell', { name: /^Prompt v1/ })
      .dblclick();
    const other = runs.getByRole('combobox', { name: 'Compare with' });
    await other.waitFor();
    const items = runs.getByRole('grid', { name: 'Compared items' });
    const compared = await during(runs, async () => {
      await other.selectOption('Prompt v2, shorter answers');
      await items.getByRole('row').nth(3).waitFor();
    });
    results.push(
      ...rowsOf('comparing two runs of 100,000 items', compared),
      ...rowsOf('compared items, wheel', await during(runs, () => scroll(runs, 'Compared items', 'wheel'))),
    );
    const words = runs.getByRole('textbox', { name: 'Words in outputs' });
    const searched = await during(runs, () => words.pressSequentially('refund', { delay: 60 }));
    results.push(...rowsOf('searching words in them as one types', searched));
    const chart = await openLoaded(withChart());
    const drawn = await during(chart, async () => {
      await chart.getByRole('tab', { name: 'Long chart' }).click();
      await chart.getByRole('slider', { name: /^Time in/ }).waitFor();
    });
    results.push(...rowsOf('opening a chart of 10,000 points', drawn));
    const board = await openLoaded(withBoard());
    await board.setViewportSize({ width: 1_600, height: 1_200 });
    const first = board.getByRole('slider', { name: 'Time in Chart 1', exact: true });
    await first.waitFor();
    await board.locator(`section.tile:nth-child(${TILES}) canvas`).waitFor();
    results.push(
      ...rowsOf(
        `the crosshair over ${TILES} charts of 90 days`,
        await during(board, () => sweep(board, first)),
      ),
    );
    const traffic = await openLoaded({ requests: REQUESTS });
    await openPlace(traffic, 'Requests');
    await traffic.getByText('10,000 requests', { exact: true }).waitFor();
    for (const way of ['wheel', 'ends'] as const) {
      const beat = await during(traffic, () => scroll(traffic, 'Requests', way));
      results.push(...rowsOf(`10,000 requests, ${WAYS[way]}`, beat));
    }
  } finally {
    await browser.close();
  }
  return results;
}

/** Waits a moment, so that the event loop can handle other work, as between two messages of the window. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Longest delay of the event loop during the work in ms, and the cost of its turns. */
async function held(act: () => Promise<unknown>): Promise<{ longestMs: number; cost: TurnCost }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await turn();
  const cost = await turnsOf(MAIN_MS, act);
  await turn();
  delay.disable();
  return { longestMs: Math.max(0, delay.max / 1e6 - 1), cost };
}

async function measureMain(): Promise<BenchResult[]> {
  await using list = await MovingList.start();
  await using rig = new LibraryRig(list.server.baseUrl);
  list.reset(entities(ROWS));
  Object.assign(rig.settings, { pageRows: 1_000, prefetchRows: 1_000_000 });
  const query = { operation: 'catalog.list', path: { application_id: 'app' }, query: {} } as const;
  await rig.read(query);
  const rows: BenchResult[] = [];
  const row = async (name: string, note: string, act: () => Promise<unknown>): Promise<void> => {
    const { longestMs, cost } = await held(act);
    const turns = `on the processor; 99% ${cost.p99Ms.toFixed(1)} ms, ${cost.over} of ${cost.turns} turns longer`;
    rows.push(
      result(`main, ${name}: longest hold`, longestMs, 'ms', MAIN_MS, note),
      result(`main, ${name}: longest turn`, cost.longestMs, 'ms', MAIN_MS, turns),
    );
  };
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 1_000));
  const sort = { field: 'row_count', isDescending: true };
  await row('nothing happens (noise)', '', pause);
  await row('200 rows of 100,000, 20 times', '', async () => {
    for (let page = 0; page < 20; page += 1) {
      await rig.rows(query, { offset: page * 5_000 });
      await turn();
    }
  });
  await row('100,000 rows narrowed', 'first letter to last', async () => {
    for (const narrow of ['e', 'ent', 'entity_9', 'entity_9999']) {
      await rig.rows(query, { narrow });
      await turn();
    }
  });
  await row('100,000 rows sorted', '', () => rig.rows(query, { sort }));
  return rows;
}

export async function run(): Promise<BenchResult[]> {
  const main = await measureMain();
  if (findChromium() === null)
    return [...main, result('window', Number.NaN, 'ms', FRAME_MS, 'no Chromium here')];
  return [...(await measureWindow()), ...main];
}
