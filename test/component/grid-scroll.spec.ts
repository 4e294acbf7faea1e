/** How scrolling changes the elements of a grid, which is counted and not timed. */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { callsOf, expect, openEntities, test } from './fixtures.ts';

const GRID = 'Entities of Support assistant';
const gridOf = (page: Page) => page.getByRole('grid', { name: GRID });

/** Row numbers in the order of the elements, in which screen readers read them. */
const numbersOf = (grid: Locator): Promise<number[]> =>
  grid
    .locator('[role=row][aria-rowindex]:not([aria-rowindex="1"])')
    .evaluateAll((rows) => rows.map((row) => Number(row.ariaRowIndex)));
const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1);

/** Height of the row area, in rows. */
const rowsHeight = (grid: Locator): Promise<number> =>
  grid.evaluate(({ clientHeight }) => (clientHeight - 30) / 28);

/** Number of elements for a view of this height: the visible rows and some more. */
const wholeCount = async (grid: Locator): Promise<number> => Math.ceil(await rowsHeight(grid)) + 13;

/** Waits until every element is created, positioned and filled, so that nothing remains to be written. */
async function atRest(grid: Locator): Promise<void> {
  const state = async () => {
    const numbers = await numbersOf(grid);
    const missing = (await wholeCount(grid)) - numbers.length;
    const waiting = await grid.locator('[aria-busy=true]').count();
    return { isAscending: isAscending(numbers), missing, waiting };
  };
  await expect.poll(state).toEqual({ isAscending: true, missing: 0, waiting: 0 });
}

interface Changes {
  /** Number of created elements and texts, without the shapes of icons. */
  made: number;
  /** Number of texts written. */
  written: number;
  /** Number of nodes in the grid before and after. */
  nodes: [number, number];
}

/** Scrolls by these steps, one per frame, and counts the changes. Runs in the window. */
async function scrollBy(grid: Element, steps: readonly number[]): Promise<Changes> {
  const nodesOf = () => {
    const walker = document.createTreeWalker(grid, NodeFilter.SHOW_ALL);
    const nodes = new Set<Node>();
    while (walker.nextNode()) nodes.add(walker.currentNode);
    return nodes;
  };
  const before = nodesOf();
  const records: MutationRecord[] = [];
  const observer = new MutationObserver((list) => records.push(...list));
  observer.observe(grid, { subtree: true, childList: true, characterData: true });
  for (const step of steps) {
    grid.scrollTop += step;
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  records.push(...observer.takeRecords());
  observer.disconnect();
  const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
  return {
    made: added.filter((node) => !before.has(node) && !(node instanceof SVGGeometryElement)).length,
    written: records.filter(({ type }) => type === 'characterData').length,
    nodes: [before.size, nodesOf().size],
  };
}

test('reuses rows that leave at one end, and creates nothing at any speed', async ({ open }) => {
  const page = await open({ entities: 100_000 });
  await openEntities(page);
  const grid = gridOf(page);
  await expect(grid.locator('[aria-rowindex="2"]')).toContainText('gen_ai.user');
  await atRest(grid);
  const wheel = Array.from({ length: 12 }, () => 1_500);
  const { made, nodes } = await grid.evaluate(scrollBy, [...wheel, 20, 20, 50_000, 400_000, -30, -450_000]);
  expect(made).toBe(0);
  expect(nodes[1]).toBe(nodes[0]);
  await atRest(grid);
});

test('changes types, icons and failures of spans in place', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Spans');
  const grid = page.getByRole('grid', { name: /^Spans of/ });
  await expect(grid.locator('[aria-rowindex="2"]')).toBeVisible();
  await expect(grid.locator('[aria-busy=true]')).toHaveCount(0);
  const steps = Array.from({ length: 12 }, () => 300);
  const { made, written } = await grid.evaluate(scrollBy, steps);
  expect(written).toBeGreaterThan(100);
  expect(made).toBe(0);
});

test('writes one row per row scrolled, and none within a row', async ({ open }) => {
  const page = await open({ entities: 100_000 });
  await openEntities(page);
  const grid = gridOf(page);
  await grid.evaluate((element) => {
    element.scrollTop = 28 * 40;
  });
  await expect(grid.locator('[aria-rowindex="42"]')).toBeInViewport();
  await atRest(grid);
  const columns = await grid.getByRole('columnheader').count();
  expect((await grid.evaluate(scrollBy, [5, 5])).written).toBe(0);
  expect((await grid.evaluate(scrollBy, [18])).written).toBeLessThanOrEqual(columns);
});

test('orders the row elements for screen readers when scrolling stops', async ({ open }) => {
  const page = await open({ entities: 100_000 });
  await openEntities(page);
  const grid = gridOf(page);
  for (const top of [28 * 17, 28 * 60_000, 28 * 4_090, 28 * 99_990, 0]) {
    await grid.evaluate((element, to) => {
      element.scrollTop = to;
    }, top);
    const first = Math.min(top / 28, 99_999);
    await expect(grid.locator(`[aria-rowindex="${first + 2}"]`)).toBeInViewport();
    await atRest(grid);
  }
});

interface Jump {
  /** How often the number of one row element was written before the elements were ordered; the most. */
  mostWritten: number;
  /** Rows outside the view that were written before. */
  early: number;
  /** The same when they were ordered. */
  late: number;
  /** Cells of text that were restyled while their rows were not loaded. */
  restyled: number;
  /** Values of the row before that were visible while a row was not loaded. */
  left: number;
}

/** Jumps, and returns what was written until the elements are in the order of their rows. Runs in the window. */
async function jumpTo(grid: Element, top: number): Promise<Jump> {
  const counts = new Map<Node, number>();
  const jump: Jump = { mostWritten: 0, early: 0, late: 0, restyled: 0, left: 0 };
  const { top: from, bottom: to } = grid.getBoundingClientRect();
  const isOutside = (row: Node): boolean => {
    if (!(row instanceof Element) || row.ariaRowIndex === null) return false;
    const box = row.getBoundingClientRect();
    return box.top >= to || box.bottom <= from;
  };
  const lookAtWaiting = (): void => {
    for (const cell of grid.querySelectorAll('[role=row][aria-rowindex][aria-busy] [role=gridcell]')) {
      const drawn = cell.querySelector('.share');
      if (drawn?.checkVisibility({ visibilityProperty: true }) === true) jump.left += 1;
      if (drawn !== null) continue;
      if (cell.textContent.trim() !== '') jump.left += 1;
      const colour = getComputedStyle(cell).getPropertyValue('-webkit-text-fill-color');
      if (colour === 'rgba(0, 0, 0, 0)') jump.restyled += 1;
    }
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  // One call has the changes of one update.
  const observer = new MutationObserver((records) => {
    const rows = records.flatMap(({ attributeName, target }) =>
      attributeName === 'aria-rowindex' ? [target] : [],
    );
    const isOrdering = records.some(({ type }) => type === 'childList');
    if (isOrdering) jump.late += rows.filter(isOutside).length;
    else {
      jump.early += rows.filter(isOutside).length;
      for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
      jump.mostWritten = Math.max(...counts.values());
      lookAtWaiting();
    }
    if (isOrdering) resolve();
  });
  const rows = grid.querySelector('.rows');
  if (rows === null) throw new Error('The grid has no rows.');
  const attributeFilter = ['aria-rowindex', 'aria-busy'];
  observer.observe(rows, { subtree: true, childList: true, attributeFilter });
  grid.scrollTop = top;
  await promise;
  observer.disconnect();
  return jump;
}

test('writes each visible row of a jump once, and the rows outside the view when scrolling stops', async ({
  open,
}) => {
  const page = await open({ entities: 100_000 });
  await openEntities(page);
  const grid = gridOf(page);
  await expect(grid.locator('[aria-rowindex="2"]')).toContainText('gen_ai.user');
  await atRest(grid);
  for (const row of [60_007, 12_013, 83_034]) {
    const jump = await grid.evaluate(jumpTo, row * 28);
    expect(jump).toEqual({ mostWritten: 1, early: 0, late: expect.any(Number), restyled: 0, left: 0 });
    expect(jump.late).toBeGreaterThan(0);
    await atRest(grid);
  }
});

test('shows the rows of the list at every position', async ({ open }) => {
  const page = await open({ entities: 20_000 });
  await openEntities(page);
  const grid = gridOf(page);
  for (const row of [0, 3, 90, 95, 5_000, 4_095, 4_097, 19_999, 19_000, 0]) {
    await grid.evaluate((element, to) => {
      element.scrollTop = to * 28;
    }, row);
    const shown = grid.locator(`[aria-rowindex="${row + 2}"]`);
    await expect(shown).toBeInViewport();
    await expect(shown).toHaveCount(1);
    if (row > 99) await expect(shown.getByRole('gridcell').first()).toHaveText(new RegExp(`_${row}$`));
  }
});

test('shows every row after the height of a view has changed several times', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const grid = gridOf(page);
  await expect(grid.locator('[aria-rowindex="20"]')).toBeInViewport();
  for (const height of [420, 900, 500, 800]) {
    await page.setViewportSize({ width: 1_280, height });
    await atRest(grid);
    const shown = await grid.locator('[role=row][aria-rowindex]').allInnerTexts();
    expect(shown.filter((text) => text.trim() === '')).toEqual([]);
  }
});

test("keeps pinned cells in place while columns scroll, and keeps the grid's position in its tab", async ({
  open,
}) => {
  const page = await open();
  await page.setViewportSize({ width: 620, height: 800 });
  await openEntities(page);
  const grid = gridOf(page);
  await grid.focus();
  for (let count = 0; count < 7; count += 1) await page.keyboard.press('PageDown');
  const row = await grid.locator('[aria-selected=true][aria-rowindex]').getAttribute('aria-rowindex');
  const cell = grid.locator(`[aria-rowindex="${row}"]`).getByRole('gridcell').first();
  const before = await cell.boundingBox();
  await page.keyboard.press('End');
  await expect.poll(() => grid.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  await expect.poll(async () => (await cell.boundingBox())?.x).toBe(before?.x);
  const place = () => grid.evaluate(({ scrollTop, scrollLeft }) => [scrollTop, scrollLeft]);
  const kept = await place();
  await page.getByRole('button', { name: 'Datasets', exact: true }).click();
  await expect(grid).toBeHidden();
  await page.getByRole('tab', { name: 'Support assistant' }).click();
  await expect(grid.locator(`[aria-rowindex="${row}"][aria-selected=true]`)).toBeInViewport();
  await expect.poll(place).toEqual(kept);
});

test('shows date and zone of a time on hover', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const grid = gridOf(page);
  const time = grid.locator('[aria-rowindex="5"]').getByRole('gridcell').nth(4);
  await time.hover();
  await expect(time).toHaveAttribute('title', /2026 at \d\d:\d\d:\d\d/);
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  const titleUnderCursor = () =>
    grid.evaluate((element) => {
      const under = element.getAttribute('aria-activedescendant') ?? '';
      return document.getElementById(under)?.getAttribute('title') ?? '';
    });
  await expect.poll(titleUnderCursor).toMatch(/2026 at \d\d:\d\d:\d\d/);
  expect((await callsOf(page, 'library:read-rows')).length).toBeGreaterThan(0);
});
