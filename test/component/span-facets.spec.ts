/** Facets beside the spans show counts of stored spans, and a press sets the same filter as the form. */
import type { Locator, Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { openSpans } from './span-steps.ts';

const facets = (page: Page): Locator => page.getByRole('complementary', { name: 'Facets' });
const values = (page: Page, facet: string): Locator =>
  facets(page).getByRole('region', { name: facet }).getByRole('listitem').getByRole('button');
const filterOf = async (page: Page) => {
  const { query } = await newestCall(page, 'library:open-list');
  return (query as { body: { filter?: unknown } }).body.filter;
};
const rule = (value: string) => ({ field: 'Span::span_type', operator: 'eq', value });

test('filters by type with one click, adds another type with Ctrl, and clears the filter', async ({
  open,
}) => {
  const page = await open();
  await openSpans(page);
  await expect(values(page, 'Type')).toHaveText([/llm\s*250/, /tool\s*250/, /chain\s*250/, /agent\s*250/]);
  const llm = values(page, 'Type').filter({ hasText: 'llm' });
  await llm.click();
  await expect(llm).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByText('Type is llm', { exact: true })).toBeVisible();
  expect(await filterOf(page)).toEqual({ condition: 'AND', rules: [rule('llm')] });
  // The counts of the types ignore the chosen type, so that another one can be chosen. The counts of the status depend
  // on it.
  await expect
    .poll(async () => {
      const asked = (await callsOf(page, 'library:profile')).map(({ argument }) => ({
        fields: argument['fields'],
        filter: (argument['query'] as { body?: { filter?: unknown } }).body?.filter,
      }));
      return asked.slice(-4);
    })
    .toEqual(
      expect.arrayContaining([
        { fields: ['span_type'], filter: undefined },
        { fields: expect.arrayContaining(['status_code']), filter: expect.anything() },
      ]),
    );

  await values(page, 'Type')
    .filter({ hasText: 'tool' })
    .click({ modifiers: ['Control'] });
  expect(await filterOf(page)).toEqual({
    condition: 'AND',
    rules: [{ condition: 'OR', rules: [rule('llm'), rule('tool')] }],
  });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Filter of the spans' })).toContainText('any');
  await facets(page).getByRole('button', { name: 'Clear Type' }).click();
  await expect(llm).toHaveAttribute('aria-pressed', 'false');
  expect(await filterOf(page)).toBeUndefined();
});

test('states how many stored spans were counted, and offers known values without a count', async ({
  open,
}) => {
  const page = await open({ storedRows: 200 });
  await openSpans(page);
  await expect(facets(page)).toContainText(/Counted over \d+ stored spans of 1,000\./);
  await expect(values(page, 'Status').filter({ hasText: 'No status' })).toHaveText('No status');
  await values(page, 'Status').filter({ hasText: 'Failed' }).click();
  await expect(page.getByText('Status is Failed', { exact: true })).toBeVisible();
});

test('shows the status of spans in words, and filters and copies as the service wrote it', async ({
  open,
}) => {
  const page = await open({ spans: [{ status_code: 'ERROR' }, { status_code: 'UNSET' }] });
  const grid = await openSpans(page);
  const failed = values(page, 'Status').filter({ hasText: 'Failed' });
  await expect(failed).toHaveAttribute('title', /^Status is Failed \(ERROR\)\./);
  await failed.click();
  const sent = { field: 'Span::status_code', operator: 'eq', value: 'ERROR' };
  expect(await filterOf(page)).toEqual({ condition: 'AND', rules: [sent] });
  const token = page.getByText('Status is Failed', { exact: true });
  await expect(token).toBeVisible();
  await expect(token).toHaveAttribute('title', /ERROR/);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const form = page.getByRole('region', { name: 'Filter of the spans' });
  const value = form.getByRole('combobox', { name: 'Value', exact: true });
  await expect(value).toHaveValue('Failed');
  await value.fill('');
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([/^OK/, /^Failed/, /^No status/]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Status', exact: true }).check();
  await page.keyboard.press('Escape');
  const cell = grid.locator('[role=gridcell][data-field="status_code"]').first();
  await expect(cell).toHaveText('Failed');
  await expect(cell).toHaveAttribute('title', 'ERROR');
  await cell.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy cell' }).click();
  expect(await newestCall(page, 'app:copy-text')).toMatchObject({ text: 'ERROR' });
});

test('are folded in a narrow window until they are opened, and stay folded in a wide one', async ({
  open,
}) => {
  const page = await open();
  await openSpans(page);
  expect(await violationsInBothThemes(page, { within: '.facets' })).toEqual([]);
  await page.setViewportSize({ width: 1_000, height: 640 });
  await expect(facets(page)).toBeHidden();
  await page.getByRole('button', { name: 'Show the facets' }).click();
  await expect(facets(page)).toBeVisible();
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.getByRole('button', { name: 'Hide the facets' }).click();
  await expect(facets(page)).toBeHidden();
  await page.keyboard.press('Control+w');
  await openSpans(page);
  await expect(facets(page)).toBeHidden();
});

test('opens the reading pane by Space only, with the error first, and closes it by Space', async ({
  open,
}) => {
  const failed = {
    status_code: 'ERROR',
    status_message: 'The step ended with a time-out.',
    input: 'Where is it?',
  };
  const page = await open({ spans: [failed] });
  const grid = await openSpans(page);
  const pane = page.getByRole('complementary', { name: 'Inspector' });
  await grid.press('ArrowDown');
  await grid.press('ArrowUp');
  await expect(pane).toBeHidden();
  await grid.press('Space');
  await expect(pane.getByRole('region', { name: 'Record' })).toHaveText(
    /^\s*The step ended with a time-out\./,
  );
  await grid.press('ArrowDown');
  await expect(pane).not.toContainText('time-out');
  // The menu of a row shows the span in the pane, whether the pane is open or not.
  await grid.press('ArrowUp');
  for (const before of ['open', 'closed']) {
    if (before === 'closed') await grid.press('Space');
    await grid.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Show in the inspector' }).click();
    await expect(pane).toContainText('time-out');
  }
  await grid.press('Space');
  await expect(pane).toBeHidden();
  // In other views, the setting determines whether the panel is open.
  await page.getByRole('navigation').getByRole('button', { name: 'Datasets' }).first().click();
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await expect(pane).toBeVisible();
});
