/** Shortcuts are changed in their dialog, and the palette, the window and the settings then use the new ones. */

import { openPlace, sidebar } from '../helpers/places.ts';
import { violations } from './accessibility.ts';
import { callsOf, expect, openCatalog, test } from './fixtures.ts';

test('records a shortcut, reassigns it from another command, rejects one, and resets it', async ({
  open,
}) => {
  const page = await open();
  await openCatalog(page);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByRole('button', { name: 'Change shortcuts…' }).click();
  const keys = dialog.getByRole('button', { name: /(Change shortcut of|Esc to cancel:) Refresh/ });
  const saved = async () => (await callsOf(page, 'settings:set')).at(-1)?.argument['shortcuts'];

  await keys.click();
  await page.keyboard.press('Control+c');
  await expect(dialog.getByRole('alert')).toHaveText('Ctrl+C is reserved: it copies.');
  await page.keyboard.press('Control+b');
  await expect(dialog.getByRole('alert')).toContainText('Ctrl+B belongs to “Show or hide sidebar”.');
  await dialog.getByRole('button', { name: 'Reassign' }).click();
  await expect(keys).toHaveText('Ctrl+B');
  expect(await saved()).toEqual({ 'view.refresh': '$mod+KeyB', 'view.toggle-sidebar': null });
  expect(await violations(page)).toEqual([]);

  await keys.click();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('Control+b');
  await expect(sidebar(page)).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await page.keyboard.type('refresh');
  await expect(page.getByRole('option', { name: /^Refresh/ })).toContainText('Ctrl+B');
  await page.keyboard.press('Escape');

  await page.locator('body').press('?');
  await dialog.getByRole('button', { name: 'Change shortcuts…' }).click();
  await dialog.getByRole('button', { name: 'Reset all' }).click();
  await expect(keys).toHaveText('Ctrl+R');
  expect(await saved()).toEqual({});
});

test('changes a key of the grid, which applies there and in the row menu, and reports a conflict within its part', async ({
  open,
}) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  const rows = page.getByRole('grid', { name: 'Datasets' });
  await rows.getByRole('row', { name: /^Smoke set/ }).click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByRole('button', { name: 'Change shortcuts…' }).click();
  const keys = dialog.getByRole('button', { name: /(Change shortcut of|Esc to cancel:) Grid: Open($|:)/ });
  await keys.click();
  await page.keyboard.press('x');
  await expect(dialog.getByRole('alert')).toContainText('X belongs to “Grid: Select the highlighted rows”.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await keys.click();
  await page.keyboard.press('o');
  await expect(keys).toHaveText('O');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await rows.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: /^Open/ }).first()).toContainText('O');
  await page.keyboard.press('Escape');
  await rows.focus();
  await page.keyboard.press('o');
  await expect(page.getByRole('grid', { name: 'Items of Smoke set' })).toBeVisible();
});

test('finds shortcuts by words and by keys', async ({ open }) => {
  const page = await open();
  await openCatalog(page);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const field = dialog.getByRole('textbox', { name: 'Find a shortcut' });
  await expect(field).toBeFocused();
  await field.fill('extend selection');
  await expect(dialog.getByRole('term')).toHaveText(['Extend the selection']);
  await field.fill('ctrl+shift+e');
  await expect(dialog.getByRole('term').first()).toContainText('Export');
  await field.fill('no such key');
  await expect(dialog.getByRole('status')).toHaveText('No shortcut matches “no such key”.');
  expect(await violations(page)).toEqual([]);
});
