/** Privacy mode masks displayed text, but not the values that are copied and sorted. */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { openDataset } from './dataset-steps.ts';
import { expect, openEntities, test } from './fixtures.ts';

const isMasked = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-text-security') === 'disc');
/** Name of the active connection in the title bar. */
const connectionName = (page: Page): Locator => page.getByRole('banner').locator('.name');
const DOTS = /^[•\s]+$/;

test('masks names, connections and chosen fields at once, including tooltips, and restores them', async ({
  open,
}) => {
  const page = await open();
  const connection = connectionName(page);
  const cells = page
    .getByRole('grid', { name: 'Applications' })
    .getByRole('row')
    .nth(1)
    .getByRole('gridcell');
  const fieldOf = async (field: string) =>
    (await cells.and(page.locator(`[data-field="${field}"]`)).all())[0];
  const name = await fieldOf('name');
  if (name === undefined) throw new Error('Expected a column of names.');
  const others = await cells.evaluateAll((all) => all.map((cell) => cell.getAttribute('data-field') ?? ''));
  const other = others.find((field) => !['name', 'project', ''].includes(field) && field !== 'pick') ?? '';
  expect(await isMasked(connection)).toBe(false);
  await page.keyboard.press('Control+Shift+P');
  await expect.poll(() => isMasked(connection)).toBe(true);
  await expect(name).toHaveText(DOTS);
  await name.click();
  await page.keyboard.press('Space');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('definition').filter({ hasText: DOTS }).first()).toBeVisible();
  const chosen = await fieldOf(other);
  if (chosen === undefined) throw new Error('Expected a second column.');
  expect(await isMasked(chosen)).toBe(false);

  await page.keyboard.press('Control+,');
  const setting = page.getByRole('textbox', { name: 'Further fields hidden by privacy mode' });
  await setting.fill(other);
  await setting.press('Enter');
  await page.getByRole('tab', { name: /Catalog/ }).click();
  await expect.poll(() => isMasked(chosen)).toBe(true);
  await page.keyboard.press('Control+Shift+P');
  await expect.poll(() => isMasked(chosen)).toBe(false);
  expect(await isMasked(connection)).toBe(false);
  await expect(name).toHaveText('Support assistant');
});

test('masks summaries of a chosen column and search results, but not counts', async ({ open }) => {
  const page = await open({ settings: { privateFields: 'data_type' } });
  await openEntities(page);
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('button', { name: 'Profiles', exact: true }).click();
  const head = page.getByRole('columnheader', { name: 'Data type', exact: true });
  const value = head.getByRole('group', { name: 'Values of Data type' }).getByRole('button').first();
  expect(await isMasked(value.locator('.label'))).toBe(true);
  expect(await isMasked(value.locator('.count'))).toBe(false);
  await value.hover();
  expect(await isMasked(page.getByRole('tooltip').locator('b'))).toBe(true);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('refund');
  await page.getByRole('option', { name: /^All results for “refund”/ }).click();
  const hit = page.getByRole('listbox', { name: 'Found' }).getByRole('option').first();
  expect(await isMasked(hit.locator('.title'))).toBe(true);
});

test('hides short values of the fields of items beside their keys, as fields, in a tree and as text', async ({
  open,
}) => {
  const page = await open({ settings: { privacy: true } });
  await openDataset(page);
  await page.getByRole('gridcell').nth(1).click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const form = inspector.getByRole('group', { name: 'Form of Metadata' });
  const fields = inspector.getByRole('group', { name: 'Metadata', exact: true });
  await expect(fields.locator('dd').first()).toBeVisible();
  for (const value of await fields.locator('dd').all()) expect(await isMasked(value)).toBe(true);
  for (const key of await fields.locator('dt').all()) expect(await isMasked(key)).toBe(false);
  await form.getByRole('button', { name: 'JSON' }).click();
  const metadata = inspector.getByRole('tree', { name: 'Metadata' });
  const values = metadata.locator('.value');
  await expect(values.first()).toBeVisible();
  for (const value of await values.all()) expect(await isMasked(value)).toBe(true);
  for (const key of await metadata.locator('.key').all()) expect(await isMasked(key)).toBe(false);
  await form.getByRole('button', { name: 'Text' }).click();
  await expect(metadata).toBeHidden();
  expect(await isMasked(inspector.locator('[data-field="metadata"] .text').last())).toBe(true);
});

test('hides the tooltip of masked text, and restores it afterwards', async ({ open }) => {
  const page = await open({ settings: { privacy: true } });
  const name = connectionName(page);
  await name.evaluate((element) => element.setAttribute('title', 'Production'));
  await expect(name).toHaveAttribute('title', '•'.repeat('Production'.length));
  await page.keyboard.press('Control+Shift+P');
  await expect(name).toHaveAttribute('title', 'Production');
});

test('shows no names in messages, dialog titles and filters', async ({ open }) => {
  const page = await open({ settings: { privacy: true } });
  const go = (name: string) => openPlace(page, name);
  await go('Datasets');
  const rows = page.getByRole('grid', { name: 'Datasets' });
  const name = rows.locator('[data-field="name"][role="gridcell"]').first();
  await name.click();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: /^Loaded rows: Name is “/ }).click();
  await name.dblclick();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog').getByRole('heading')).toHaveText(/^Delete •+/);
  await page.keyboard.press('Escape');
  await go('Home');
  await page.getByRole('button', { name: /^Remove •+ •+ from this list$/ }).click();
  await expect(page.getByText('Removed “••••••••••••” from the list')).toBeVisible();
});

test('masks the rows of a file that become items', async ({ open }) => {
  const page = await open({ itemFile: 'bad', settings: { privacy: true } });
  await page.getByRole('navigation').getByRole('button', { name: 'Datasets', exact: true }).click();
  await page.getByRole('gridcell').nth(1).dblclick();
  await page.getByRole('button', { name: 'Add items' }).click();
  await page.getByRole('menuitem', { name: 'From a file…' }).click();
  const cells = page.getByRole('region', { name: 'Preview' }).locator('tbody td');
  await expect(cells.first()).toBeVisible();
  await expect.poll(async () => Promise.all((await cells.all()).map(isMasked))).not.toContain(false);
});
