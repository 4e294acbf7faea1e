/** A selection stays on its records when the list changes at the service. */
import type { Page } from '@playwright/test';
import type { ListQuery } from '../../electron/shared/model.ts';
import { openPlace } from '../helpers/places.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

/** Removes the first baselines from the list at the service. */
async function removeFirst(page: Page, count: number): Promise<void> {
  await page.evaluate(async (removed) => {
    const fake = globalThis as unknown as FakeWindow;
    const ask = fake.fakeCalls.findLast(
      ({ channel, argument }) =>
        channel === 'library:open-list' &&
        (argument as { query: ListQuery }).query.operation === 'baselines.list',
    );
    Object.assign(fake.scenario ?? {}, { removedRows: { 'baselines.list': removed } });
    const answer = await window.spandeck?.invoke('library:open-list', ask?.argument);
    fake.fakeEvent('library:list-changed', (answer as { value: unknown }).value);
  }, count);
}

test('keeps the selected records when a row before them is removed', async ({ open }) => {
  const page = await open({});
  await openPlace(page, 'Baselines');
  const grid = page.getByRole('grid', { name: 'Baselines' });
  const rows = grid.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await rows.nth(1).click();
  await rows.nth(2).click({ modifiers: ['ControlOrMeta'] });
  const selected = grid.locator('[role=row][aria-selected=true]');
  await expect(selected).toHaveCount(2);
  const before = await selected.allTextContents();
  await expect(selected.first()).toHaveAttribute('aria-rowindex', '3');

  await removeFirst(page, 1);
  await expect(selected.first()).toHaveAttribute('aria-rowindex', '2');
  expect(await selected.allTextContents()).toEqual(before);
});

test('selects no row after the selected record was removed elsewhere, until the user moves to one', async ({
  open,
}, info) => {
  const page = await open({});
  await openPlace(page, 'Baselines');
  const grid = page.getByRole('grid', { name: 'Baselines' });
  const rows = grid.getByRole('row').filter({ has: page.getByRole('gridcell') });
  const selected = grid.locator('[role=row][aria-selected=true]');
  await rows.first().click();
  await expect(selected).toHaveCount(1);
  await page.getByRole('heading', { level: 1 }).hover();
  await removeFirst(page, 1);
  await expect(rows).toHaveCount(3);
  await expect(selected).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Delete baselines…' })).toBeDisabled();
  await takePictures(page, info, 'selection-gone');
  await grid.press('ArrowDown');
  await expect(selected).toHaveAttribute('aria-rowindex', '2');
  await expect(page.getByRole('button', { name: 'Delete this baseline…' })).toBeEnabled();
});

for (const [what, count] of [
  ['its record was removed', 1],
  ['one of the selected records was removed', 2],
] as const) {
  test(`opens the menu for the row of the cursor after ${what} elsewhere`, async ({ open }) => {
    const page = await open({});
    await openPlace(page, 'Baselines');
    const grid = page.getByRole('grid', { name: 'Baselines' });
    const rows = grid.getByRole('row').filter({ has: page.getByRole('gridcell') });
    await rows.first().click();
    for (let step = 1; step < count; step += 1) await grid.press('Shift+ArrowDown');
    await removeFirst(page, 1);
    const selected = grid.locator('[role=row][aria-selected=true]');
    await expect(selected).toHaveCount(0);
    await grid.press('Shift+F10');
    await expect(page.getByRole('menu', { name: 'Row' })).toBeVisible();
    await expect(selected).toHaveCount(1);
  });
}
