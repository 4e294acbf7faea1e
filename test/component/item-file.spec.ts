/** Rows of a file become items of a dataset in the window. */
import type { Page } from '@playwright/test';
import { expect, expectCalls, newestCall, test } from './fixtures.ts';

async function openFile(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Datasets', exact: true }).click();
  await page
    .getByRole('row', { name: /^Refund questions/ })
    .first()
    .dblclick();
  await page.getByRole('button', { name: 'Add items' }).click();
  await page.getByRole('menuitem', { name: 'From a file…' }).click();
}

test('suggests columns, edits them with a preview, and adds the items by a job', async ({ open }) => {
  const page = await open({ itemFile: 'full' });
  await openFile(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('refund-questions.jsonl');
  await expect(page.getByLabel('Place of answer')).toHaveValue('expected_outputs');
  await expect(page.getByLabel('Place of id')).toHaveValue('out');
  const item = page.getByRole('region', { name: 'Before and after' });
  await expect(item).toContainText('When do I get my 149 € back?');
  await page.getByLabel('Flatten nested keys').check();
  await expect(item).toContainText(/order\.total\s+amount/);
  await page.getByLabel('Key of question').fill('prompt');
  await page.getByLabel('Key of question').blur();
  expect(await newestCall(page, 'jobs:plan')).toMatchObject({
    kind: 'items',
    plan: {
      flattens: true,
      columns: [{ source: 'question', place: 'inputs', field: 'prompt' }, {}, {}, {}, {}, {}],
    },
  });
  await page.getByRole('button', { name: 'Add 1,243 items' }).click();
  // A start by mistake is cancelled, and nothing was sent.
  await expect(page.getByRole('timer')).toHaveText(/^Starting in [0-5] s$/);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expectCalls(page, 'jobs:control', [{ kind: 'items', id: 'items-1', action: 'cancel' }]);
  await page.getByLabel('Key of question').fill('q');
  await page.getByLabel('Key of question').blur();
  await page.getByRole('button', { name: 'Add 1,243 items' }).click();
  await page.getByRole('button', { name: 'Start now' }).click();
  await expect(page.getByText('600 of 1,243 items added')).toBeVisible();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({ kind: 'items', plan: { startsNow: true } });
  await page.getByRole('button', { name: 'Pause' }).click();
  const named = { kind: 'items', id: 'items-1' };
  await expectCalls(
    page,
    'jobs:control',
    ['cancel', 'start', 'pause'].map((action) => ({ ...named, action })),
  );
});

test('replaces or repairs values that do not fit, and updates the sum of rows', async ({ open }) => {
  const page = await open({ itemFile: 'bad' });
  await openFile(page);
  const columns = page.getByRole('region', { name: 'Check of the file' });
  await expect(columns).toContainText(/1,243 rows\s*=\s*1,236 good\s*\+\s*2 unusual\s*\+\s*5 bad/);
  await expect(columns).toContainText('2 rows have a source id that occurs in an earlier row of this file');
  await page.getByRole('radio', { name: 'Replace with…' }).click();
  const field = page.getByRole('textbox', { name: 'Replace n/a in all 3 rows' });
  await field.fill('free');
  await field.press('Enter');
  await expect(page.getByRole('alert')).toHaveText(/“free” cannot be sent\. Expected a number\./);
  await field.fill('0');
  await field.press('Enter');
  await expect(columns).toContainText(/1,239 good\s*\+\s*2 unusual\s*\+\s*2 bad/);
  expect(await newestCall(page, 'jobs:plan')).toMatchObject({
    plan: { replacements: [{ source: 'cost_usd', value: 'n/a', with: '0' }] },
  });
  // Within a field, the shortcut would undo typing.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+z');
  await expect(columns).toContainText('5 bad');
  await page.getByRole('radio', { name: 'Read as no value' }).click();
  await expect(columns).toContainText('2 bad');
  expect(await newestCall(page, 'jobs:plan')).toMatchObject({
    plan: { repairs: [{ source: 'cost_usd', problem: 'null-word', kind: 'null-word' }] },
  });
});

for (const [width, height] of [
  [1000, 640],
  [1280, 800],
] as const) {
  test(`shows problems, their repairs and their rows together, ${width} px wide`, async ({ open }) => {
    const page = await open({ itemFile: 'bad' });
    await page.setViewportSize({ width, height });
    await openFile(page);
    const check = page.getByRole('region', { name: 'Check of the file' });
    const rows = page.getByRole('region', { name: 'Preview' });
    await expect(rows.getByRole('rowheader')).toHaveText(['17', '31', '52']);
    for (const part of [
      check.getByText('1,236 good'),
      check.getByRole('button', { name: 'Repair 3 values' }),
      check.getByRole('radio', { name: 'Replace with…' }),
      ...(await rows.getByRole('button', { name: 'n/a: Expected a number.' }).all()),
    ])
      await expect(part).toBeInViewport({ ratio: 1 });
  });
}

test('edits a cell that does not fit in place, alone or in all rows with its value', async ({ open }) => {
  const page = await open({ itemFile: 'bad' });
  await openFile(page);
  const columns = page.getByRole('region', { name: 'Check of the file' });
  const rows = page.getByRole('region', { name: 'Preview' });
  await page.getByRole('button', { name: 'Show these rows' }).click();
  await expect(rows.getByRole('rowheader')).toHaveText(['17', '31', '52']);
  const bad = rows.getByRole('button', { name: 'n/a: Expected a number.' });
  await bad.nth(1).dblclick();
  const field = page.getByRole('combobox', { name: 'New value of cost_usd in line 31' });
  await field.fill('free');
  await field.press('Enter');
  await expect(page.getByRole('alert')).toHaveText(/“free” cannot be sent\. Expected a number\./);
  await field.fill('0.5');
  await field.press('Enter');
  await expect(rows.getByRole('button', { name: 'n/a: Edited, sent as 0.5. Expected a number.' })).toHaveText(
    '0.5',
  );
  await expect(columns).toContainText(/1,237 good\s*\+\s*2 unusual\s*\+\s*4 bad/);
  const cell = { source: 'cost_usd', line: 31, byteOffset: 3_100, value: 'n/a', with: '0.5' };
  expect(await newestCall(page, 'jobs:plan')).toMatchObject({ plan: { cellEdits: { cells: [cell] } } });
  await bad.first().dblclick();
  await page.getByRole('combobox', { name: 'New value of cost_usd in line 17' }).fill('0');
  await page.getByRole('checkbox', { name: 'For all 3 rows with this value' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(columns).toContainText('2 bad');
  expect(await newestCall(page, 'jobs:plan')).toMatchObject({
    plan: { replacements: [{ source: 'cost_usd', value: 'n/a', with: '0' }], cellEdits: { cells: [cell] } },
  });
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+z');
  await expect(columns).toContainText('4 bad');
  await page.keyboard.press('Control+z');
  await expect(columns).toContainText('5 bad');
  expect(await newestCall(page, 'jobs:plan')).not.toHaveProperty('plan.cellEdits');
});

test('offers a button to read rows with other quotes that make them readable as items', async ({ open }) => {
  const page = await open({ itemFile: 'bad' });
  await openFile(page);
  await expect(page.getByText('1 of 1 row that cannot be read can be read with the quote')).toBeVisible();
  await page.getByRole('button', { name: "Read the file with the quote '" }).click();
  expect(await newestCall(page, 'uploads:inspect', 2)).toMatchObject({
    dialect: { quote: "'", escape: null },
  });
  await expect(page.getByText('that cannot be read can be read with')).toBeHidden();
});

test('blocks a file with rows that cannot be added until they are excluded', async ({ open }) => {
  const page = await open({ itemFile: 'bad' });
  await openFile(page);
  const add = page.getByRole('button', { name: 'Add 1,238 items' });
  await expect(page.getByText('line 17, cost_usd: Expected a number.')).toBeVisible();
  await expect(add).toBeDisabled();
  await page.getByLabel('Bad rows').selectOption('skip');
  await expect(add).toBeEnabled();
});

test('asks how to read an ambiguous column before adding items, and shows changed values', async ({
  open,
}) => {
  const page = await open({ itemFile: 'full', hasQuestions: true });
  await openFile(page);
  const question = page.getByRole('group', { name: /^cost_usd can be read in two ways\./ });
  const add = page.getByRole('button', { name: 'Add 1,243 items' });
  await expect(page.getByText('Choose how cost_usd is read.')).toBeVisible();
  await expect(add).toBeDisabled();
  await question.getByRole('radio', { name: /^The point separates decimals/ }).click();
  await expect(add).toBeEnabled();
  const { plan } = (await newestCall(page, 'jobs:plan', 2)) as { plan: { columns: unknown[] } };
  expect(plan.columns).toContainEqual(
    expect.objectContaining({ source: 'cost_usd', reading: { decimal: 'point' } }),
  );
  await expect(page.getByRole('region', { name: 'What changes on the way' })).toContainText(
    'Blanks around the value removed',
  );
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(add).toBeDisabled();
});

test('shows why a file cannot be read', async ({ open }) => {
  const page = await open({ itemFile: 'failed' });
  await openFile(page);
  await expect(page.getByRole('alert')).toBeVisible();
});

test('reads another sheet of a workbook, and keeps the choices for its columns', async ({ open }) => {
  const page = await open({ itemFile: 'workbook' });
  await openFile(page);
  await page.getByLabel('Key of question').fill('prompt');
  await page.getByLabel('Key of question').blur();
  await page.getByText('How the file is read: sheet “Refunds”').click();
  await page.getByRole('combobox', { name: 'Sheet' }).selectOption('Vouchers');
  await expect(page.getByLabel('Place of reply')).toBeVisible();
  await expect(page.getByLabel('Key of question')).toHaveValue('prompt');
  await expect(page.getByText('How the file is read: sheet “Vouchers”')).toBeVisible();
  await expect
    .poll(() => newestCall(page, 'jobs:plan'))
    .toMatchObject({
      plan: { dialect: { sheet: 'Vouchers' }, columns: [{ field: 'prompt' }, {}, {}, {}, {}, {}] },
    });
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.getByRole('button', { name: 'Reset to detected' }).click();
  await expect(page.getByLabel('Place of answer')).toBeVisible();
});

for (const theme of ['light', 'dark'] as const) {
  test(`asks which list of a JSON document holds the rows (${theme})`, async ({ open }) => {
    const page = await open({ itemFile: 'lists', theme });
    await openFile(page);
    await expect(page.getByRole('alert')).toContainText('several lists that can hold its rows');
    const rows = page.getByRole('combobox', { name: 'Rows', exact: true });
    await expect(rows).toHaveValue('');
    await page.setViewportSize({ width: 1_000, height: 640 });
    await expect(page.getByLabel('Line of the header')).toBeHidden();
    await rows.selectOption('data');
    await expect(page.getByRole('button', { name: 'Add 1,243 items' })).toBeEnabled();
    await expect(page.getByText('How the file is read: list “data”')).toBeVisible();
    await expect(page.getByRole('alert')).toBeHidden();
  });
}

test('reads a wrongly detected file in another format, although nothing could be shown', async ({ open }) => {
  const page = await open({ itemFile: 'misread', theme: 'dark' });
  await openFile(page);
  await expect(page.getByRole('alert')).toBeVisible();
  const encoding = page.getByRole('combobox', { name: 'Encoding' });
  await encoding.fill('windows-1252');
  await encoding.blur();
  await expect(page.getByRole('button', { name: 'Add 1,243 items' })).toBeEnabled();
  await expect(page.getByRole('alert')).toBeHidden();
});

for (const network of ['switched-off', 'unreachable'] as const) {
  test(`adds items while the network is ${network}, and says that they wait`, async ({ open }) => {
    const page = await open({ itemFile: 'full', network });
    await openFile(page);
    const says = {
      'switched-off': /this waits, and is sent once you go online/,
      unreachable: /This waits until/,
    };
    await expect(page.getByText(says[network])).toBeVisible();
    await page.getByRole('button', { name: 'Add 1,243 items' }).click();
    expect(await newestCall(page, 'jobs:create')).toMatchObject({ kind: 'items', plan: { startsNow: true } });
  });
}
