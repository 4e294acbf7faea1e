/** A selection stays on its records when the list changes at the service. */
import type { ListQuery } from '../../electron/shared/model.ts';
import { openPlace } from '../helpers/places.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

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

  await page.evaluate(async () => {
    const fake = globalThis as unknown as FakeWindow;
    const ask = fake.fakeCalls.findLast(
      ({ channel, argument }) =>
        channel === 'library:open-list' &&
        (argument as { query: ListQuery }).query.operation === 'baselines.list',
    );
    Object.assign(fake.scenario ?? {}, { removedRows: { 'baselines.list': 1 } });
    const answer = await window.spandeck?.invoke('library:open-list', ask?.argument);
    fake.fakeEvent('library:list-changed', (answer as { value: unknown }).value);
  });
  await expect(selected.first()).toHaveAttribute('aria-rowindex', '2');
  expect(await selected.allTextContents()).toEqual(before);
});
