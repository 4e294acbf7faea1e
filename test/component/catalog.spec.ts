/** The catalog: entities without values, the way back to the list, one tab per subject. */
import type { Page } from '@playwright/test';
import { forEachPlace, openPlace } from '../helpers/places.ts';
import { expect, openEntities, test } from './fixtures.ts';

const section = (page: Page, name: string) => openPlace(page, name);
const tabs = (page: Page) => page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab');

test('explains why a numeric entity has no values, shows known facts, and links to its spans', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  const row = page
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell', { name: 'numeric', exact: true }) });
  const name = (await row.first().getByRole('gridcell').first().textContent())?.trim() ?? '';
  await row.first().getByRole('gridcell').first().dblclick();
  await expect(page.getByRole('status').filter({ hasText: 'it is numeric' })).toContainText(name);
  const main = page.getByRole('main');
  await expect(main.locator('dl').getByText('numeric', { exact: true })).toBeVisible();
  await expect(main.locator('dl')).toContainText('Last seen');
  await main.getByRole('button', { name: /^Show spans up to \d+ \w+ \d{4}$/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/Spans|Support/);
  await expect(tabs(page).last()).toContainText(`Spans: ${name}`);
});

test('shows the distribution of a numeric entity over the stored spans, and opens the spans of a bar', async ({
  open,
}) => {
  const key = 'request.gen_ai.input';
  const page = await open({
    spans: Array.from({ length: 60 }, (_, index) => ({ span_attributes: { [key]: index } })),
  });
  await openEntities(page);
  await page.getByRole('gridcell', { name: key, exact: true }).first().dblclick();
  const main = page.getByRole('main');
  await expect(main.getByText('Counted over the 60 of')).toBeVisible();
  const bars = main.getByRole('group', { name: `Values of ${key}` }).getByRole('button');
  await expect(main.getByText('because it is numeric')).toBeVisible();
  const first = bars.first();
  await expect(first).toHaveAccessibleName(/^\S+ 0 to 2, 3$/);
  await first.click();
  await expect(tabs(page).last()).toContainText(`Spans: ${key}`);
  await expect(main.getByTitle('3 of 1,000 spans')).toBeVisible();
});

test('opens the list from its sidebar line, and uses one tab per subject', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const cell = page.getByRole('gridcell', { name: 'gen_ai.user.count', exact: true }).first();
  await cell.dblclick();
  const search = page.getByRole('textbox', { name: 'Filter the loaded values' });
  await search.fill('a');
  await search.press('Enter');
  await section(page, 'Catalog');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Catalog');
  await expect(page.getByRole('grid', { name: 'Applications' })).toBeVisible();
  const before = await tabs(page).count();
  await page.getByRole('gridcell', { name: 'Support assistant', exact: true }).dblclick();
  await cell.dblclick();
  await expect(page.getByRole('button', { name: 'Remove search a' })).toBeVisible();
  await expect(tabs(page)).toHaveCount(before);
});

test('keeps one preview tab for the places of the sidebar, and a double-click keeps it open', async ({
  open,
}) => {
  const page = await open();
  const last = tabs(page).last();
  await forEachPlace(page, async (title) => {
    // A board is named after its subject.
    const name = title === 'Boards' ? / board\s*$/ : title;
    if (title !== 'Catalog') await expect(tabs(page)).toHaveText(['Catalog', name]);
  });
  await openPlace(page, 'Charts');
  await last.dblclick();
  await openPlace(page, 'Datasets');
  await expect(tabs(page)).toHaveText(['Catalog', 'Charts', 'Datasets']);
  await page.keyboard.press('Control+BracketLeft');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Charts');
  await page.keyboard.press('Control+BracketRight');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Datasets');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Charts');
});

test('keeps a preview open in which a filter was typed or a row ticked, but not one that was only looked through', async ({
  open,
}) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  await page.getByPlaceholder('Filter rows').fill('refund');
  await openPlace(page, 'Charts');
  await openPlace(page, 'Baselines');
  await expect(tabs(page)).toHaveText(['Catalog', 'Datasets', 'Baselines']);
  await page.getByRole('gridcell').first().click();
  await page.keyboard.press('ArrowDown');
  await openPlace(page, 'Spans');
  await expect(tabs(page)).toHaveText(['Catalog', 'Datasets', 'Spans']);
  await page.getByRole('grid').getByRole('checkbox').nth(1).check();
  await openPlace(page, 'Charts');
  await expect(tabs(page)).toHaveText(['Catalog', 'Datasets', 'Spans', 'Charts']);
  await tabs(page).nth(1).click();
  await expect(page.getByPlaceholder('Filter rows')).toHaveValue('refund');
});

test('leads back and forward through both sides of the window', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  await page.keyboard.press('Control+Backslash');
  const [left, right] = [page.getByRole('main'), page.locator('[data-view]:not(main)')];
  await expect(right).toHaveAccessibleName('Datasets');
  await expect(right).toHaveAttribute('data-view', 'active');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(left).toHaveAttribute('data-view', 'active');
  await expect(left).toHaveAccessibleName('Catalog');
  await page.getByRole('button', { name: 'Forward', exact: true }).click();
  await expect(right).toHaveAttribute('data-view', 'active');
});

test('leads from an attribute to its values and to the spans with it', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Attributes');
  const grid = page.getByRole('grid', { name: 'Attributes' });
  await expect(grid.getByRole('group', { name: 'Values of Data type' })).toBeVisible();
  // All tools are in one row, even in a small window.
  await page.setViewportSize({ width: 1000, height: 640 });
  const tops = ['Application', 'Scope'].map((name) => page.getByRole('combobox', { name, exact: true }));
  const tools = page.getByRole('main').getByRole('button', { name: 'More tools' });
  const middles = await Promise.all(
    [...tops, tools].map(async (each) => {
      const box = await each.boundingBox();
      return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2);
    }),
  );
  expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4);
  const name = await grid.getByRole('row').nth(1).getByRole('gridcell').first().innerText();
  await grid.getByRole('row').nth(1).getByRole('gridcell').first().dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(page.getByRole('grid', { name: `Values of ${name}` })).toBeVisible();
});

test('names fields and entity types in words', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Data type', exact: true }).click();
  await page.getByRole('checkbox', { name: 'numeric' }).click();
  await page.keyboard.press('Escape');
  await expect(main.getByRole('button', { name: 'Remove Data type numeric' })).toBeVisible();
  await main.getByRole('gridcell', { name: 'numeric', exact: true }).first().dblclick();
  const type = main.getByRole('combobox', { name: 'Entity type' });
  await expect(type).toHaveValue('Attribute');
  await type.click();
  await expect(page.getByRole('option')).toHaveText(['Attribute', 'Agent', 'Span type', 'Span name']);
});
