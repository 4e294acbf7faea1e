/** Fields of items are edited in the cells of their grid, filled down, or pasted as a block. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { expect, layoutOf, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

const cellsOf = (page: Page) => ({
  grid: page.getByRole('grid', { name: /^Items of / }),
  field: page.getByRole('textbox', { name: /^\w+ of item / }),
  bar: page.getByRole('region', { name: 'Changes of the items' }),
  changed: page.locator('[data-change="changed"]'),
  question: (row: number) =>
    page
      .getByRole('grid', { name: /^Items of / })
      .getByRole('row')
      .filter({ has: page.locator(`[data-field="inputs.question"]:has-text("order ${10_000 + row}")`) })
      .locator('[data-field="inputs.question"]'),
});

/** Pastes like the browser, which sends an event with data to the focused element. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((copied) => {
    const data = new DataTransfer();
    data.setData('text/plain', copied);
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  }, text);
}

test('edits cells by keyboard, with Enter, F2, Tab and Escape, and checks JSON as it is typed', async ({
  open,
}, info) => {
  const page = await open();
  await openDataset(page);
  const { grid, field, bar, changed, question } = cellsOf(page);
  await question(0).click();
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await page.keyboard.type('When do I get it back?');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('Today?');
  await page.keyboard.press('Tab');
  // The next field of the item is open. The first one is changed, with its old value struck through.
  await expect(field).toHaveAccessibleName(/^locale of item /);
  await expect(changed).toHaveCount(1);
  await expect(changed).toContainText('When do I get it back?');
  await expect(changed.locator('del')).toContainText('Where is my refund');
  await expect(bar).toContainText('1 edited.');
  await page.keyboard.type('xx');
  await page.keyboard.press('Escape');
  await expect(grid).toBeFocused();
  await expect(changed).toHaveCount(1);
  // The other values are numbers, so a text is refused until the user marks it as a text.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  await expect(field).toHaveAccessibleName(/^turns of item /);
  await page.keyboard.type('{"a": ');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await takePictures(page, info, 'cell');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await field.fill('9007199254740993');
  await field.press('Enter');
  await expect(grid).toBeFocused();
  await expect(changed).toHaveCount(2);
  await expect(changed.last()).toContainText('9,007,199,254,740,993');
  await page.keyboard.press('Control+z');
  await expect(changed).toHaveCount(1);
  // The original value was typed again, so there is nothing to send.
  await changed.dblclick();
  await field.fill('Where is my refund for order 10000? It was promised within five working days.');
  await field.press('Enter');
  await expect(bar).toBeHidden();
});

test('fills highlighted rows and pastes a block of cells as one step, and says what did not fit', async ({
  open,
}) => {
  const page = await open();
  await openDataset(page);
  const { grid, field, bar, changed, question } = cellsOf(page);
  await question(0).click();
  await question(2).click({ modifiers: ['Shift'] });
  await page.keyboard.press('F2');
  await expect(page.getByText('Ctrl Enter fills 3 items')).toBeVisible();
  await field.fill('Same for all?');
  await field.press('Control+Enter');
  await expect(bar).toContainText('3 edited.');
  await expect(changed).toHaveCount(3);
  await page.keyboard.press('Control+z');
  await expect(bar).toBeHidden();
  await question(1).click();
  await expect(grid).toBeFocused();
  await paste(page, 'First?\tnl-NL\t7\r\n"Two\nlines?"\tda-DK\tmany\r\n');
  await expect(bar).toContainText('2 edited.');
  await expect(changed).toHaveCount(6);
  await expect(changed.first()).toContainText('First?');
  await expect(page.getByText('6 values of 2 items pasted. 1 value became text: no JSON.')).toBeVisible();
  // An open cell is kept while another tab is shown, and the changes are still there afterwards.
  await question(5).dblclick();
  await field.fill('Kept?');
  await page.getByRole('tab', { name: /^Schema/ }).click();
  await page.getByRole('tab', { name: /^Items/ }).click();
  await expect(bar).toContainText('3 edited.');
  // A value that is not JSON yet is neither lost nor sent: no other cell can be opened, and the value is still there
  // after another tab was shown.
  await page.locator('[data-field="inputs.turns"]').nth(4).click();
  await page.keyboard.press('F2');
  await field.fill('{"a": ');
  await question(6).dblclick();
  await expect(field).toHaveValue('{"a": ');
  await page.getByRole('tab', { name: /^Schema/ }).click();
  await page.getByRole('tab', { name: /^Items/ }).click();
  await expect(field).toHaveValue('{"a": ');
  const next = cellsOf(await open({ layout: await layoutOf(page) }));
  await expect(next.field).toHaveValue('{"a": ');
  await field.press('Escape');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(bar).toBeHidden();
});

test('makes new items from a pasted table with names of fields, told and undone in one step', async ({
  open,
}) => {
  const page = await open();
  await openDataset(page);
  const { bar, question } = cellsOf(page);
  await question(1).click();
  const table =
    'question\tlocale\tverdict_by_people\r\nWho pays?\tde-DE\tinsurer\r\nSince when?\tfr-FR\tnobody\r\n';
  await paste(page, table);
  await expect(bar).toContainText('2 new.');
  await expect(page.getByText('2 new items: question, locale')).toBeVisible();
  await bar.getByRole('button', { name: 'Show changes' }).click();
  const list = page.getByRole('list', { name: 'Changes one by one' });
  await expect(list.getByRole('listitem')).toHaveText([/Who pays\?/, /Since when\?/]);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(bar).toBeHidden();
  // Pasting also works outside of the rows, but not while the user types.
  await page.getByRole('tab', { name: /^Items/ }).focus();
  await paste(page, table);
  await expect(bar).toContainText('2 new.');
  await page.keyboard.press('Control+z');
  await expect(bar).toBeHidden();
  await page.getByRole('textbox', { name: /^Filter the loaded/ }).focus();
  await paste(page, table);
  await expect(bar).toBeHidden();
});

test('leads from pasted rows of a dataset without a version to reading all items', async ({ open }) => {
  const page = await open({ versions: 'none' });
  await openDataset(page);
  const { grid, bar } = cellsOf(page);
  await grid.focus();
  await paste(page, 'inputs.question\tinputs.locale\r\nWho pays?\tnl-NL\r\nWhen?\tda-DK\r\n');
  await expect(bar).toContainText('2 new.');
  await expect(bar).toContainText('There is none yet: read all items once.');
  await bar.getByRole('button', { name: 'Read all items…' }).click();
  await expect(page.getByRole('dialog', { name: /^Keep .* offline$/ })).toBeVisible();
});

test('shows what was pasted into a dataset without items, and says how to begin', async ({ open }, info) => {
  const params = { datasetId: '29fd94f9-4f1c-4d2a-9b77-5ec7a1fc226d', name: 'New set' };
  const tab = { id: '1', kind: 'dataset', title: 'New set', params };
  const page = await open({ lists: 'empty', layout: { tabs: { list: [tab], activeId: '1' } } });
  await expect(page.getByText('This dataset has no items yet.')).toBeVisible();
  await paste(page, 'inputs.question\tinputs.locale\r\nWho pays?\tnl-NL\r\nWhen?\tda-DK\r\n');
  await expect(page.getByText('This dataset has no items yet.')).toBeHidden();
  await expect(page.getByText('2 new items, not sent yet.')).toBeVisible();
  const list = page.getByRole('list', { name: 'Changes one by one' });
  await expect(list.getByRole('listitem')).toHaveText([/Who pays\?/, /When\?/]);
  await takePictures(page, info, 'dataset-first-items');
  await page.keyboard.press('Control+z');
  await expect(page.getByText('This dataset has no items yet.')).toBeVisible();
});
