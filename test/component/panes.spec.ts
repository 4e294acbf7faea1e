/** F6 moves through the panes of the window, and returns to the last position in each. */

import { sidebarLine } from '../helpers/places.ts';
import { expect, test } from './fixtures.ts';

test('cycles forward by F6 and backward by Shift F6, and each pane remembers its position', async ({
  open,
}) => {
  const page = await open();
  await sidebarLine(page, 'Datasets').click();
  await expect(page.getByRole('row', { name: /^Refund questions/ })).toBeVisible();
  await page.keyboard.press('F6');
  await expect(page.getByRole('tab', { name: 'Datasets' })).toBeFocused();
  await page.keyboard.press('F6');
  await expect(page.getByRole('grid', { name: 'Datasets' })).toBeFocused();
  // The inspector is one of the panes while it is open.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('F6');
  await expect(page.getByRole('grid', { name: 'Datasets' })).toBeFocused();
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('Shift+F6');
  await expect(sidebarLine(page, 'Datasets')).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await page.keyboard.press('F6');
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
});

test('moves the focus to the view that replaces the focused rows, so that repeated Enter continues', async ({
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
  // The list has no rows, so the view itself is focused.
  await expect(entities).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();
  // The focus is not lost either when a tab is closed.
  await page.keyboard.press('Control+w');
  await expect(entities).toBeFocused();
});

test('keeps the focus on the button that chose a tab', async ({ open }) => {
  const page = await open();
  const button = sidebarLine(page, 'Datasets');
  await button.click();
  await expect(page.getByRole('row', { name: /^Refund questions/ })).toBeVisible();
  await expect(button).toBeFocused();
});
