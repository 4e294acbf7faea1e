/** Exports of lists: the dialog, and actions on an export. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { callsOf, expect, expectCalls, newestCall, openEntities, test } from './fixtures.ts';
import { section } from './resource-steps.ts';
import { openSearch, searchField } from './search-steps.ts';
import { bar, openSpans } from './span-steps.ts';

test('exports a list with the chosen format, rows and columns, and lists the export among the jobs', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  await page.keyboard.press('Control+Shift+E');
  const dialog = page.getByRole('dialog', { name: /^Export / });
  await dialog.getByRole('radio', { name: 'Parquet' }).check();
  await expect(dialog.getByRole('radio', { name: /^All .* entities$/ })).toBeChecked();
  await dialog.getByRole('radio', { name: /columns shown$/ }).check();
  await dialog.getByLabel('Files').selectOption({ label: 'A folder for each data_type' });
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({
    kind: 'export',
    plan: { format: 'parquet', reads: 'whole', partitionBy: 'data_type', ranges: null },
  });
  await expectCalls(page, 'jobs:save', [{ kind: 'export', what: 'file' }]);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Jobs');
  const job = page.getByRole('row', { name: /Export/ });
  await expect(job).toContainText('Exporting');
  // The notice opens the list with its job marked and focused.
  await expect(job).toHaveAttribute('aria-current', 'true');
  await expect(job.getByRole('button').first()).toBeFocused();
  // The search hides and shows the row of the job, and keeps the focus.
  const search = page.getByRole('textbox', { name: 'Search jobs' });
  await search.fill('no such job');
  await expect(job).toBeHidden();
  await search.fill('');
  await expect(job).toBeVisible();
  await expect(search).toBeFocused();
});

test('exports items of a dataset as conversations, with detected or chosen fields', async ({ open }) => {
  const page = await open();
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await expect(page.getByRole('grid').getByRole('row').nth(3)).toBeVisible();
  await page.keyboard.press('Control+Shift+E');
  const dialog = page.getByRole('dialog', { name: /^Export / });
  await dialog.getByRole('radio', { name: 'JSON Lines' }).check();
  await dialog.getByRole('radio', { name: 'Chat' }).check();
  await expect(dialog.getByText('ending with the expected answer')).toBeVisible();
  await expect(dialog.getByRole('radio', { name: /columns/ })).toHaveCount(0);
  await dialog.getByLabel('Answer').selectOption({ label: 'answer' });
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({
    plan: {
      format: 'jsonl',
      columns: null,
      conversation: { as: 'chat', prompt: null, answer: expect.stringMatching(/^expected_outputs\./) },
    },
  });
});

test('copies and exports checked spans rather than the selected range, and shows their number', async ({
  open,
}) => {
  const page = await open();
  const grid = await openSpans(page);
  for (const at of [0, 2, 5]) await grid.getByRole('checkbox').nth(at).click();
  await expect(bar(page)).toContainText('3 selected');
  // The cursor and a selected range are ignored while checkboxes of spans are ticked.
  await grid.press('ArrowDown');
  await grid.press('Shift+ArrowDown');
  await grid.press('Control+c');
  await expect(page.getByText('3 rows copied')).toBeVisible();
  const [copied] = await callsOf(page, 'app:copy-text');
  const lines = String(copied?.argument['text']).split('\n');
  expect(lines.filter((line) => line !== '')).toHaveLength(4);

  await grid.getByRole('gridcell', { name: 'agent', exact: true }).last().click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Copy 3 rows as', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+Shift+E');
  const dialog = page.getByRole('dialog', { name: /^Export / });
  await expect(dialog.getByRole('radio', { name: '3 spans selected' })).toBeChecked();
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({
    kind: 'export',
    plan: { name: 'Selected spans', table: { form: 'picked' }, columns: null },
  });
});

test('exports the selected rows of the visible list', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  await page.getByRole('gridcell', { name: 'gen_ai.user.count', exact: true }).first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Export / });
  await expect(dialog.getByRole('radio', { name: /^2 .* selected$/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  const { plan } = (await newestCall(page, 'jobs:create')) as { plan: { ranges: object[]; seen: object } };
  expect(plan.ranges).toHaveLength(1);
  expect(plan).toMatchObject({ reads: 'stored', seen: { storedRows: expect.any(Number) } });
});

test('shows the folder of a finished export and its Python code, and resumes a paused one', async ({
  open,
}) => {
  const page = await open({ hasExports: true });
  await openPlace(page, 'Jobs');
  const row = (name: string) => page.getByRole('row', { name });
  await expect(row('Spans of Support assistant')).toContainText('10,148 rows written to spans.parquet');
  await expect(row('Datasets')).toContainText('3,200 of 10,148 rows read');
  await expect(row('Items of Golden set')).toContainText('no room');
  await page.getByRole('img', { name: 'Handle to drag the file out' }).dispatchEvent('dragstart');
  expect(await newestCall(page, 'app:drag-out')).toMatchObject({ of: 'export', id: 'export-1' });
  await page.getByRole('button', { name: 'Show Spans of Support assistant in its folder' }).click();
  await page.getByRole('button', { name: 'More about Spans of Support assistant' }).click();
  await page.getByRole('menuitem', { name: 'Copy as Python: pandas' }).click();
  expect(await newestCall(page, 'app:copy-text')).toMatchObject({
    text: expect.stringContaining('FILE = "/home/ada/spans.parquet"'),
  });
  await page.getByRole('button', { name: 'Resume Items of Golden set' }).click();
  await page.getByRole('button', { name: 'More about Datasets' }).click();
  await page.getByRole('menuitem', { name: 'Cancel export' }).click();
  await expectCalls(page, 'jobs:control', [
    { kind: 'export', id: 'export-1', action: 'show-file' },
    { kind: 'export', id: 'export-3', action: 'resume' },
    { kind: 'export', id: 'export-2', action: 'cancel' },
  ]);
});

test('exports the whole answer of a query, for the query that was run', async ({ open }) => {
  const page = await open();
  await page.getByRole('navigation').getByRole('button', { name: 'SQL', exact: true }).click();
  const editor = page.getByRole('textbox', { name: 'SQL' });
  await editor.fill('SELECT * FROM spans');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('grid', { name: 'Result' })).toBeVisible();
  await editor.fill('SELECT 2');
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export SELECT * FROM spans' });
  await expect(dialog).toContainText(/rows? of the query/);
  await dialog.getByRole('radio', { name: 'Arrow' }).check();
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({
    kind: 'export',
    plan: { format: 'arrow', table: { form: 'sql', sql: 'SELECT * FROM spans' } },
  });
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('row', { name: /Export/ })).toContainText('Exporting');
  await page.getByRole('button', { name: /^More about SELECT/ }).click();
  await expect(page.getByRole('menuitem', { name: 'Cancel export' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Copy as Python: ask the service' })).toBeHidden();
});

/** Opens the dialog by shortcut, requests Parquet, and returns the plan. */
async function exported(page: Page, title: string | RegExp): Promise<unknown> {
  await page.keyboard.press('Control+Shift+E');
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByRole('radio', { name: 'Parquet' }).check();
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect(dialog).toBeHidden();
  return (await newestCall(page, 'jobs:create'))['plan'];
}

test('exports search results with the parameters of the search', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  const button = page.getByRole('button', { name: 'Export…' });
  await page.keyboard.type('zzzz');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await expect(button).toBeDisabled();
  await searchField(page).fill('refund');
  await page.getByRole('button', { name: /^Resources/ }).click();
  await expect(page.getByRole('listbox', { name: 'Found' }).getByRole('group')).toHaveCount(1);
  await button.click();
  await expect(page.getByRole('dialog', { name: 'Export Results for refund' })).toContainText(
    /\d results?\./,
  );
  await page.keyboard.press('Escape');
  expect(await exported(page, 'Export Results for refund')).toMatchObject({
    ...{ format: 'parquet', columns: null },
    table: { form: 'search', ask: { typed: 'refund', kind: 'resources' } },
  });
});

test('exports the visible scores of a run', async ({ open }) => {
  const page = await open({ hasScores: true });
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await page.getByRole('tab', { name: /^Scores/ }).click();
  const results = page.getByRole('region', { name: 'Scores', exact: true });
  await expect(results.getByRole('grid')).toContainText('words, of at most 40.');
  expect(await exported(page, 'Export Scores of Refund questions, conciseness · answer')).toMatchObject({
    table: { form: 'scores', runId: 'run-1', state: null },
  });
  await results.getByRole('radio', { name: 'Failed 1' }).check();
  await results.getByRole('button', { name: 'Export…' }).click();
  await expect(page.getByRole('dialog')).toContainText('The 1 failed item of the run');
  await page.keyboard.press('Escape');
  expect(await exported(page, /^Export Scores/)).toMatchObject({ table: { state: 'failed' } });
  await page.getByRole('tab', { name: /^Items/ }).click();
  await expect(page.getByRole('grid').getByRole('row').nth(3)).toBeVisible();
  expect(await exported(page, /^Export /)).toMatchObject({ query: { operation: 'datasets.items' } });
});

test('exports the receipts of an upload once rows are acknowledged', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await section(page, 'Jobs');
  await page.getByRole('button', { name: 'churn_2.csv', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn_2.csv');
  await expect(page.getByRole('button', { name: 'Export receipts…' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Export batches…' }).click();
  const batches = page.getByRole('dialog', { name: 'Export Batches of churn_2.csv' });
  await expect(batches).toContainText(/All \d+ batch(es)?, each with its rows/);
  await page.keyboard.press('Escape');
  await section(page, 'Jobs');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await page.getByRole('button', { name: 'Export receipts…' }).click();
  await expect(page.getByRole('dialog')).toContainText('9,998 acknowledged rows, each with its line');
  await page.keyboard.press('Escape');
  expect(await exported(page, 'Export Receipts of churn_3.csv')).toMatchObject({
    table: { form: 'receipts', jobId: expect.any(String) },
  });
});

test('exports the visible changes between versions, and the visible request log', async ({ open }) => {
  const page = await open();
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await page.getByRole('tab', { name: /^Versions/ }).click();
  await expect(page.getByRole('heading', { name: 'v2 → v3' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Export changes…' })).toBeEnabled();
  expect(await exported(page, 'Export Changes of Refund questions v2 to v3')).toMatchObject({
    table: { form: 'changes', from: 2, to: 3, kind: null },
  });
  await section(page, 'Requests');
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('Only GET');
  await expect(page.getByText('60 of 60 requests')).toBeVisible();
  await page.getByRole('button', { name: 'Request log' }).click();
  await page.getByRole('menuitem', { name: /^Export…/ }).click();
  await expect(page.getByRole('dialog', { name: 'Export Requests' })).toContainText('60 requests of the log');
  await page.keyboard.press('Escape');
  expect(await exported(page, 'Export Requests')).toMatchObject({
    ...{ format: 'parquet', name: 'Requests' },
    table: { form: 'requests', filter: { method: 'GET', text: null } },
  });
});
