/** F6 goes through the parts of the window, and back to where one was. */
import { expect, test } from './fixtures.ts';

test('F6 goes round, Shift F6 back, and each part remembers its place', async ({ open }) => {
  const page = await open();
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('button', { name: 'Datasets' }).click();
  await expect(page.getByRole('gridcell', { name: 'Refund questions', exact: true })).toBeVisible();
  await page.keyboard.press('F6');
  await expect(page.getByRole('tab', { name: 'Datasets' })).toBeFocused();
  await page.keyboard.press('F6');
  await expect(page.getByRole('grid', { name: 'Datasets' })).toBeFocused();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('F6');
  await expect(page.getByRole('grid', { name: 'Datasets' })).toBeFocused();
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('Shift+F6');
  await expect(sections.getByRole('button', { name: 'Datasets' })).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await page.keyboard.press('F6');
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
});

test('the view that comes in place of the focused rows gets the focus: Enter after Enter leads on', async ({
  open,
}) => {
  const page = await open();
  const applications = page.getByRole('grid', { name: 'Applications' });
  await applications.getByRole('gridcell').first().click();
  await expect(applications).toBeFocused();
  await page.keyboard.press('Enter');
  const entities = page.getByRole('grid', { name: /^Entities of/ });
  await expect(entities).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // No values are known there: without rows it is the view itself.
  await expect(entities).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();
  // Closing a tab leaves nobody between two views either.
  await page.keyboard.press('Control+w');
  await expect(entities).toBeFocused();
});

test('a tab that is chosen by its own button keeps the focus there', async ({ open }) => {
  const page = await open();
  const button = page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Datasets' });
  await button.click();
  await expect(page.getByRole('gridcell', { name: 'Refund questions', exact: true })).toBeVisible();
  await expect(button).toBeFocused();
});
