/** Lists written to files, in the window: the dialog that asks how, and what can be done with an export. */
import { expect, expectCalls, newestCall, openEntities, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

test('a list is exported as it is chosen: format, rows, columns; the export stands in My jobs', async ({
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
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My jobs');
  await expect(page.getByRole('row', { name: /Export/ })).toContainText('Exporting');
});

test('items of a dataset are exported as conversations, the fields found or chosen', async ({ open }) => {
  const page = await open();
  await section(page, 'Datasets');
  await page.getByRole('gridcell', { name: 'Refund questions', exact: true }).dblclick();
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

test('selected rows are exported in the list that was seen', async ({ open }) => {
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

test('a finished export is found in its folder and read by Python; one that rests goes on', async ({
  open,
}) => {
  const page = await open({ hasExports: true });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'My jobs' }).click();
  const row = (name: string) => page.getByRole('row', { name });
  await expect(row('Spans of Support assistant')).toContainText('10,148 rows written to spans.parquet');
  await expect(row('Datasets')).toContainText('3,200 of 10,148 rows read');
  await expect(row('Items of Golden set')).toContainText('no room');
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

test('the answer of a query is exported whole, as the query that was run', async ({ open }) => {
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
