/**
 * Spans are picked across pages and queries, and their attributes become fields of items, by keyboard and by dragging.
 */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { NOW, uuid } from './fake-main/scenario.ts';
import { callsOf, expect, expectCalls, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { bar, openMapping, openMappingFor, openPane, openSpans } from './span-steps.ts';

const bucket = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true }).first();
const key = (page: Page, name: string): Locator =>
  page.getByRole('listbox', { name: 'Attribute keys' }).getByRole('option', { name });
const boxes = (grid: Locator): Locator => grid.getByRole('checkbox');

test('picks rows by checkbox, X and Space, and keeps them picked across queries', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  await boxes(grid).nth(0).click();
  await expect(bar(page)).toContainText('1 selected');
  await grid.press('ArrowDown');
  await grid.press('Space');
  await expect(bar(page)).toContainText('2 selected');
  await grid.press('ArrowDown');
  await grid.press('Shift+ArrowDown');
  await grid.press('Shift+ArrowDown');
  await grid.press('x');
  await expect(bar(page)).toContainText('5 selected');
  await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(5);
  await grid.press('x');
  await expect(bar(page)).toContainText('2 selected');

  await page.getByRole('button', { name: 'More tools' }).click();
  await page.getByRole('combobox', { name: 'Order of the service' }).selectOption('Oldest first');
  await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(2);
  expect(await callsOf(page, 'jobs:create')).toHaveLength(1);
});

test('opens the trace of a span by Enter and double click', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  const tabs = page.getByRole('tablist', { name: 'Open tabs' });
  const trace = page.getByRole('treegrid', { name: 'Spans of the trace as a tree' });
  const before = await tabs.getByRole('tab').count();
  await grid.press('Enter');
  await expect(trace).toBeVisible();
  await tabs.getByRole('tab', { name: 'Spans', exact: true }).click();
  await grid.getByRole('gridcell', { name: 'handle_request' }).nth(1).dblclick();
  await expect(trace).toBeVisible();
  // Found by position, because the title of a trace becomes its question once the trace is read.
  await expect(tabs.getByRole('tab')).toHaveCount(before + 2);
});

test('filters by a value from its row menu, and describes the filter in words', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  await grid.getByRole('gridcell', { name: 'agent', exact: true }).first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Filter: Type is “agent”' }).click();
  const chip = page.getByText('Type is agent', { exact: true });
  await expect(chip).toBeVisible();
  await expect(chip).toHaveAttribute('title', 'Span::span_type is agent');
  const call = await newestCall(page, 'library:open-list');
  expect(JSON.stringify(call)).toContain('{"field":"Span::span_type","operator":"eq","value":"agent"}');
});

test('picks sorted and filtered rows by their position in the service’s order', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  await page.getByRole('textbox', { name: 'Filter the loaded spans' }).fill('order 10007');
  await expect(grid.getByRole('row')).toHaveCount(2);
  await boxes(grid).first().click();
  await expect(bar(page)).toContainText('1 selected');
  const call = await newestCall(page, 'builds:pick-spans');
  expect(call['spans']).toEqual([expect.objectContaining({ position: 7 })]);
});

test('picks all matching spans by one click, including those that are not loaded', async ({ open }) => {
  const page = await open({ storedRows: 200 });
  const grid = await openSpans(page);
  await boxes(grid).nth(2).click();
  await bar(page).getByRole('button', { name: 'Select all 1,000' }).click();
  await expect(bar(page)).toContainText('1,000 selected');
  await expect(grid.getByRole('checkbox', { checked: false })).toHaveCount(0);
  const call = await newestCall(page, 'jobs:change');
  expect(call['change']).toMatchObject({
    type: 'pick-all',
    source: { kind: 'service', selection: { ordering: '-start_time', filter: null } },
  });

  await bar(page).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /^Clear / }).click();
  await expect(bar(page)).toContainText('No spans selected');
  await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(0);

  await bar(page).getByRole('button', { name: 'Undo removing 1,000 spans' }).click();
  await expect(bar(page)).toContainText('1,000 selected');
  await expect(grid.getByRole('checkbox', { checked: false })).toHaveCount(0);
  await grid.press('Control+z');
  await expect(bar(page)).toContainText('1 selected');
  await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(1);
  await grid.press('Control+z');
  await expect(bar(page)).toContainText('No spans selected');
  await expect(bar(page).getByRole('button', { name: 'Undo: nothing' })).toBeDisabled();
  const filter = page.getByRole('textbox', { name: 'Filter the loaded spans' });
  await filter.press('Control+Shift+z');
  await expect(bar(page).getByRole('button', { name: 'Redo selecting 1 span', exact: true })).toBeEnabled();
  await grid.press('Control+Shift+z');
  await expect(bar(page)).toContainText('1 selected');
  await expect(bar(page).getByRole('button', { name: 'Redo selecting 999 spans' })).toBeEnabled();
});

test('picks the visible spans of a filtered list separately from all', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  await expect(bar(page).getByRole('button', { name: /shown$/ })).toBeHidden();
  await page.getByRole('textbox', { name: 'Filter the loaded spans' }).fill('order 1007');
  await page.getByRole('grid', { name: /^Spans of/ }).press('Control+a');
  await bar(page).getByRole('button', { name: 'Select all 10 spans shown' }).click();
  await expect(bar(page)).toContainText('10 selected');
  await bar(page).getByRole('button', { name: 'Select all 10 spans shown' }).click();
  await expect(page.getByText('All of these spans are selected already.')).toBeVisible();
  await expect(bar(page)).toContainText('10 selected');
  await expect(bar(page).getByRole('button', { name: 'Select all 1,000' })).toBeVisible();
});

test('shows input and output completely at 1000 px beside the inspector, which starts with input and output', async ({
  open,
}) => {
  const page = await open();
  await page.setViewportSize({ width: 1000, height: 640 });
  const grid = await openSpans(page);
  await openPane(page);
  for (const name of ['Input', 'Output'])
    await expect(grid.getByRole('columnheader', { name })).toBeInViewport({ ratio: 1 });
  await expect(grid.getByRole('gridcell', { name: '40 ms' })).toBeVisible();
  const record = page
    .getByRole('complementary', { name: 'Inspector' })
    .getByRole('region', { name: 'Record' });
  await expect(record).toHaveText(
    /^\s*Input\s*Where is my refund for order 10000\?\s*Output\s*It was paid on/,
  );
  await expect(record).toContainText(/Duration\s*40 ms/);
  await expect(record.getByText('Duration')).toHaveAttribute('title', 'duration');
});

test('assigns keys to buckets by number, renames them, and updates the example', async ({ open }) => {
  const page = await open();
  await openMapping(page);
  await expect(page.getByRole('button', { name: 'Next: preview' })).toBeDisabled();
  const keys = page.getByRole('listbox', { name: 'Attribute keys' });
  await keys.focus();
  await keys.press('End');
  await keys.press('1');
  await keys.press('Home');
  await keys.press('3');
  await expect(bucket(page, 'Inputs').getByRole('textbox')).toHaveCount(1);
  await expect(bucket(page, 'Metadata').getByRole('textbox')).toHaveValue('intent');

  const field = bucket(page, 'Metadata').getByRole('textbox');
  await field.fill('');
  await expect(bucket(page, 'Metadata')).toContainText('A field needs a name.');
  await field.fill('reason');
  const example = page.getByRole('region', { name: 'Example item' });
  await expect(example).toContainText('reason');
  await expect(example).toContainText('refund_request');
  // An agent span has no tokens, so its item lacks the field.
  await expect(example).toContainText('missing');
  await example.getByRole('button', { name: 'Next span' }).click();
  await expect(example).not.toContainText('missing');
  await expect(page.getByText('750 spans of 1,000 lack at least one key')).toBeVisible();
});

test('drags keys into buckets, and fields between buckets', async ({ open }) => {
  const page = await open();
  await openMapping(page);
  await key(page, 'system.gen_ai.llm.output').dragTo(bucket(page, 'Expected outputs'));
  await expect(bucket(page, 'Expected outputs').getByRole('textbox')).toHaveValue('output');
  await bucket(page, 'Expected outputs')
    .getByRole('group')
    .dragTo(bucket(page, 'Extras'), {
      sourcePosition: { x: 160, y: 16 },
    });
  await expect(bucket(page, 'Extras').getByRole('textbox')).toHaveValue('output');
  await expect(bucket(page, 'Expected outputs').getByRole('textbox')).toHaveCount(0);

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(bucket(page, 'Expected outputs').getByRole('textbox')).toHaveCount(1);
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect(bucket(page, 'Extras').getByRole('textbox')).toHaveCount(1);
});

test('explains why a mapping cannot be used, and fills it by a suggestion', async ({ open }) => {
  const page = await open();
  await openMapping(page);
  await key(page, 'user.intent').click();
  await page
    .getByRole('group', { name: 'Add to a bucket' })
    .getByRole('button', { name: /Extras/ })
    .click();
  const problem = page.getByText('Map at least one key to inputs.');
  await expect(problem).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next: preview' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Preview', exact: true })).toBeDisabled();
  await takePictures(page, test.info(), 'refused');
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await expect(bucket(page, 'Inputs').getByRole('textbox')).toHaveValue('question');
  await expect(bucket(page, 'Expected outputs').getByRole('textbox')).toHaveValue('answer');
  await expect(problem).toBeHidden();

  await test.step('marks missing fields in the preview, and excludes single spans', async () => {
    await page.getByRole('button', { name: 'Next: preview' }).click();
    const items = page.getByRole('grid', { name: 'Items' });
    await expect(items.getByRole('gridcell', { name: 'missing' }).first()).toBeVisible();
    await expect(page.getByText(/^750 of 1,000 items have no inputs: /)).toBeVisible();
    await page.getByRole('button', { name: 'Show them' }).click();
    await expect(page.getByRole('radio', { name: 'With missing fields 750' })).toBeChecked();
    await expect(page.getByRole('status').filter({ hasText: '750 items' })).toBeVisible();
    await items.getByRole('checkbox').first().click();
    await expect(page.getByText('Excluded 1')).toBeVisible();
  });

  await test.step('keeps step and mapping when the tab is left and shown again', async () => {
    await page.getByRole('tab', { name: 'Spans', exact: true }).click();
    await page.getByRole('tab', { name: /^Support assistant, / }).click();
    await expect(page.getByRole('grid', { name: 'Items' })).toBeVisible();
    const count = page.getByRole('status').filter({ hasText: /items$/ });
    await expect(count).toHaveText('750 items');
    await page.getByRole('radiogroup', { name: 'Items shown' }).getByText('All', { exact: true }).click();
    await expect(count).toHaveText('1,000 items');
    await page.getByRole('button', { name: 'Mapping' }).click();
    await expect(bucket(page, 'Inputs').getByRole('textbox')).toHaveValue('question');
  });

  await test.step('names a new dataset after the draft, and blocks Next with a message if the name is empty', async () => {
    await page.getByRole('button', { name: 'Next: preview' }).click();
    await page.getByRole('button', { name: 'Next: dataset' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    const next = page.getByRole('button', { name: 'Next: commit' });
    await expect(name).toHaveValue(/^Support assistant, /);
    await expect(next).toBeEnabled();
    await name.fill(' ');
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByText('Name the dataset.')).toHaveCount(2);
    await expect(next).toBeDisabled();
    await name.fill('Refunds');
    await page.getByRole('textbox', { name: 'Metadata' }).fill('{"owner"');
    await expect(page.getByText('Metadata: expected a JSON object.')).toBeVisible();
    await expect(next).toBeDisabled();
    await page.getByRole('textbox', { name: 'Metadata' }).fill('');
    await page.getByText('Existing dataset', { exact: true }).click();
    await expect(page.getByText('Choose a dataset.')).toBeVisible();
    await expect(next).toBeDisabled();
    await page.getByText('New dataset', { exact: true }).click();
    await name.fill('Refunds');
    await next.click();
    await expect(page.getByRole('heading', { name: 'Plan' })).toBeVisible();
  });
});

test('lists fields of an existing dataset without a mapped key', async ({ open }) => {
  const page = await open({ theme: 'light' });
  await openMapping(page);
  await page.getByRole('button', { name: 'Dataset', exact: true }).click();
  await page.getByText('Existing dataset', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Dataset' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.getByRole('button', { name: 'Next: mapping' }).click();
  const lacks = page.getByText('has fields that no key is mapped to');
  await expect(lacks).toContainText('question (inputs), answer (expected outputs), sources');
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await expect(lacks).toContainText(/mapped to: sources \(expected outputs\)\.$/);
  // The name is suggested while the user types.
  const field = bucket(page, 'Expected outputs').getByRole('combobox', { name: /^Field name for/ });
  await expect(field.first()).toHaveAttribute('list', /-fields$/);
  const list = await field.first().getAttribute('list');
  await expect(page.locator(`[id="${list}"] option`)).toHaveCount(1);
  await expect(page.locator(`[id="${list}"] option`)).toHaveAttribute('value', 'sources');
  await expect(bucket(page, 'Inputs').getByRole('combobox')).toHaveCount(0);
});

test("takes over the mapping of the dataset's last items, and reports missing keys", async ({ open }) => {
  const page = await open({ theme: 'light', hasSentBuild: true });
  await openMappingFor(page);
  const taken = page.getByText('Mapping of the last items of Refund questions');
  await expect(taken).toContainText('No selected span has system.reply.tone any more.');
  await expect(taken).toContainText('The dataset has no field tone (expected outputs) any more.');
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.getByRole('button', { name: 'Remove missing keys' }).click();
  await expect(taken).toBeHidden();
  await expect(bucket(page, 'Expected outputs')).not.toContainText('system.reply.tone');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(taken).toBeVisible();
});

test('adds spans to the last filled dataset by one key with its mapping, and undoes it', async ({ open }) => {
  const page = await open({ theme: 'light', hasSentBuild: true });
  const grid = await openSpans(page);
  await grid.press('ArrowDown');
  await grid.press('d');
  const toast = page.getByRole('listitem').filter({ hasText: '1 span added to “Refund questions”' });
  await expect(toast).toContainText('Without tone: these spans do not have it.');
  await grid.press('ArrowDown');
  await grid.press('Shift+ArrowDown');
  await grid.press('d');
  await expect(page.getByText('2 spans added to “Refund questions”')).toBeVisible();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await expect(bar(page)).toContainText('No spans selected');
  const settings = (await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change']);
  expect(settings[0]).toMatchObject({
    patch: { target: { kind: 'existing', datasetId: uuid(100) }, mapping: [{ field: 'question' }, {}] },
  });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  const soon = { action: 'schedule', startAtMs: NOW + 5_000 };
  const back = { action: 'unschedule' };
  await expectCalls(page, 'jobs:control', [soon, back, soon, back, soon]);
  // The key also works in the trace, for a span that was already added.
  await grid.press('ArrowUp');
  await grid.press('Enter');
  const tree = page.getByRole('treegrid', { name: 'Spans of the trace as a tree' });
  await expect(tree.getByRole('row').first()).toBeVisible();
  await tree.press('ArrowDown');
  await expect(page.getByRole('button', { name: 'Add to Refund questions D' })).toBeVisible();
});

test('adds picked spans by the key if there are any, wherever the cursor is', async ({ open }) => {
  const page = await open({ theme: 'light', hasSentBuild: true });
  const grid = await openSpans(page);
  await grid.press('ArrowDown');
  await grid.press('x');
  await grid.press('ArrowDown');
  await grid.press('x');
  await grid.press('ArrowDown');
  await grid.press('ArrowDown');
  await grid.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: /^Add 2 spans to Refund questions/ })).toBeVisible();
  await page.keyboard.press('Escape');
  // When the menu closes, the grid has the focus again.
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(grid).toBeFocused();
  await grid.press('d');
  await expect(page.getByText('2 spans added to “Refund questions”')).toBeVisible();
  const picks = (await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change']);
  expect(picks).toContainEqual(expect.objectContaining({ type: 'pick-of', positions: [0, 1] }));
  await expect(bar(page)).toContainText('2 selected');
});

test('shows only the changes since the preparation of a dataset, before anything is sent', async ({
  open,
}) => {
  const page = await open({ theme: 'light', hasChangedBuild: true });
  await openSpans(page);
  await page.getByRole('button', { name: 'More tools' }).click();
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByText('Answers of May', { exact: true }).first().click();
  const part = page.getByRole('region', { name: 'Changed since you prepared this' });
  await expect(part).toContainText(
    '250 spans read again, nothing sent yet: 1 gone, 1 with other values, 1 at another time.',
  );
  await expect(part).toContainText('no longer at the service');
  await expect(part).toContainText('now at 2026-07-02 11:41:12');
  await part.getByRole('button', { name: /draft_answer/ }).click();
  await expect(part.locator('del')).toHaveText('Monday');
  await expect(part.locator('ins')).toHaveText('Tuesday');
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.getByRole('button', { name: 'Continue' }).click();
  await expectCalls(page, 'jobs:control', [{ action: 'resume' }]);
});

test('asks before it adds spans that another dataset build is adding, and adds them anyway on request', async ({
  open,
}) => {
  const page = await open({ hasAskingBuild: true });
  await openSpans(page);
  await page.getByRole('button', { name: 'More tools' }).click();
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByText('Answers of June', { exact: true }).first().click();
  await expect(page.getByText('If added again, they are stored twice.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Check again' })).toBeVisible();
  await page.getByRole('button', { name: 'Add 250 items anyway' }).click();
  await expect(page.getByText('If added again, they are stored twice.')).toBeHidden();
  expect((await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change'])).toContainEqual({
    type: 'settings',
    patch: { skipsAdded: false },
  });
  expect(await newestCall(page, 'jobs:control')).toMatchObject({ kind: 'build', action: 'resume' });
});

test('queues a dataset prepared offline, and reads its spans again before the first call', async ({
  open,
}) => {
  const page = await open({ hasPlannedBuild: true, network: 'switched-off' });
  await page
    .getByRole('contentinfo', { name: 'Status' })
    .getByRole('button', { name: '1 scheduled' })
    .click();
  await page.getByRole('button', { name: 'Open Answers' }).click();
  await page.getByRole('region', { name: 'Plan' }).getByRole('button', { name: 'Cancel start' }).click();
  // The spans are always read again for a queued build, and the plan includes that cost.
  await expect(page.getByText('Offline: it is queued')).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Read the spans again' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Plan' })).toContainText('(Publish events 25, ');
  await page.getByRole('button', { name: 'Queue 250 items' }).click();
  await expect
    .poll(async () => (await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change']))
    .toContainEqual({ type: 'settings', patch: { rechecks: true } });
});

test('adds spans to the basket by the key if no dataset was filled yet', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  await grid.press('ArrowDown');
  await grid.press('d');
  await expect(bar(page)).toContainText('1 selected');
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect(bar(page)).toContainText('No spans selected');
});

test('reads typed times in the user’s zone, requests them in UTC, and reports invalid ones', async ({
  open,
}) => {
  const page = await open();
  await openSpans(page);
  await page.getByRole('button', { name: /^Time range/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Time range' });
  await expect(dialog).toContainText('Times are in CET.');
  // A time in the current year would be shown without the year.
  const year = 2025;
  await dialog.getByRole('textbox', { name: 'From' }).fill(`${year}-02-30 10:00`);
  await dialog.getByRole('textbox', { name: 'Up to, not included' }).fill(`${year}-03-02 10:00`);
  await dialog.getByRole('button', { name: 'Use these times' }).click();
  await expect(dialog).toContainText('Expected a date and time like 2026-03-12 14:00.');
  await dialog.getByRole('textbox', { name: 'From' }).fill(`${year}-03-01 09:30`);
  await dialog.getByRole('button', { name: 'Use these times' }).click();
  await expect(dialog).toBeHidden();
  const range = `Time range: 1 Mar ${year} 09:30 – 2 Mar ${year} 10:00`;
  await expect(page.getByRole('button', { name: range })).toBeVisible();
  const asked = async () => (await callsOf(page, 'library:open-list')).at(-1)?.argument['query'];
  await expect.poll(asked).toMatchObject({
    operation: 'spans.query',
    body: { start_time: `${year}-03-01T08:30:00.000Z`, end_time: `${year}-03-02T09:00:00.000Z` },
  });
});

test('shows the number of spans per attribute key, and adds keys as columns', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  await page.getByRole('tab', { name: /^Attributes/ }).click();
  const row = page.getByRole('row').filter({ hasText: 'system.gen_ai.llm.output' });
  await expect(row).toContainText('25 %');
  await page.getByRole('checkbox', { name: 'Show user.intent as a column' }).check();
  await page
    .getByRole('main')
    .getByRole('tab', { name: /^Spans/ })
    .click();
  await expect(page.getByRole('columnheader', { name: 'Attributes: intent' })).toBeVisible();
});

test('names the time range without spans, and offers another one', async ({ open }) => {
  const page = await open({ lists: 'empty' });
  await openPlace(page, 'Spans');
  await expect(page.getByText(/^No spans between .* and .*\.$/)).toBeVisible();
  await page.getByRole('button', { name: 'Show the last 30 days' }).click();
  await expect(page.getByRole('button', { name: 'Time range: Last 30 days' })).toBeVisible();
});

test('chooses the dataset before the mapping, and keeps it', async ({ open }) => {
  const page = await open();
  await openMapping(page);
  const step = (name: string) =>
    page.getByRole('button', { name, exact: true }).and(page.locator('main button'));
  await step('Dataset').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Refund answers');
  await expect(step('Commit')).toBeDisabled();
  await page.getByRole('button', { name: 'Next: mapping' }).click();
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await step('Dataset').click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Refund answers');
  await expect(page.getByRole('button', { name: 'Next: commit' })).toBeEnabled();
});

test('reports that no application is stored while offline, and offers to go online', async ({ open }) => {
  const page = await open({ applications: 'not-stored', network: 'switched-off' });
  await openPlace(page, 'Spans');
  const main = page.getByRole('main');
  await expect(main).toContainText('The applications are not available offline');
  await expect(main.getByRole('button', { name: 'Go online' })).toBeVisible();
});

test('picks spans after the tab was closed and reopened', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  await boxes(grid).nth(0).click();
  await expect(bar(page)).toContainText('1 selected');
  await page.keyboard.press('Control+w');
  await expect(grid).toBeHidden();
  const again = await openSpans(page);
  await boxes(again).nth(1).click();
  await expect(bar(page)).toContainText('2 selected');
});
