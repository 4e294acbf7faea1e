/** The SQL view: completion, stopped queries, positions of errors, results with column summaries, and all states. */
import type { Page } from '@playwright/test';
import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL' });
const options = (page: Page) => page.getByRole('listbox', { name: 'Completion' });
const result = (page: Page) => page.getByRole('grid', { name: 'Result' });

async function openSql(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'SQL', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('SQL');
}

async function run(page: Page, sql: string): Promise<void> {
  await editor(page).fill(sql);
  await page.keyboard.press('Control+Enter');
}

test('completes views and columns while typing, and inserts one by a click in the list', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await editor(page).focus();
  await page.keyboard.type('SELECT * FROM sp');
  await expect(options(page).getByRole('option').first()).toContainText('spans');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' WHERE model');
  await expect(options(page).getByRole('option')).toContainText(['span_attributes.gen_ai.request.model']);
  await page.keyboard.press('Tab');
  const whole = 'SELECT * FROM spans WHERE "span_attributes.gen_ai.request.model"';
  await expect(editor(page)).toHaveValue(whole);
  await page.getByRole('button', { name: /^spans 4,116/ }).click();
  await page.getByRole('button', { name: 'refunds int' }).click();
  await expect(editor(page)).toHaveValue(`${whole}refunds`);
  // An inserted text is undone like typing.
  await page.keyboard.press('Control+z');
  await expect(editor(page)).toHaveValue(whole);
});

test('offers questions about stored data, and answers one with a click', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await page
    .getByRole('region', { name: 'First questions' })
    .getByRole('button', { name: /^The first 100 rows of spans/ })
    .click();
  await expect(editor(page)).toHaveValue('SELECT *\nFROM spans\nLIMIT 100');
  await expect(page.getByRole('status').filter({ hasText: '240 rows' })).toBeVisible();
});

test('SQL that was not run stays as a draft when a query of the history replaces it', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await run(page, 'SELECT 1 AS was_run');
  await editor(page).fill('SELECT 44 AS never_run');
  await page.getByRole('button', { name: 'Queries' }).click();
  await page.getByRole('menuitem', { name: /was_run/ }).click();
  await expect(editor(page)).toHaveValue('SELECT 1 AS was_run');
  await page.getByRole('button', { name: 'Open draft' }).click();
  await expect(editor(page)).toHaveValue('SELECT 44 AS never_run');
});

test('SQL that was not run stays as a draft when a saved query replaces it', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await editor(page).fill('SELECT 7 AS was_saved');
  await page.getByRole('button', { name: 'Queries' }).click();
  await page.getByRole('menuitem', { name: 'Save this query…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await editor(page).fill('SELECT 44 AS never_run');
  await page.getByRole('button', { name: 'Queries' }).click();
  await page.getByRole('menuitem', { name: 'SELECT 7 AS was_saved', exact: true }).first().click();
  await expect(editor(page)).toHaveValue('SELECT 7 AS was_saved');
  await page.getByRole('button', { name: 'Open draft' }).click();
  await expect(editor(page)).toHaveValue('SELECT 44 AS never_run');
});

test('marks the tab of SQL that was not run as a draft', async ({ open }) => {
  const page = await open();
  await openSql(page);
  const tab = page.getByRole('tab', { name: /SQL/ });
  await editor(page).fill('SELECT 44 AS never_run');
  await expect(tab).toHaveAccessibleName(/not sent|draft|unsaved/i);
  await run(page, 'SELECT 44 AS it_was_run');
  await expect(tab).not.toHaveAccessibleName(/not sent|draft|unsaved/i);
});

test('keeps tabs with SQL that was not run, and used views, beyond the tab limit', async ({ open }) => {
  const page = await open({ settings: { mostTabs: 3 } });
  await openSql(page);
  await editor(page).fill('SELECT 44 AS never_run');
  await openPlaceToStay(page, 'Outbox');
  for (const name of ['Requests', 'Offline library', 'Changes']) await openPlace(page, name);
  const titles = page.getByRole('tablist').first().getByRole('tab');
  await expect(titles).toHaveText([/Catalog/, /SQL/, /Outbox/, /Changes/]);
});

test('lists all stored records before single lists, with their row counts', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await expect(page.getByRole('heading', { level: 3 })).toHaveText([
    'All stored records',
    /Single lists\s*\d$/,
  ]);
  await page.getByRole('button', { name: /^Single lists/ }).click();
  await page.getByRole('button', { name: /^Spans of Support assistant, 19–26 Nov, type llm #12/ }).click();
  await page.getByRole('button', { name: /^Insert Spans of Support assistant/ }).click();
  await expect(editor(page)).toHaveValue('lists."Spans of Support assistant, 19–26 Nov, type llm #12"');
});

test('shows rows and source of a result, filters by a bar, and sorts by a column heading', async ({
  open,
}) => {
  const page = await open();
  await openSql(page);
  await editor(page).fill('SELECT * FROM spans');
  await expect(options(page)).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('status').filter({ hasText: '240 rows in 18 ms, from spans.' })).toBeVisible();
  await expect(options(page)).toBeHidden();
  const head = result(page).getByRole('columnheader', { name: 'country', exact: true });
  const value = head.locator('[data-at]').first();
  await expect(value).toBeVisible();
  const rows = (await value.getAttribute('aria-label'))?.split(', ').at(-1);
  await value.click();
  await expect(page.getByRole('status').filter({ hasText: `${rows} of 240 rows` })).toBeVisible();
  await page.getByRole('button', { name: /^Remove country/ }).click();
  const refunds = result(page).getByRole('columnheader', { name: 'refunds', exact: true });
  await refunds.click({ position: { x: 44, y: 10 } });
  await expect(refunds).toHaveAttribute('aria-sort', 'ascending');
  await expect(result(page).getByRole('row').nth(1).getByText('2', { exact: true })).toBeVisible();
});

test('draws all bars of a chart on one scale, however long their figures are', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await run(page, 'SELECT * FROM spans');
  await page.getByRole('radio', { name: 'Grid and chart' }).check();
  await page.getByRole('combobox', { name: 'Length of the bars' }).selectOption('ms');
  const bars = page.getByRole('list', { name: 'ms by country' }).getByRole('listitem');
  await expect(bars.first()).toHaveAttribute('title', 'Germany: 372');
  const drawn = await bars.evaluateAll((rows) =>
    rows.map((row) => ({
      value: Number(row.getAttribute('title')?.split(': ')[1]),
      width: row.querySelector('i')?.getBoundingClientRect().width ?? 0,
    })),
  );
  const most = drawn.reduce((best, each) => (each.value > best.value ? each : best));
  for (const { value, width } of drawn) expect(width).toBeCloseTo((value / most.value) * most.width, 0);
});

test('runs only the selection, and marks an error at its position in the whole text', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await run(page, 'SELECT * FROM spans');
  await expect(result(page)).toBeVisible();
  await editor(page).fill('SELECT 1\nSELECT nothing FROM spans');
  await editor(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(9, field.value.length));
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('alert')).toContainText('line 1, column 8: There is no column nothing.');
  await page.getByRole('button', { name: 'Go to it' }).click();
  expect(await editor(page).evaluate((field: HTMLTextAreaElement) => field.selectionStart)).toBe(16);
  // The previous result is still shown.
  await expect(result(page)).toBeVisible();
});

test('stops a query by Escape, and shows the progress of preparing the columns of a long list', async ({
  open,
}) => {
  const page = await open();
  await openSql(page);
  await run(page, 'SELECT for_ever');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.evaluate(() =>
    (globalThis as unknown as FakeWindow).fakeEvent('library:profile-changed', {
      connectionId: '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11',
      preparation: { rows: 320_000, totalRows: 1_000_000 },
    }),
  );
  await expect(page.getByText('Preparing columns: 320,000 of 1,000,000 rows.')).toBeVisible();
  await editor(page).focus();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('alert')).toHaveText('The query was stopped.');
  await expect(page.getByRole('button', { name: 'Run' })).toBeEnabled();
});

test('saves a query by name and loads it again, as well as one from the history', async ({ open }) => {
  const page = await open();
  await openSql(page);
  await run(page, '-- Refunds by country\nSELECT * FROM spans');
  await page.getByRole('button', { name: 'Queries' }).click();
  await page.getByRole('menuitem', { name: 'Save this query…' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Refunds by country');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await editor(page).fill('');
  await page.getByRole('button', { name: 'Queries' }).click();
  await page.getByRole('menuitem', { name: 'Refunds by country' }).first().click();
  await expect(editor(page)).toHaveValue('-- Refunds by country\nSELECT * FROM spans');
});

test('reports if nothing is stored or found, if the result is truncated, and if stores cannot be read', async ({
  open,
}) => {
  const empty = await open({ sql: 'empty' });
  await openSql(empty);
  await expect(empty.getByText('Nothing is stored yet. Open a list')).toBeVisible();
  const page = await open();
  await openSql(page);
  await run(page, 'SELECT no_rows');
  await expect(page.getByText('The query returned no rows.')).toBeVisible();
  await run(page, 'SELECT cut');
  await expect(page.getByText('There are more: the first 100,000 are kept here.')).toBeVisible();
  const failed = await open({ sql: 'failed' });
  await openSql(failed);
  await expect(failed.getByRole('alert')).toContainText('The stored lists could not be read.');
});
