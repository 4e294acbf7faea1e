/** Items of a dataset: their form, and opening the span from which an item was made. */

import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

async function openItems(page: Page): Promise<void> {
  await openDataset(page);
  await expect(
    page
      .getByRole('grid', { name: /^Items of / })
      .getByRole('gridcell')
      .first(),
  ).toBeVisible();
}

test('shows a separate example in each box of a new item, and returns to the dataset on Cancel', async ({
  open,
}) => {
  const page = await open();
  await openItems(page);
  const name = await page.getByRole('heading', { level: 1 }).innerText();
  // With this tab beside the form, Cancel still returns to the dataset.
  await openPlace(page, 'Spans');
  await page.getByRole('tab', { name, exact: true }).click();
  await page.getByRole('button', { name: 'Add items' }).click();
  await page.getByRole('menuitem', { name: 'By hand' }).click();
  const form = page.getByRole('form', { name: 'New items' });
  // The keys of the other items are fields of the form, and each may remain empty.
  const keyed = form.getByRole('group', { name: 'Inputs', exact: true });
  await keyed.getByRole('textbox', { name: 'question', exact: true }).fill('Where is "it"?');
  await keyed.getByRole('textbox', { name: 'locale', exact: true }).fill('3');
  await expect(form).toContainText('locale is sent as the text “3”.');
  await keyed.getByRole('textbox', { name: 'locale', exact: true }).fill('');
  await expect(form).toContainText('Sent as JSON: turns. The other values are sent as texts.');
  await page.getByRole('tab', { name, exact: true }).click();
  await page.getByRole('tab', { name: /^New items/ }).click();
  await expect(keyed.getByRole('textbox', { name: 'question', exact: true })).toHaveValue('Where is "it"?');
  await expect(form.getByRole('group', { name: 'Expected outputs', exact: true })).toBeVisible();
  await keyed.getByRole('textbox', { name: 'question', exact: true }).fill('');
  // The other items have a number in this field, so a text is not accepted.
  const turns = keyed.getByRole('textbox', { name: 'turns', exact: true });
  await turns.fill('often');
  await turns.blur();
  await expect(turns).toHaveAttribute('aria-invalid', 'true');
  await turns.fill('3');
  await expect(turns).toHaveAttribute('aria-invalid', 'false');
  const asJson = form.getByRole('button', { name: / as JSON$/ });
  while ((await asJson.count()) > 0) await asJson.first().click();
  const boxes = ['Inputs', 'Expected outputs', 'Metadata', 'Extras'].map((label) =>
    form.getByRole('textbox', { name: label }),
  );
  const examples = await Promise.all(boxes.map((box) => box.getAttribute('placeholder')));
  expect(new Set(examples).size).toBe(4);
  for (const example of examples) expect(() => JSON.parse(example ?? '')).not.toThrow();
  // Empty values are not part of the JSON that is sent, and the keys of the other items are shown as its example.
  const box = form.getByRole('textbox', { name: 'Inputs', exact: true });
  expect(JSON.parse(await box.inputValue())).toEqual({ turns: 3 });
  expect(JSON.parse(examples[0] ?? '')).toMatchObject({ question: '', turns: null });
  // Keys and values are entered without JSON. Enter adds the key and does not submit the form.
  await form.getByRole('button', { name: 'Add a key to Inputs' }).click();
  const keys = form.getByRole('group', { name: 'A key of Inputs' });
  for (const [key, value] of [
    ['question', 'She said "no". Why?'],
    ['rounds', '4'],
  ] as const) {
    if (key === 'rounds') await keys.getByRole('combobox').selectOption('json');
    await keys.getByRole('textbox', { name: 'Key to add to Inputs' }).fill(key);
    await keys.getByRole('textbox', { name: 'Value of the key of Inputs' }).fill(value);
    await keys.getByRole('textbox', { name: 'Value of the key of Inputs' }).press('Enter');
  }
  const inputs = await form.getByRole('textbox', { name: 'Inputs', exact: true }).inputValue();
  expect(JSON.parse(inputs)).toMatchObject({ question: 'She said "no". Why?', turns: 3, rounds: 4 });
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(page.getByRole('tab', { name: 'New items' })).toBeHidden();
});

test('sends a new item without the fields that were left or made empty, and none without inputs', async ({
  open,
}) => {
  const page = await open();
  await openItems(page);
  await page.getByRole('button', { name: 'Add items' }).click();
  await page.getByRole('menuitem', { name: 'By hand' }).click();
  const form = page.getByRole('form', { name: 'New items' });
  const create = form.getByRole('button', { name: 'Create items' });
  await create.click();
  await expect(form).toContainText('Inputs is required.');
  const keyed = form.getByRole('group', { name: 'Inputs', exact: true });
  const field = (name: string) => keyed.getByRole('textbox', { name, exact: true });
  await field('locale').fill('en');
  await field('locale').fill('');
  await field('question').fill('Where is it?');
  await expect(form).toContainText('Empty fields are left out.');
  // The fields of all groups are aligned, and fields of the metadata of other items are offered too.
  const groups = ['Inputs', 'Expected outputs', 'Metadata'].map((name) =>
    form.getByRole('group', { name, exact: true }).getByRole('textbox').first(),
  );
  const places = await Promise.all(groups.map(async (each) => (await each.boundingBox())?.x));
  expect(new Set(places).size).toBe(1);
  await takePictures(page, test.info(), 'keys');
  await create.click();
  const { body } = await newestCall(page, 'resources:act');
  const { items } = Object(body);
  expect(items).toEqual([{ id: expect.any(String), inputs: { question: 'Where is it?' } }]);
  await expect(page.getByText('1 item added at the end of the dataset')).toBeVisible();
});

test('begins a new item at its first empty field, and says above the form and at its button that nothing can be created', async ({
  open,
}) => {
  const page = await open({ isReadOnly: true });
  await openItems(page);
  await page.getByRole('button', { name: 'Add items' }).click();
  await page.getByRole('menuitem', { name: 'By hand' }).click();
  const form = page.getByRole('form', { name: 'New items' });
  const inputs = form.getByRole('group', { name: 'Inputs', exact: true });
  await expect(inputs.getByRole('textbox').first()).toBeFocused();
  const reason = 'This connection is read-only: it cannot change anything.';
  const create = form.getByRole('button', { name: 'Create items' });
  await expect(create).toBeDisabled();
  await expect(create).toHaveAccessibleDescription(reason);
  // The reason is visible at the top, as otherwise the user would fill in a long form before seeing it.
  await takePictures(page, test.info(), 'read-only', () =>
    expect(page.getByRole('status').getByText(reason)).toBeInViewport({ ratio: 1 }),
  );
  await create.scrollIntoViewIfNeeded();
  await expect(form.getByText(reason)).toBeInViewport({ ratio: 1 });
});

test('keeps the title of a group of columns beside the pinned columns while the grid is scrolled sideways', async ({
  open,
}) => {
  const page = await open();
  await openItems(page);
  const grid = page.getByRole('grid', { name: /^Items of / });
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Id', exact: true }).check();
  await page.keyboard.press('Escape');
  const id = grid.getByRole('columnheader', { name: 'Id', exact: true });
  const title = grid.locator('.groups').getByText('Inputs', { exact: true });
  const gap = async () => {
    const [left, right] = await Promise.all([id.boundingBox(), title.boundingBox()]);
    return (right?.x ?? 0) - ((left?.x ?? 0) + (left?.width ?? 0));
  };
  expect(await gap()).toBeGreaterThanOrEqual(0);
  await grid.evaluate((element) => element.scrollTo(150, 0));
  expect(await grid.evaluate((element) => element.scrollLeft)).toBe(150);
  expect(await gap()).toBeGreaterThanOrEqual(0);
});

test('begins the values of all groups of an item at one edge', async ({ open }) => {
  const page = await open();
  await openItems(page);
  const values = page.getByRole('complementary', { name: 'Inspector' }).locator('.fields > dl > dd');
  await expect(values.nth(3)).toBeVisible();
  const edges = await values.evaluateAll((all) => all.map((value) => value.getBoundingClientRect().left));
  expect(new Set(edges).size).toBe(1);
});

test("opens the source span of an item by the inspector's button", async ({ open }) => {
  const page = await open();
  await openItems(page);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('button', { name: 'Open source span' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Span /);
  await expect(page.getByRole('grid', { name: 'Spans of the span' })).toBeVisible();
  const call = await newestCall(page, 'library:open-list');
  expect(JSON.stringify(call)).toContain('"field":"Span::span_id","operator":"eq"');
});

test('edits, removes and adds items by key and value, and creates a new dataset from them', async ({
  open,
}) => {
  const page = await open({ theme: 'light' });
  await openItems(page);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('button', { name: 'Edit item…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Value of field 1', exact: true }).fill('When do I get it back?');
  await dialog.getByRole('button', { name: 'Add a field' }).click();
  await expect(dialog.getByRole('status')).toHaveText('Name every key.');
  const last = (await dialog.getByRole('group', { name: /^Field / }).count()).toString();
  await dialog.getByRole('textbox', { name: `Key of field ${last}`, exact: true }).fill('reviewed');
  await dialog.getByRole('combobox', { name: `Kind of field ${last}` }).selectOption('json');
  await dialog.getByRole('textbox', { name: `Value of field ${last}`, exact: true }).fill('9007199254740993');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.setViewportSize({ width: 1_280, height: 800 });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();

  const grid = page.getByRole('grid', { name: /^Items of / });
  await grid.press('ArrowDown');
  await inspector.getByRole('button', { name: 'Leave out' }).click();
  await page.getByRole('button', { name: 'New item…' }).click();
  const fresh = page.getByRole('dialog', { name: 'New item' });
  await fresh.getByRole('textbox', { name: 'Key of field 1', exact: true }).fill('question');
  await fresh.getByRole('textbox', { name: 'Value of field 1', exact: true }).fill('Who pays?');
  await fresh.getByRole('button', { name: 'Take field 2 out' }).click();
  await fresh.getByRole('button', { name: 'Save', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Changes of the items' });
  await expect(bar).toContainText('1 edited, 1 left out, 1 new.');
  await expect(grid.getByText('left out')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_280, height: 800 });

  // Each edit is shown, edited again and undone separately, also by the shortcut.
  await bar.getByRole('button', { name: 'Show changes' }).click();
  const list = page.getByRole('list', { name: 'Changes one by one' });
  await expect(list.getByRole('listitem')).toHaveCount(3);
  await list.getByRole('button', { name: 'Edit new item 1…' }).click();
  const again = page.getByRole('dialog', { name: 'Edit new item' });
  await again.getByRole('textbox', { name: 'Value of field 1', exact: true }).fill('Who pays for it?');
  await again.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(list).toContainText('Who pays for it?');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await list.getByRole('button', { name: 'Undo the change of new item 1' }).click();
  await expect(bar).toContainText('1 edited, 1 left out.');
  await page.keyboard.press('Control+z');
  await expect(bar).toContainText('1 edited, 1 left out, 1 new.');
  await page.keyboard.press('Control+z');
  await expect(list).toContainText('Who pays?');
  await page.keyboard.press('Control+Shift+z');
  await expect(list).toContainText('Who pays for it?');
  await bar.getByRole('button', { name: 'Create dataset…' }).click();
  const create = page.getByRole('dialog', { name: 'Create a dataset with these changes' });
  await expect(create).toContainText('1 edited, 1 left out, 1 new.');
  await expect(create).toContainText('Based on v3 (');
  await create.getByRole('button', { name: 'Create dataset' }).click();
  await expect(bar).toBeHidden();
  const asked = (await callsOf(page, 'snapshots:ask')).map(({ argument }) => argument);
  expect(asked.find(({ action }) => action === 'recreate')).toMatchObject({
    ...{ snapshotId: 3, name: 'Refund questions, edited' },
    edits: {
      // The digits exceed the precision of JavaScript numbers.
      replaced: [{ item: { metadata: { reviewed: { digits: '9007199254740993' } } } }],
      removed: [expect.any(String)],
      added: [{ inputs: { question: 'Who pays for it?' } }],
    },
  });
  // The tab now shows the copy, with a link to the differences.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions, edited');
  const tabs = page.getByRole('tablist', { name: 'Open tabs' });
  await expect(tabs.getByRole('tab', { name: 'Refund questions', exact: true })).toHaveCount(0);
  const made = page.getByRole('region', { name: 'This copy' });
  await expect(made).toContainText('5 items · 1 changed');
  await made.getByRole('button', { name: 'Compare with Refund questions' }).click();
  await expect(
    page
      .getByRole('region', { name: 'Changes' })
      .getByRole('heading', { name: 'Refund questions v3 → Refund questions, edited v3' }),
  ).toBeVisible();
  // The comparison is shown, so the link to it is hidden.
  await expect(made.getByRole('button', { name: /^Compare with/ })).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(tabs.getByRole('tab', { name: 'Refund questions', exact: true })).toBeVisible();
});

test('shows the new value of an edited item beside the old one everywhere, and none after it is typed back', async ({
  open,
}, info) => {
  const page = await open();
  await openItems(page);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const grid = page.getByRole('grid', { name: /^Items of / });
  const dialog = page.getByRole('dialog');
  const put = async (text: string) => {
    await inspector.getByRole('button', { name: 'Edit item…' }).click();
    await dialog.getByRole('textbox', { name: 'Value of field 1', exact: true }).fill(text);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  };
  await inspector.getByRole('button', { name: 'Edit item…' }).click();
  const field = dialog.getByRole('textbox', { name: 'Value of field 1', exact: true });
  const original = await field.inputValue();
  await page.keyboard.press('Escape');
  await put('When do I get it back?');
  const cell = grid.getByRole('row').nth(2).locator('[data-field="inputs.question"]');
  const edited = page.locator('[data-field="inputs.question"][data-change="changed"]');
  await expect(edited).toHaveCount(1);
  await expect(edited).toContainText('When do I get it back?');
  await expect(edited.locator('del')).toContainText('Where is my refund for order 10000?');
  await expect(inspector).toContainText('When do I get it back?');
  const own = inspector.getByRole('region', { name: 'Your changes' });
  await expect(own.locator('del')).toContainText('Where is my refund for order 10000?');
  await expect(own.locator('ins')).toHaveText('When do I get it back?');
  const bar = page.getByRole('region', { name: 'Changes of the items' });
  await bar.getByRole('button', { name: 'Show changes' }).click();
  const line = page.getByRole('list', { name: 'Changes one by one' }).getByRole('listitem').first();
  // The list truncates the previous text.
  await expect(line.locator('del')).toContainText('Where is my refund for');
  await expect(line.locator('ins')).toHaveText('When do I get it back?');
  await grid.press('ArrowDown');
  await inspector.getByRole('button', { name: 'Leave out' }).click();
  await expect(cell.or(page.locator('[data-field="inputs.question"][data-change="out"]')).last()).toHaveCSS(
    'text-decoration-line',
    'line-through',
  );
  await takePictures(page, info, 'edited');
  await expect(bar).toContainText('1 edited, 1 left out.');
  await grid.press('ArrowUp');
  await put(original);
  await expect(bar).toContainText('1 left out.');
  await expect(edited).toHaveCount(0);
  await expect(own).toBeHidden();
});

test('restores edits of items when the tab of their dataset is reopened', async ({ open }) => {
  const page = await open();
  await openItems(page);
  await page
    .getByRole('complementary', { name: 'Inspector' })
    .getByRole('button', { name: 'Leave out' })
    .click();
  const bar = page.getByRole('region', { name: 'Changes of the items' });
  await expect(bar).toContainText('1 left out.');
  await page.keyboard.press('Control+w');
  await expect(bar).toBeHidden();
  await openItems(page);
  await expect(bar).toBeHidden();
  await page.getByRole('button', { name: 'Open draft' }).click();
  await expect(bar).toContainText('1 left out.');
});

test('keeps its header in one line beside the inspector in a small window', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await openDataset(page);
  await page
    .getByRole('grid', { name: /^Items of / })
    .getByRole('row')
    .nth(2)
    .click();
  await expect(page.getByRole('complementary', { name: /^Inspector/ })).toBeVisible();
  const tops = await page
    .locator('main .header')
    .first()
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(12);
});

test('reads the scores of the shown items again when a run scores more of them', async ({ open }) => {
  const page = await open({ hasScores: true });
  await openItems(page);
  const reads = async () => (await callsOf(page, 'scores:of-items')).length;
  await expect.poll(reads).toBeGreaterThan(0);
  const before = await page.evaluate(async () => {
    interface RunJob {
      kind: string;
      id: string;
      own: { connectionId: string };
    }
    const fake = globalThis as unknown as FakeWindow & {
      spandeck: { invoke: (channel: string, argument: object) => Promise<{ value: { jobs: RunJob[] } }> };
    };
    const all = { kinds: ['scores'], states: null, search: null, offset: 0, limit: 100 };
    const [job] = (await fake.spandeck.invoke('jobs:list', all)).value.jobs;
    if (job === undefined) throw new Error('There is no score run.');
    // Reads that the opened view started end before the event.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const known = fake.fakeCalls.filter(({ channel }) => channel === 'scores:of-items').length;
    const { kind, id } = job;
    fake.fakeEvent('jobs:changed', { connectionId: job.own.connectionId, kind, id, job });
    return known;
  });
  await expect.poll(reads).toBeGreaterThan(before);
});
