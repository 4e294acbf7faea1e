/** Baskets of picked spans: several baskets with names, which can be filled offline. */
import type { Page } from '@playwright/test';
import { expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { bar, openMapping, openSpans, pickAll, showBaskets } from './span-steps.ts';

const switcher = (page: Page, name: string | RegExp) => bar(page).getByRole('button', { name });
const menu = (page: Page) => page.getByRole('menu', { name: 'Drafts' });
const item = (page: Page, name: string | RegExp) =>
  menu(page).getByRole('menuitem', { name }).or(menu(page).getByRole('menuitemcheckbox', { name }));

test('creates, names, switches, copies and deletes baskets in the bar, and restores the last one', async ({
  open,
}) => {
  const page = await open();
  const grid = await openSpans(page);
  await showBaskets(page);
  await expect(switcher(page, 'Draft: New draft')).toBeVisible();
  await grid.getByRole('checkbox').nth(0).click();
  await expect(bar(page)).toContainText('1 selected');
  await expect(switcher(page, /^Draft: Support assistant, /)).toBeVisible();

  await test.step('works by keyboard alone', async () => {
    await grid.press('b');
    await item(page, 'Rename…').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rename draft' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Refunds');
    await page.keyboard.press('Enter');
    await expect(switcher(page, 'Draft: Refunds')).toBeVisible();
    await grid.press('b');
    await menu(page).press('End');
    await expect(item(page, 'Delete')).toBeFocused();
    await page.keyboard.press('Escape');
  });

  await switcher(page, 'Draft: Refunds').click();
  await item(page, 'New draft…').click();
  await page.getByRole('dialog', { name: 'New draft' }).getByRole('textbox', { name: 'Name' }).fill('Tools');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(bar(page)).toContainText('No spans selected');
  await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(0);
  await grid.getByRole('checkbox').nth(1).click();
  await grid.getByRole('checkbox').nth(2).click();
  await expect(bar(page)).toContainText('2 selected');

  await test.step('keeps the picks of each basket separate', async () => {
    await switcher(page, 'Draft: Tools').click();
    await expect(item(page, /^Tools/)).toHaveAttribute('aria-checked', 'true');
    await item(page, /^Refunds/).click();
    await expect(bar(page)).toContainText('1 selected');
    await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(1);
  });

  await test.step('copies the contents of a basket to another one as one undo step', async () => {
    await switcher(page, 'Draft: Refunds').click();
    await item(page, 'Copy its spans to another…').click();
    const dialog = page.getByRole('dialog', { name: 'Copy spans to a draft' });
    await expect(dialog.getByRole('combobox', { name: 'Copy 1 span to' })).toContainText('Tools (2)');
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Switch to it' }).click();
    await expect(bar(page)).toContainText('3 selected');
    await expect(switcher(page, 'Undo selecting 1 span')).toBeEnabled();
  });

  await test.step('restores a deleted basket', async () => {
    await switcher(page, 'Draft: Tools').click();
    await item(page, 'Delete').click();
    await expect(page.getByText('Deleted “Tools” with 3 spans')).toBeVisible();
    await expect(switcher(page, 'Draft: New draft')).toBeVisible();
    await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(switcher(page, 'Draft: Tools')).toBeVisible();
    await expect(grid.getByRole('checkbox', { checked: true })).toHaveCount(3);
  });
  await page.keyboard.press('?');
  const sheet = page.getByRole('region', { name: 'Shortcuts' });
  await expect(sheet).toContainText('Undo selecting or removing CtrlZ');
  await expect(sheet).toContainText('Redo it CtrlShiftZ');
});

test('picks every stored span of a query while offline and shows their share', async ({ open }) => {
  const page = await open({ network: 'switched-off', storedRows: 200 });
  await openSpans(page);
  await pickAll(page, 'Select all 200 stored of 1,000');
  await expect(bar(page)).toContainText('200 selected');
  const { change } = await newestCall(page, 'jobs:change');
  expect(change).toMatchObject({
    type: 'pick-all',
    source: { kind: 'stored', rows: { query: { operation: 'spans.query' }, narrow: null, ranges: null } },
  });
});

test('shows the progress of picking all spans and resumes it after a stop', async ({ open }) => {
  const page = await open({ pickStalls: 300 });
  await openSpans(page);
  await pickAll(page, 'Select all 1,000');
  await expect(bar(page).getByRole('progressbar')).toHaveAttribute('aria-valuetext', '300 of 1,000');
  await bar(page).getByRole('button', { name: 'Stop' }).click();
  await expect(bar(page)).toContainText('Stopped at 300 of 1,000');
  await bar(page).getByRole('button', { name: 'Resume' }).click();
  await expect(bar(page)).toContainText('1,000 selected');
  await expect(bar(page)).not.toContainText('Stopped');
});

test('shows in the list of picked spans that picking was stopped, its result, and how to continue', async ({
  open,
}) => {
  const page = await open({ pickStalls: 300 });
  await openSpans(page);
  await pickAll(page, 'Select all 1,000');
  await bar(page).getByRole('button', { name: 'Stop' }).click();
  await bar(page).getByRole('button', { name: '300 selected' }).click();
  const main = page.getByRole('main');
  const said = main.getByText('You stopped it: 300 of 1,000 spans were read, 300 spans added.');
  await expect(said).toBeVisible();
  await main.getByRole('button', { name: 'Resume' }).click();
  await expect(main.getByText('1,000 spans of Support assistant')).toBeVisible();
  await expect(said).toHaveCount(0);
});

test('adds a file of spans to a new basket for review and reports unusable rows', async ({ open }) => {
  const page = await open({ itemFile: 'full' });
  await openSpans(page);
  await showBaskets(page);
  await switcher(page, 'Draft: New draft').click();
  await item(page, 'Add spans from a file…').click();
  const dialog = page.getByRole('dialog', { name: /^Spans from / });
  await expect(dialog).toContainText('9 of 12 rows');
  await expect(dialog).toContainText('3 attributes: llm_input_user, llm_output, model_name');
  await expect(dialog).toContainText('2 rows without a span left in the file');
  await expect(dialog).toContainText('line 4: Expected a span id, got none.');
  await expect(dialog).toContainText('1 row with the ids of an earlier row; only the first counts');
  await dialog.getByRole('button', { name: 'Add and review' }).click();
  await expect(dialog).toHaveCount(0);
  const { change } = await newestCall(page, 'jobs:change');
  expect(change).toMatchObject({ type: 'pick-all', source: { kind: 'file', rows: 12 } });
  await expect(page.getByRole('group', { name: 'Review' })).toBeFocused();
  await expect(page.getByText('of 9 spans')).toBeVisible();
});

test('shows each step of a flow in a narrow view, by its number if its title has no room', async ({
  open,
}) => {
  const page = await open();
  await openMapping(page);
  await page.setViewportSize({ width: 600, height: 640 });
  const steps = page.getByRole('navigation', { name: /^Steps/ }).getByRole('button');
  await expect(steps).toHaveCount(5);
  for (const step of await steps.all()) await expect(step).toBeInViewport({ ratio: 1 });
  await expect(steps.nth(1)).toHaveText(/Mapping/);
  await expect(steps.nth(3)).toHaveAccessibleName('Dataset');
});

test('lists the selected spans of a draft with their texts, as the list of spans does', async ({ open }) => {
  const page = await open();
  const listed = await openSpans(page);
  const input = await listed.locator('[data-field="input"]').first().innerText();
  const output = await listed.locator('[data-field="output"]').first().innerText();
  await listed.getByRole('checkbox').first().click();
  await bar(page).getByRole('button', { name: 'Create dataset…' }).click();
  await page
    .getByRole('navigation', { name: 'Steps of the dataset' })
    .getByRole('button', { name: 'Spans' })
    .click();
  const selected = page.getByRole('grid', { name: 'Selected spans' });
  await expect(selected.getByRole('gridcell', { name: input, exact: true })).toBeVisible();
  await expect(selected.getByRole('gridcell', { name: output, exact: true })).toBeVisible();
  await expect(selected.getByRole('columnheader', { name: 'Trace', exact: true })).toHaveCount(0);
  await takePictures(page, test.info(), 'spans');
});
