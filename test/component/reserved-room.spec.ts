/** Controls and rows do not move when the content of a view arrives, as its space is reserved. */
import type { Page } from '@playwright/test';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

type Boxes = Record<string, string>;

const PARTS =
  'main :is(button, input, select, [role="combobox"], [role="tab"], [role="grid"], [role="columnheader"])';

/**
 * Positions of all controls, of the column headings and of the first cell by name, after they are drawn. Numbers in
 * names are ignored, as they can arrive later. If several have the same name, the first one is used.
 */
const boxesOf = (page: Page): Promise<Boxes> =>
  page.evaluate(async (parts) => {
    // A grid gets the width of its view before a frame is drawn, but scripts may read positions before that.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const found: Boxes = {};
    const note = (name: string, element: Element | null) => {
      if (name in found || element === null || !element.checkVisibility()) return;
      const { left, top, right } = element.getBoundingClientRect();
      found[name] = [left, top, right].map(Math.round).join(' ');
    };
    for (const part of document.querySelectorAll(parts)) {
      const words = part.getAttribute('aria-label') ?? part.textContent ?? '';
      const name = words.replaceAll(/[\d,.]+/g, '').trim();
      if (!name.startsWith('Age of this content')) note(`${part.tagName} ${name}`, part);
    }
    note('first cell', document.querySelector('main [role="row"] [role="gridcell"]'));
    return found;
  }, PARTS);

const VIEWS: Record<string, { kind: string; params: Record<string, string> }> = {
  catalog: { kind: 'catalog', params: { applicationId: 'a', applicationName: 'Support assistant' } },
  attributes: { kind: 'attributes', params: {} },
  datasets: { kind: 'datasets', params: {} },
  'items of a dataset': { kind: 'dataset', params: { datasetId: 'd', name: 'Golden questions' } },
  spans: { kind: 'spans', params: {} },
  'alert rules': { kind: 'alert-rules', params: {} },
  models: { kind: 'resources', params: { resource: 'models' } },
  'jobs of the service': { kind: 'resources', params: { resource: 'jobs' } },
};
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1000, height: 640 },
];

/** Parts that moved between opening a view and the arrival of its rows, with both positions. */
async function movedBy(
  page: Page,
  lists: 'full' | 'empty',
): Promise<Record<string, [string, string | undefined]>> {
  await page.getByRole('tab', { name: 'Opened', exact: true }).click();
  const main = page.getByRole('main');
  const age = main.getByRole('button', { name: /^Age of this content/ });
  await expect(age).toHaveText(/loading/);
  await expect(main.getByRole('columnheader').first()).toBeVisible();
  const before = await boxesOf(page);
  await page.evaluate((mode) => (globalThis as unknown as FakeWindow).fakeListsArrive(mode), lists);
  await expect(age).toHaveText(/live/);
  if (lists === 'full')
    await expect(main.getByRole('gridcell').filter({ hasText: /\w/ }).first()).toBeVisible();
  const after = await boxesOf(page);
  const moved = Object.entries(before).filter(([name, box]) => name in after && after[name] !== box);
  return Object.fromEntries(moved.map(([name, box]) => [name, [box, after[name]]]));
}

for (const [name, { kind, params }] of Object.entries(VIEWS)) {
  for (const size of SIZES) {
    for (const lists of ['full', 'empty'] as const) {
      const what = lists === 'full' ? 'when its rows arrive' : 'if it turns out to be empty';
      test(`keeps the places of the parts of the view of ${name}, ${size.width} px wide, ${what}`, async ({
        open,
      }) => {
        const list = [
          { id: '0', kind: 'catalog', title: 'Catalog', params: {} },
          { id: '1', kind, title: 'Opened', params },
        ];
        const page = await open({ lists: 'loading', layout: { tabs: { list, activeId: '0' } } });
        await page.setViewportSize(size);
        expect(await movedBy(page, lists)).toEqual({});
      });
    }
  }
}
