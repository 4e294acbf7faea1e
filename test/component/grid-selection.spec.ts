/** A selection stays on its records when the list changes at the service. */
import type { Page } from '@playwright/test';
import type { ListQuery } from '../../electron/shared/model.ts';
import { openPlace } from '../helpers/places.ts';
import { openDataset } from './dataset-steps.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { openMapping } from './span-steps.ts';

/** Removes the first records from a list at the service. */
async function removeFirst(page: Page, count: number, operation = 'baselines.list'): Promise<void> {
  await page.evaluate(
    async ([removed, listed]) => {
      const fake = globalThis as unknown as FakeWindow;
      const ask = fake.fakeCalls.findLast(
        ({ channel, argument }) =>
          channel === 'library:open-list' && (argument as { query: ListQuery }).query.operation === listed,
      );
      Object.assign(fake.scenario ?? {}, { removedRows: { [listed]: removed } });
      const answer = await window.spandeck?.invoke('library:open-list', ask?.argument);
      fake.fakeEvent('library:list-changed', (answer as { value: unknown }).value);
    },
    [count, operation] as const,
  );
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

test('opens, edits and overwrites no record that took the place of the selected one', async ({ open }) => {
  const page = await open({});
  await openDataset(page);
  const grid = page.getByRole('grid', { name: /^Items of / });
  const selected = grid.locator('[role=row][aria-selected=true]');
  const field = page.getByRole('textbox', { name: /^\w+ of item / });
  const changes = page.getByRole('region', { name: 'Changes of the items' });
  const question = (row: number) =>
    grid.locator(`[data-field="inputs.question"]:has-text("order ${10_000 + row}")`);
  await question(0).click();
  await removeFirst(page, 1, 'datasets.items');
  await expect(question(0)).toHaveCount(0);
  await expect(selected).toHaveCount(0);

  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'Overwritten?');
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await expect(page.getByText('The selected item is gone. Select the item to paste at.')).toBeVisible();
  await expect(changes).toBeHidden();

  // The first key selects the row, the second one edits its field.
  await grid.press('F2');
  await expect(selected).toHaveCount(1);
  await expect(field).toHaveCount(0);
  await grid.press('F2');
  await expect(field).toBeFocused();
  // If the item of an open field is gone, Tab keeps its text and opens no field of another item.
  await field.fill('Kept?');
  await removeFirst(page, 2, 'datasets.items');
  await expect(question(1)).toHaveCount(0);
  await field.press('Tab');
  await expect(grid).toBeFocused();
  await expect(field).toHaveCount(0);
});

test('selects the row of the cursor before Enter opens it', async ({ open }) => {
  const page = await open({});
  await openPlace(page, 'Datasets');
  const grid = page.getByRole('grid', { name: 'Datasets' });
  const rows = grid.getByRole('row').filter({ has: page.getByRole('gridcell') });
  const selected = grid.locator('[role=row][aria-selected=true]');
  await rows.first().click();
  const count = await rows.count();
  await removeFirst(page, 1, 'datasets.list');
  await expect(rows).toHaveCount(count - 1);
  await expect(selected).toHaveCount(0);
  await grid.press('Enter');
  await expect(selected).toHaveCount(1);
  await expect(grid).toBeVisible();
  await grid.press('Enter');
  await expect(grid).toBeHidden();
});

test('shows no record in the inspector after its row of a table is gone', async ({ open }) => {
  const page = await open({});
  await openPlace(page, 'Models');
  await page.getByRole('grid', { name: 'Models' }).getByRole('gridcell').first().dblclick();
  await page.getByRole('tab', { name: 'Schema 2' }).click();
  const schema = page.getByRole('grid', { name: 'Schema' });
  const rows = schema.getByRole('row').filter({ has: page.getByRole('gridcell') });
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await rows.first().click();
  await page.keyboard.press('Control+i');
  const name = (await rows.first().getByRole('gridcell').first().textContent()) ?? '';
  await expect(inspector).toContainText(name);
  const removeColumns = (left: number) =>
    page.evaluate(async (kept) => {
      const fake = globalThis as unknown as FakeWindow;
      const ask = fake.fakeCalls.findLast(
        ({ channel, argument }) =>
          channel === 'library:open-record' &&
          (argument as { query: ListQuery }).query.operation === 'models.get',
      );
      const answer = (await window.spandeck?.invoke('library:open-record', ask?.argument)) as {
        value: { record: { schema: { columns: unknown[] } } };
      };
      const { schema, ...record } = answer.value.record;
      const columns = kept === 0 ? [] : schema.columns.slice(-kept);
      fake.fakeEvent('library:record-changed', {
        state: { ...answer.value, record: { ...record, schema: { ...schema, columns } } },
      });
    }, left);
  await removeColumns(1);
  await expect(rows).toHaveCount(1);
  await expect(inspector).not.toContainText(name);
  await schema.press('ArrowDown');
  const left = (await rows.first().getByRole('gridcell').first().textContent()) ?? '';
  await expect(inspector).toContainText(left);
  await removeColumns(0);
  await expect(rows).toHaveCount(0);
  await expect(inspector).not.toContainText(left);
});

test('hands the selection over to the next item when a tick removes the ticked one from the list', async ({
  open,
}) => {
  const page = await open({});
  await openMapping(page);
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await page.getByRole('button', { name: 'Next: preview' }).click();
  const shown = page.getByRole('radiogroup', { name: 'Items shown' });
  await page.getByRole('button', { name: 'Find near-duplicates' }).click();
  await expect(shown).toContainText('Excluded 99');
  await shown.getByText('Excluded 99', { exact: true }).click();
  const items = page.getByRole('grid', { name: 'Items' });
  const selected = items.locator('[role=row][aria-selected=true]');
  const item = page.getByRole('region', { name: 'Item', exact: true });
  await items.getByRole('row').nth(2).getByRole('gridcell').nth(2).click();
  await expect(item.getByRole('region', { name: 'Near-duplicate' })).toContainText('Span 21');
  await items.press('x');
  await expect(shown).toContainText('Excluded 98');
  await expect(selected).toHaveAttribute('aria-rowindex', '3');
  await expect(item.getByRole('region', { name: 'Near-duplicate' })).toContainText('Span 31');
  await items.press('x');
  await expect(shown).toContainText('Excluded 97');
  await expect(item.getByRole('region', { name: 'Near-duplicate' })).toContainText('Span 41');
  await item.getByRole('button', { name: 'Keep this near-duplicate' }).click();
  await expect(shown).toContainText('Excluded 96');
  await expect(item.getByRole('region', { name: 'Near-duplicate' })).toContainText('Span 51');
});

test('selects the first item of another filter, whatever shows it', async ({ open }) => {
  const page = await open({});
  await openMapping(page);
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await page.getByRole('button', { name: 'Next: preview' }).click();
  const items = page.getByRole('grid', { name: 'Items' });
  const selected = items.locator('[role=row][aria-selected=true]');
  const heading = page.getByRole('region', { name: 'Item', exact: true }).getByRole('heading').first();
  const second = items.getByRole('row').nth(2).getByRole('gridcell').nth(2);
  for (const name of ['Show them', 'Find near-duplicates']) {
    await second.click();
    await expect(heading).toHaveText('Item 2');
    await page.getByRole('button', { name }).click();
    await expect(selected).toHaveAttribute('aria-rowindex', '2');
    await expect(heading).toHaveText('Item 1');
  }
});
