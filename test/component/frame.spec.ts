/** The frame: tabs, palette, sheet of shortcuts and theme. Also every view in the accessibility checker. */
import type { Page } from '@playwright/test';
import { openPlace, openPlaceToStay, sidebar, sidebarLine } from '../helpers/places.ts';
import { violations, violationsInDark } from './accessibility.ts';
import { callsOf, expect, expectCalls, openCatalog, openEntities, test } from './fixtures.ts';

const section = (page: Page, name: string) => openPlace(page, name);

async function openDataset(page: Page): Promise<void> {
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await expect(page.getByRole('grid', { name: 'Items of Refund questions' })).toBeVisible();
}

const VIEWS: Record<string, { scenario?: object; go: (page: Page) => Promise<unknown> }> = {
  welcome: { scenario: { isFirstRun: true }, go: async () => undefined },
  'new connection': {
    scenario: { isFirstRun: true },
    go: async (page) => {
      await page.getByRole('button', { name: /Connect to a service/ }).click();
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByText('Network').click();
    },
  },
  applications: { go: async () => undefined },
  catalog: { go: openEntities },
  values: {
    go: async (page) => {
      await openEntities(page);
      await page.getByRole('gridcell').first().dblclick();
      await expect(page.getByRole('grid', { name: 'Values of gen_ai.user.count' })).toBeVisible();
    },
  },
  attributes: {
    go: async (page) => {
      await section(page, 'Attributes');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attributes');
    },
  },
  datasets: {
    go: async (page) => {
      await section(page, 'Datasets');
      await expect(page.getByRole('row', { name: /^Refund questions/ })).toBeVisible();
    },
  },
  'dataset items': { go: openDataset },
  'dataset schema': {
    go: async (page) => {
      await openDataset(page);
      await page.getByRole('tab', { name: /^Schema/ }).click();
      await expect(page.getByRole('region', { name: 'Schema' })).toBeVisible();
    },
  },
  traffic: {
    go: async (page) => {
      await section(page, 'Requests');
      await expect(page.getByText('60 requests', { exact: true })).toBeVisible();
    },
  },
  'failed list': { scenario: { lists: 'failed', network: 'unreachable' }, go: openCatalog },
  'nothing stored': { scenario: { lists: 'broken', network: 'unreachable' }, go: openCatalog },
  palette: {
    go: async (page) => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('option', { name: /Claims triage/ })).toBeVisible();
    },
  },
  shortcuts: {
    go: async (page) => {
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    },
  },
};

for (const [name, { scenario, go }] of Object.entries(VIEWS)) {
  test(`${name}: passes the accessibility checker in both themes`, async ({ open }) => {
    const page = await open({ ...scenario, theme: 'light' });
    await go(page);
    expect(await violations(page)).toEqual([]);
    expect(await violationsInDark(page)).toEqual([]);
  });
}

test('nothing is cut off in the smallest window', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1000, height: 640 });
  await openEntities(page);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow).toBe(0);
  await expect(page.getByRole('button', { name: 'Columns' })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('switch', { name: 'Work offline' })).toBeInViewport({ ratio: 1 });
});

test('scrolls the line of the open section into view in a low window, however it was opened', async ({
  open,
}) => {
  const page = await open();
  await page.setViewportSize({ width: 1000, height: 400 });
  const line = sidebarLine(page, 'Settings');
  await expect(line).not.toBeInViewport();
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');
  await expect(line).toBeInViewport({ ratio: 1 });
});

test('keeps the active tab visible when the window becomes narrow', async ({ open }) => {
  const page = await open();
  for (const title of ['Datasets', 'Alert rules', 'Charts', 'Requests']) await openPlaceToStay(page, title);
  await expect(page.getByRole('tab', { name: 'Requests', exact: true })).toBeInViewport({ ratio: 0.95 });
  await page.setViewportSize({ width: 700, height: 640 });
  await expect(page.getByRole('tab', { name: 'Requests', exact: true })).toBeInViewport({ ratio: 0.95 });
  // The other tabs were moved to make it visible.
  await expect(page.getByRole('tab').first()).not.toBeInViewport({ ratio: 0.95 });
});

test('finds commands, open tabs and stored records in the palette, and opens them on Enter', async ({
  open,
}) => {
  const page = await open();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await expect(field).toBeFocused();
  await field.fill('claims');
  await expect(page.getByRole('option', { name: /Claims triage/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Claims triage');
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('go to req');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Requests');
});

test('lists the keys on ?, but not while typing', async ({ open }) => {
  const page = await open();
  await openCatalog(page);
  const search = page.getByRole('textbox', { name: 'Filter the loaded entities' });
  await search.focus();
  await page.keyboard.type('?');
  await expect(search).toHaveValue('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeHidden();
  // No name contains a question mark, and without rows there is no grid.
  await search.fill('');
  await page.getByRole('grid').focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText(
    'Show or hide sidebar',
  );
});

test('closes and reopens tabs, and stores them for the next start', async ({ open }) => {
  const page = await open();
  await openCatalog(page);
  await section(page, 'Datasets');
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await expect(tab('Datasets')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Control+w');
  await expect(tab('Datasets')).toBeHidden();
  await page.keyboard.press('Control+Shift+T');
  await expect(tab('Datasets')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Control+PageUp');
  await expect(tab('Support assistant')).toHaveAttribute('aria-selected', 'true');
  await expect
    .poll(async () => {
      const kept = (await callsOf(page, 'layout:write')).filter(({ argument }) => argument['key'] === 'tabs');
      const value = kept.at(-1)?.argument['value'] as { list: { kind: string }[] } | undefined;
      return value?.list.map(({ kind }) => kind);
    })
    .toEqual(['catalog', 'datasets']);
});

test('switches theme and sidebar by command', async ({ open }) => {
  const page = await open({ theme: 'light' });
  await page.getByRole('button', { name: 'Switch to dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Control+b');
  await expect(sidebar(page)).toBeHidden();
});

test('reports once that the first view shows its content', async ({ open }) => {
  const page = await open();
  await openCatalog(page);
  await section(page, 'Requests');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Requests');
  await expectCalls(page, 'app:report-ready', ['catalog'], ({ view }) => view);
});

test('reports again when a connection replaces the welcome page, for which external open requests wait', async ({
  open,
}) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expectCalls(page, 'app:report-ready', ['welcome', 'catalog'], ({ view }) => view);
});
