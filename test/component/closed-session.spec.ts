/** Tabs stay up to date after the session of their connection was closed, e.g. because its settings were saved. */
import type { Page } from '@playwright/test';
import { CONNECTION_ID, type FakeWindow, type Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';

const TABS = [
  { id: '1', kind: 'datasets', title: 'Datasets', params: {} },
  { id: '2', kind: 'catalog', title: 'Catalog', params: {} },
];
const scenario: Scenario = { layout: { tabs: { list: TABS, activeId: '2' } } };

/** Number of times that the list of a tab was opened. */
const openings = async (page: Page, tabId: string): Promise<number> =>
  (await callsOf(page, 'library:open-list')).filter(
    ({ argument: { viewId, query } }) =>
      String(viewId).startsWith(`tab-${tabId}.`) &&
      ['datasets.list', 'applications.list'].includes(Object(query).operation),
  ).length;

/** Number of times that rows of the datasets were read apart from opening their list. */
const reads = async (page: Page): Promise<number> =>
  (await callsOf(page, 'library:read-rows')).filter(
    ({ argument: { query } }) => Object(query).operation === 'datasets.list',
  ).length;

const closeSession = (page: Page, isMoved: boolean): Promise<void> =>
  page.evaluate(
    (payload) => (globalThis as unknown as FakeWindow).fakeEvent('connections:session-closed', payload),
    { connectionId: CONNECTION_ID, isMoved },
  );

const rows = (page: Page) => page.getByRole('grid', { name: 'Datasets' }).getByRole('row');

async function openBoth(open: (scenario?: Scenario) => Promise<Page>): Promise<Page> {
  const page = await open(scenario);
  await expect(page.getByRole('gridcell', { name: 'Support assistant', exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Datasets' }).click();
  await expect(rows(page).filter({ hasText: 'Refund questions' })).toBeVisible();
  return page;
}

test('the list of the shown tab is opened again at once, and that of another tab when it is shown', async ({
  open,
}) => {
  const page = await openBoth(open);
  const [datasets, catalog] = [await openings(page, '1'), await openings(page, '2')];
  expect([datasets, catalog]).toEqual([1, 1]);
  await closeSession(page, false);
  await expect.poll(() => openings(page, '1')).toBe(datasets + 1);
  expect(await openings(page, '2')).toBe(catalog);
  await page.getByRole('tab', { name: 'Catalog' }).click();
  await expect.poll(() => openings(page, '2')).toBe(catalog + 1);
  await page.getByRole('tab', { name: 'Datasets' }).click();
  await expect(rows(page).filter({ hasText: 'Refund questions' })).toBeVisible();
  expect(await openings(page, '1')).toBe(datasets + 1);
});

test('selected rows stay selected with a new token, and not with another address', async ({ open }) => {
  const page = await openBoth(open);
  await rows(page).filter({ hasText: 'Refund questions' }).getByRole('gridcell').first().click();
  await page.keyboard.press('Shift+ArrowDown');
  const selected = rows(page).and(page.locator('[aria-selected="true"]'));
  await expect(selected).toHaveCount(2);
  const texts = await selected.allTextContents();
  const [opened, read] = [await openings(page, '1'), await reads(page)];
  await closeSession(page, false);
  await expect.poll(() => openings(page, '1')).toBe(opened + 1);
  await expect.poll(() => reads(page)).toBeGreaterThan(read);
  await expect(selected).toHaveText(texts);
  await closeSession(page, true);
  await expect(selected).toHaveCount(1);
});
