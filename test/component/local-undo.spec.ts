/** Local actions are undone by Ctrl+Z, or by a button of the message that reported them. */

import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import { callsOf, expect, expectCalls, test } from './fixtures.ts';

test('undoes closed tabs, stars, removed lines and settings one after the other', async ({ open }) => {
  const page = await open();
  const go = (name: string) => openPlace(page, name);
  const strip = page.getByRole('tablist', { name: 'Open tabs', exact: true });
  await openPlaceToStay(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await go('Home');
  const recent = page.getByRole('region', { name: 'Stars and recent' });
  const line = recent.getByRole('button', { name: 'Refund questions', exact: true });
  const star = recent.getByRole('button', { name: 'Star Refund questions' });
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await recent.getByRole('button', { name: 'Remove Refund questions from this list' }).click();
  await expect(line).toBeHidden();
  await expect(page.getByText('Removed “Refund questions” from the list')).toBeVisible();
  await strip.getByRole('tab', { name: 'Datasets' }).click();
  await page.keyboard.press('Control+w');
  await expect(strip.getByRole('tab', { name: 'Datasets' })).toHaveCount(0);

  await page.keyboard.press('Control+z');
  await expect(strip.getByRole('tab', { name: 'Datasets' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('Undone: Closed “Datasets”')).toBeVisible();
  await page.keyboard.press('Control+z');
  await go('Home');
  await expect(line).toBeVisible();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Control+z');
  await expect(star).toHaveAttribute('aria-pressed', 'false');
  const settings = (await callsOf(page, 'settings:set')).length;
  await page.keyboard.press('Control+z');
  expect(await callsOf(page, 'settings:set')).toHaveLength(settings);

  await page.keyboard.press('Control+Comma');
  const density = page.getByRole('group', { name: 'Row density' });
  await density.getByRole('combobox').selectOption('Compact, 24 px');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
  await expect(page.getByRole('button', { name: 'Undo “Row density”' })).toBeVisible();
  // In the search field, the shortcut undoes typing.
  await density.getByRole('combobox').press('Control+z');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'default');
});

test('redoes undone actions, and keeps discarded and dropped things for undo', async ({ open }) => {
  const page = await open({ outbox: 'full', kept: 'full' });
  const go = (name: string) => openPlace(page, name);
  const dialog = page.getByRole('dialog');
  await go('Outbox');
  const change = page.getByRole('article', { name: 'Create a project: Spring campaign' });
  await change.getByRole('button', { name: 'Discard' }).click();
  await dialog.getByRole('button', { name: 'Discard change' }).click();
  await expect(change.getByRole('button', { name: 'Discard' })).toBeHidden();
  await go('Offline library');
  const entry = page.getByRole('button', { name: 'Bank churn', exact: true });
  await entry.focus();
  await page.keyboard.press('Delete');
  await dialog.getByRole('button', { name: 'Drop' }).click();
  await expect(page.getByText('Dropped “Bank churn”')).toBeVisible();
  await expect(entry).toBeHidden();

  await page.keyboard.press('Control+z');
  await expect(entry).toBeVisible();
  await page.keyboard.press('Control+Shift+z');
  await expect(entry).toBeHidden();
  await expect(page.getByText('Redone: Dropped “Bank churn”')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(entry).toBeVisible();
  await page.keyboard.press('Control+z');
  await go('Outbox');
  await expect(change.getByRole('button', { name: 'Discard' })).toBeVisible();
  await page.keyboard.press('Control+Shift+z');
  await expect(change.getByRole('button', { name: 'Discard' })).toBeHidden();
  await expectCalls(page, 'jobs:control', [
    { kind: 'outbox', id: 'outbox-5', action: 'cancel' },
    { kind: 'keep-offline', id: 'kept-4', action: 'restore' },
    { kind: 'keep-offline', id: 'kept-4', action: 'restore' },
    { kind: 'outbox', id: 'outbox-5', action: 'restore' },
    { kind: 'outbox', id: 'outbox-5', action: 'cancel' },
  ]);
});

test('deletes a chart at once, and restores it', async ({ open }) => {
  const body = { queries: [], bin_size: 'hour' };
  const list = [{ id: 'c1', name: 'Refunds a day', body, about: '', right: [], savedAtMs: 1 }];
  const tab = { id: '1', kind: 'charts', title: 'Charts', params: {} };
  const page = await open({ layout: { tabs: { list: [tab], activeId: '1' }, charts: { list } } });
  const cell = page.getByRole('gridcell', { name: 'Refunds a day' });
  await cell.click();
  await page.getByRole('button', { name: 'Delete this chart' }).click();
  await expect(page.getByText('No saved charts yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(cell).toBeVisible();
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect(cell).toBeHidden();
});

test('restores all tabs of “Close the others”, and closes and restores them again', async ({ open }) => {
  const others = Array.from({ length: 26 }, (_, at) => ({
    ...{ id: `t${at}`, kind: 'values', title: `attribute ${at}` },
    params: { applicationId: 'a', entityType: 'attribute', name: `attribute ${at}` },
  }));
  const home = { id: 'home', kind: 'start', title: 'Home', params: {} };
  const page = await open({ layout: { tabs: { list: [home, ...others], activeId: 'home' } } });
  const strip = page.getByRole('tablist', { name: 'Open tabs', exact: true });
  const tabs = strip.getByRole('tab', { name: /^(attribute \d+|Home)$/ });
  await expect(tabs).toHaveCount(27);
  const before = await tabs.allInnerTexts();
  await strip.getByRole('tab', { name: 'Home' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Close the others' }).click();
  await expect(tabs).toHaveCount(1);
  for (const [step, count] of [
    ['Control+z', 27],
    ['Control+Shift+z', 1],
    ['Control+z', 27],
  ] as const) {
    await page.keyboard.press(step);
    await expect(tabs).toHaveCount(count);
  }
  expect(await tabs.allInnerTexts()).toEqual(before);
});
