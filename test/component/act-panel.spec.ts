/** Ctrl+K on a row lists the actions on it with their keys, and pressing it again opens the palette. */
import { openPlace } from '../helpers/places.ts';
import { expect, test } from './fixtures.ts';

test('lists the actions of a row of a list with their keys, and runs the one that is found by its words', async ({
  open,
}) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  const grid = page.getByRole('grid', { name: 'Datasets' });
  await grid.getByRole('gridcell', { name: 'Refund questions' }).click();
  await page.keyboard.press('Control+k');
  const panel = page.getByRole('dialog', { name: 'Actions on this row' });
  const field = panel.getByRole('combobox');
  await expect(field).toBeFocused();
  await expect(panel.getByRole('option').first()).toHaveText(/Enter$/);
  await page.keyboard.type('copy cell');
  await expect(panel.getByRole('option')).toHaveText(['Copy cell', 'Search everything for “copy cell”']);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Cell copied')).toBeVisible();
  await expect(panel).toHaveCount(0);
  await expect(grid).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
});

test('opens the palette if the keys are pressed again, or no row has the cursor', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  await page.getByRole('grid', { name: 'Datasets' }).getByRole('gridcell').nth(1).click();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Actions on this row' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Actions on this row' })).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await page.keyboard.press('Escape');
  await openPlace(page, 'Models');
  await page.getByRole('grid').first().focus();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
});

test('searches everything for a text that is not an action', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  await page.getByRole('grid', { name: 'Datasets' }).getByRole('gridcell').nth(1).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('smoke set');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toHaveValue('smoke set');
  await expect(page.getByRole('option', { name: /^Smoke set/ }).first()).toBeVisible();
});

test('lists the actions of an entry of the palette, and returns to the entries', async ({ open }) => {
  const page = await open();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await field.fill('refund questions');
  await expect(page.getByRole('option', { name: /^Refund questions dataset/ }).first()).toBeVisible();
  await expect(page.getByRole('option').first()).toHaveText(/^Refund questions/);
  await page.keyboard.press('Control+k');
  const acts = page.getByRole('combobox', { name: 'Actions on “Refund questions”' });
  await expect(acts).toBeFocused();
  await expect(page.getByRole('option')).toHaveText([
    'OpenEnter',
    'Open on the other sideCtrl+Enter',
    'Copy the name',
  ]);
  await page.keyboard.press('Escape');
  await expect(field).toBeFocused();
  await field.fill('refund questions');
  await expect(page.getByRole('option').first()).toHaveText(/^Refund questions/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('name');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Name copied')).toBeVisible();
  await expect(field).toHaveCount(0);
});

test('lists the buttons of a job as its actions', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Jobs');
  const link = page.locator('tr .open').first();
  await link.focus();
  const name = await link.innerText();
  await page.keyboard.press('Control+k');
  const panel = page.getByRole('dialog', { name: `Actions on “${name}”` });
  await expect(panel.getByRole('option').first()).toHaveText('OpenEnter');
  await expect(panel.getByRole('option').nth(1)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(link).toBeFocused();
});

test('keeps its actions readable in privacy mode', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('grid', { name: 'Datasets' }).getByRole('gridcell').nth(1).click();
  await page.keyboard.press('Control+k');
  const option = page.getByRole('dialog', { name: 'Actions on this row' }).getByRole('option').first();
  await expect(option).toHaveText(/^Open dataset/);
  await expect(option.locator('.title')).not.toHaveAttribute('data-private');
});
