/** A file before it is sent: a saved mapping that differs, the policy for bad rows, and repairs. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';

async function openMapping(page: Page): Promise<void> {
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Saved mappings' }).click();
  await page.getByRole('menuitem', { name: /^Monthly questions/ }).click();
  await page.getByRole('button', { name: 'Next: columns' }).click();
}

/** Waits for the end of the check of a file with problems, and shows its columns. */
async function showColumns(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: 'Result' })).toBeVisible();
  await page.getByRole('radio', { name: /^Columns/ }).check();
}

test('checks a file as soon as its columns are mapped, with problems and repairs in the first screen', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  const repairs = page.getByRole('region', { name: '3 kinds of problems' });
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('461 bad');
  for (const [width, height] of [
    [1280, 800],
    [1000, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(repairs.getByRole('button', { name: 'Repair 449 values' })).toBeInViewport({ ratio: 1 });
    await expect(repairs.getByRole('button', { name: /^intent Spelling/ })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('button', { name: 'Skip 461 bad rows' })).toBeInViewport({ ratio: 1 });
  }
});

test('keeps the columns in view of someone who works on them while the file is checked', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await showColumns(page);
  const columns = page.getByRole('region', { name: 'Columns', exact: true });
  await columns.getByRole('checkbox', { name: 'Send intent' }).uncheck();
  await expect
    .poll(() => newestCall(page, 'uploads:start-dry-run'))
    .toMatchObject({
      plan: {
        columns: expect.arrayContaining([expect.objectContaining({ source: 'intent', target: null })]),
      },
    });
  await expect(page.getByRole('region', { name: 'Result' })).toBeVisible();
  await expect(columns.getByRole('checkbox', { name: 'Send intent' })).toBeVisible();
});

test('says that an outcome is of an earlier mapping while no column is mapped', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await showColumns(page);
  const notice = page.getByText(/^The file or the mapping changed after this check\./);
  await expect(notice).toBeHidden();
  await page.getByRole('button', { name: 'Remove the constant region' }).click();
  const columns = page.getByRole('region', { name: 'Columns', exact: true });
  const sent = columns.getByRole('checkbox', { name: /^Send /, checked: true });
  for (let left = await sent.count(); left > 0; left -= 1) {
    await sent.first().uncheck();
    await expect(sent).toHaveCount(left - 1);
  }
  await expect(notice).toContainText('It is repeated once the columns are mapped.');
});

test('shows the differences of a file from a saved mapping, and applies its constants and policy', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await showColumns(page);
  const differences = page.getByRole('region', { name: 'Differences from Monthly questions' });
  await expect(differences.getByRole('listitem')).toHaveText([
    /channel ?missing in this file: channel gets no value/,
    /id ?new in this file/,
    /cost_usd ?looks like float, was str/,
  ]);
  await expect(page.getByLabel('Value of region')).toHaveValue('EU');
  await page.getByRole('button', { name: 'Options' }).click();
  await expect(page.getByRole('radio', { name: 'Stop after' })).toBeChecked();
  await expect(page.getByLabel('Bad rows to skip')).toHaveValue('5');
  await page.getByRole('radio', { name: 'Skip', exact: true }).check();
  await expect(page.getByLabel('Bad rows to skip')).toBeHidden();
  await page.getByRole('button', { name: 'Remove the constant region' }).click();
  await expect
    .poll(() => newestCall(page, 'uploads:start-dry-run'))
    .toMatchObject({ plan: expect.not.objectContaining({ constants: expect.anything() }) });
  expect(await newestCall(page, 'uploads:start-dry-run')).toMatchObject({
    plan: { preset: 'Monthly questions', onBadRow: 'skip', batchRows: 500 },
  });
});

test('moves from step to step by keys alone, past all fields and cells, but only up to the last button', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  const step = page.getByRole('group', { name: 'Step Columns and rows' });
  const next = page.getByRole('button', { name: 'Next: send' });
  await expect(page.getByText(/^461 bad rows, and this upload stops when more than 5 %/)).toBeVisible();
  await expect(next).toBeDisabled();
  await step.getByRole('checkbox').first().focus();
  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByRole('group', { name: 'Step Send' })).toBeHidden();
  const skip = page.getByRole('button', { name: 'Skip 461 bad rows' });
  await skip.focus();
  await page.keyboard.press('Enter');
  await expect(skip).toBeHidden();
  // The pressed button is removed, so the step has the focus.
  await expect(step).toBeFocused();
  await expect(next).toBeEnabled();
  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByRole('group', { name: 'Step Send' })).toBeFocused();
  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByRole('button', { name: /^Send / })).toBeFocused();
  expect(await callsOf(page, 'jobs:create')).toHaveLength(0);
});

test('makes unambiguous repairs together, and leaves ambiguous ones to the user', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  const repairs = page.getByRole('region', { name: '3 kinds of problems' });
  await expect(repairs).toContainText('83807.86');
  await expect(page.getByText('names 2 of 1,243 event ids')).toBeVisible();
  await repairs.getByRole('button', { name: 'Repair 449 values' }).click();
  await expect(repairs.getByRole('button', { name: /^Repair \d/ })).toBeHidden();
  const ofDate = repairs.getByRole('checkbox', { name: 'Repair order: Day before month' });
  await expect(ofDate).not.toBeChecked();
  const sum = page.getByRole('region', { name: 'Result' });
  await expect(sum).toContainText(/1,231 readable\s*\+\s*0 unusual\s*\+\s*12 bad\s*449 repaired/);
  await ofDate.check();
  await expect(sum).toContainText(/1,243 readable\s*\+\s*0 unusual\s*\+\s*0 bad\s*461 repaired/);
  expect(await newestCall(page, 'uploads:start-dry-run')).toMatchObject({
    plan: {
      repairs: [
        { source: 'cost_usd', problem: 'decimal-comma', kind: 'decimal-comma' },
        { source: 'intent', problem: 'spelling', kind: 'spelling' },
        { source: 'order', problem: 'day-first', kind: 'day-first' },
      ],
    },
  });
});

test('counts all rows in the summaries after the check, and names the row that changes the type of a column', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  const columns = page.getByRole('region', { name: 'Columns over all rows' });
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(page.getByTitle(/Summaries count all 1,243 rows\./)).toHaveText('Profiles');
  await expect(preview).toContainText('3 outliers over 0.009');
  await expect(columns.getByRole('listitem')).toHaveText(
    /cost_usd is int up to row 812 \(line 813\), where 0\.0021 makes it decimal\./,
  );
  await columns.getByRole('button', { name: 'Read cost_usd as decimal' }).click();
  await expect
    .poll(() => newestCall(page, 'uploads:start-dry-run'))
    .toMatchObject({
      plan: {
        columns: expect.arrayContaining([expect.objectContaining({ source: 'cost_usd', type: 'decimal' })]),
      },
    });
  await expect(preview.getByRole('combobox', { name: 'Type of cost_usd' })).toHaveValue('decimal');
});

test('counts problems in heads, marks them in rows and groups them, with one selection for all three', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  const preview = page.getByRole('region', { name: 'Preview' });
  const groups = page.getByRole('region', { name: '3 kinds of problems' });
  const lines = preview.getByRole('rowheader');
  await expect(page.getByRole('radio', { name: 'Rows with problems' })).toBeChecked();
  await expect(lines).toHaveText(['4', '10', '22', '41', '61']);
  await expect(preview.getByTitle('Expected an event id, got no value.')).toHaveText('null');
  const count = preview.getByRole('button', { name: '37 spelling of a category' });
  await preview
    .getByRole('button', { name: /^Refnud: Expected refund/ })
    .first()
    .click();
  await expect(count).toHaveAttribute('aria-pressed', 'true');
  await expect(groups.getByRole('button', { name: /^intent Spelling/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(groups.getByRole('heading', { level: 3 })).toContainText('intent: spelling of a category');
  await preview.getByRole('button', { name: '12 day before month' }).click();
  await expect(groups.getByRole('heading', { level: 3 })).toContainText('order: day before month');
  await groups.getByRole('button', { name: /^intent Spelling/ }).click();
  await expect(count).toHaveAttribute('aria-pressed', 'true');
  await groups.getByRole('button', { name: 'Show these rows' }).click();
  await expect(lines).toHaveText(['10', '22']);
  await groups.getByRole('radio', { name: 'Use the nearest category' }).check();
  const repaired = preview.getByRole('button', { name: /^Refnud: Repaired, sent as refund/ });
  // A repaired cell shows the value that is sent.
  await expect(repaired).toHaveText(['refund', 'refund']);
  await expect(preview.getByRole('button', { name: '37 spelling of a category, repaired' })).toBeVisible();
  await page.getByRole('button', { name: 'Only intent: spelling of a category' }).click();
  await expect(lines).toHaveText(['4', '10', '22', '41', '61']);
  await page.getByRole('radio', { name: 'First 2 rows' }).check();
  await expect(lines).toHaveText(['1', '2']);
});

async function openCheck(page: Page): Promise<void> {
  await openMapping(page);
}

test('separates good, unusual and bad rows, and marks unusual ones in amber with a list of their own', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, hasUnusual: true });
  await openCheck(page);
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(
    /1,243 rows\s*=\s*778 readable\s*\+\s*4 unusual\s*\+\s*461 bad/,
  );
  const preview = page.getByRole('region', { name: 'Preview' });
  const unusual = preview.getByRole('button', { name: /^Retoure: Unusual, sent as it is/ });
  const bad = preview.getByRole('button', { name: /^Refnud: Expected refund/ }).first();
  const colourOf = (of: typeof bad) => of.evaluate((each) => getComputedStyle(each).color);
  expect(await colourOf(unusual)).not.toBe(await colourOf(bad));
  await page.getByRole('radio', { name: 'Unusual', exact: true }).check();
  await expect(preview.getByRole('rowheader')).toHaveText(['12', '13']);
  await page.getByRole('radio', { name: 'Bad', exact: true }).check();
  await expect(preview.getByRole('rowheader')).toHaveText(['4', '10', '22', '41', '61']);
});

test('sends a value by the choice: unchanged, not at all, null, repaired, or replaced', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, hasUnusual: true });
  await openCheck(page);
  const groups = page.getByRole('region', { name: '4 kinds of problems' });
  const firstRow = groups.getByRole('table').getByRole('row').nth(1);
  await expect(firstRow).toHaveText(/83\.807,86\s*311\s*not sent/);
  await groups.getByRole('radio', { name: 'Set to null' }).check();
  await expect(firstRow).toHaveText(/83\.807,86\s*311\s*null/);
  await groups.getByRole('radio', { name: 'Comma is decimal' }).check();
  await expect(firstRow).toHaveText(/83\.807,86\s*311\s*83807\.86/);
  await groups.getByRole('button', { name: /^intent Not one of the categories/ }).click();
  await expect(firstRow).toHaveText(/Retoure\s*3\s*Retoure/);
  await groups.getByRole('radio', { name: 'Set to null' }).check();
  await expect(firstRow).toHaveText(/Retoure\s*3\s*null/);
  await groups.getByRole('radio', { name: 'Replace with…' }).check();
  await groups.getByRole('combobox', { name: 'Replace Retoure in all 3 rows' }).click();
  // The most similar category is listed first.
  await expect(page.getByRole('listbox').getByRole('option').first()).toHaveText('return');
  await page.getByRole('option', { name: 'refund' }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/1 unusual/);
  // The problem and the result both count only the rows whose value is not replaced.
  const line = groups.getByRole('listitem').filter({ hasText: 'Not one of the categories' });
  await expect(line).toContainText('1 of 4');
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview.getByRole('button', { name: '1 not one of the categories' })).toBeVisible();
  await expect(preview.getByRole('button', { name: /^Retoure: Replaced, sent as refund/ })).toHaveText(
    'refund',
  );
  const { plan } = (await newestCall(page, 'uploads:start-dry-run')) as { plan: Record<string, unknown> };
  expect(plan).toMatchObject({ replacements: [{ source: 'intent', value: 'Retoure', with: 'refund' }] });
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/4 unusual/);
});

test('ticks a group with replaced values, and takes the replacement back if the tick is cleared', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, hasUnusual: true });
  await openCheck(page);
  const groups = page.getByRole('region', { name: '4 kinds of problems' });
  await groups.getByRole('button', { name: /^intent Not one of the categories/ }).click();
  const tick = groups.getByRole('checkbox', { name: 'Repair intent: Not one of the categories' });
  await expect(tick).not.toBeChecked();
  await groups.getByRole('radio', { name: 'Replace with…' }).check();
  await groups.getByRole('combobox', { name: 'Replace Retoure in all 3 rows' }).click();
  await page.getByRole('option', { name: 'refund' }).click();
  await expect(tick).toBeChecked();
  await tick.uncheck();
  await expect(groups.getByRole('radio', { name: 'Send as it is' })).toBeChecked();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/4 unusual/);
  const { plan } = (await newestCall(page, 'uploads:start-dry-run')) as { plan: Record<string, unknown> };
  expect(plan).not.toHaveProperty('replacements');
});

test('shows the column of a chosen problem whole beside the pinned line numbers, in any order of choice', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, hasUnusual: true });
  await page.setViewportSize({ width: 1_000, height: 800 });
  await openCheck(page);
  const preview = page.getByRole('region', { name: 'Preview' });
  /** Width in px of the part of the column that is hidden by the pinned column or beyond the end of the pane. */
  const hidden = (source: string) =>
    preview.evaluate((pane, name) => {
      const [first, head] = [pane.querySelector('th'), pane.querySelector(`th[data-source="${name}"]`)];
      const [pinned, column] = [first?.getBoundingClientRect(), head?.getBoundingClientRect()];
      const end = pane.getBoundingClientRect().left + pane.clientWidth;
      const covered = (pinned?.right ?? Number.NaN) - (column?.left ?? Number.NaN);
      return Math.round(Math.max(covered, (column?.right ?? Number.NaN) - end, 0));
    }, source);
  const groups = page.getByRole('region', { name: '4 kinds of problems' });
  for (const source of ['cost_usd', 'order', 'intent', 'cost_usd', 'intent', 'order']) {
    await groups
      .getByRole('button', { name: new RegExp(`^${source} `) })
      .first()
      .click();
    await expect.poll(() => hidden(source)).toBe(0);
    await page.getByRole('button', { name: 'Show these rows' }).click();
    await expect.poll(() => hidden(source)).toBe(0);
  }
});

test('edits a marked cell in place, alone or in all rows with its value, and explains invalid text', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, hasUnusual: 'alone' });
  await openCheck(page);
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByRole('button', { name: /^Umtausch: Unusual/ }).dblclick();
  const field = preview.getByRole('combobox', { name: 'New value of intent in line 13' });
  await expect(field).toHaveValue('Umtausch');
  await field.fill('Franken');
  await field.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Not one of the model’s categories.');
  await field.press('Escape');
  const cell = preview.getByRole('button', { name: /^Umtausch: Unusual/ });
  await expect(cell).toBeFocused();
  await page.keyboard.press('F2');
  await field.fill('voucher');
  await field.press('Enter');
  await expect(preview.getByRole('button', { name: /^Umtausch: Edited, sent as voucher/ })).toHaveText(
    'voucher',
  );
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/3 unusual/);
  expect(await newestCall(page, 'uploads:start-dry-run', 2)).toMatchObject({
    plan: {
      cellEdits: {
        cells: [{ source: 'intent', line: 13, byteOffset: 1_200, value: 'Umtausch', with: 'voucher' }],
      },
    },
  });
  await preview.getByRole('button', { name: /^Retoure: Unusual/ }).focus();
  await page.keyboard.press('F2');
  await page.getByRole('checkbox', { name: 'For all 3 rows with this value' }).check();
  await preview.getByRole('combobox', { name: /^New value of intent/ }).fill('return');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/0 unusual/);
  expect(await newestCall(page, 'uploads:start-dry-run', 3)).toMatchObject({
    plan: { replacements: [{ source: 'intent', value: 'Retoure', with: 'return' }] },
  });
});

test('asks how to read an ambiguous column by its values before anything can be sent', async ({ open }) => {
  const scenario = { hasUnusual: 'alone', hasQuestions: true } as const;
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, ...scenario });
  await openCheck(page);
  const question = page.getByRole('group', { name: /^cost_usd can be read in two ways\./ });
  const comma = question.getByRole('radio', { name: /^The comma separates decimals 1,234 → 1\.234/ });
  await expect(comma).not.toBeChecked();
  await expect(
    question.getByRole('radio', { name: /^The point separates decimals 1,234 → 1234/ }),
  ).toBeVisible();
  const next = page.getByRole('button', { name: 'Next: send' });
  await expect(next).toBeDisabled();
  await expect(page.getByText('Choose how cost_usd is read.')).toBeVisible();
  await comma.click();
  await expect(next).toBeEnabled();
  const { plan } = (await newestCall(page, 'uploads:start-dry-run', 2)) as { plan: { columns: unknown[] } };
  expect(plan.columns).toContainEqual(
    expect.objectContaining({ source: 'cost_usd', reading: { decimal: 'comma' } }),
  );
  await page.getByText('cost_usd: the comma separates decimals').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(next).toBeDisabled();
});

test('reports a key that the first rows lack, and sends it on request', async ({ open }) => {
  const scenario = { hasUnusual: 'alone', hasQuestions: true } as const;
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, ...scenario });
  await openCheck(page);
  const told = page.getByText('1 key that the first rows lack would fill a column of the model: note.');
  await expect(told).toBeVisible();
  await page.getByRole('button', { name: 'Send it too' }).click();
  await expect(told).toBeHidden();
  expect(await newestCall(page, 'uploads:start-dry-run', 2)).toMatchObject({ plan: { takesNewKeys: true } });
});

test('counts times without a zone, checks again with the chosen zone, and undoes the choice', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openCheck(page);
  const zones = page.getByRole('region', { name: 'Time zone' });
  const choice = zones.getByRole('combobox', { name: /^order: 1,231 times without a zone/ });
  await expect(choice).toHaveValue('');
  await choice.selectOption('Europe/Berlin');
  const planOf = async (call: number) =>
    ((await newestCall(page, 'uploads:start-dry-run', call)) as { plan: { columns: unknown[] } }).plan;
  expect((await planOf(2)).columns).toContainEqual(
    expect.objectContaining({ source: 'order', reading: { zone: 'Europe/Berlin' } }),
  );
  await expect(choice).toHaveValue('Europe/Berlin');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(choice).toHaveValue('');
});

test('offers a button to read rows with other quotes that make them readable', async ({ open }) => {
  const scenario = { hasUnusual: 'alone', hasQuestions: true } as const;
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, ...scenario });
  await openCheck(page);
  await expect(page.getByText('9 of 12 rows that cannot be read can be read with the quote')).toBeVisible();
  await page.getByRole('button', { name: "Read the file with the quote '" }).click();
  expect(await newestCall(page, 'uploads:inspect', 2)).toMatchObject({
    dialect: { quote: "'", escape: null },
  });
  await newestCall(page, 'uploads:start-dry-run', 2);
});

test('shows the changed values in the view of an upload', async ({ open }) => {
  const page = await open({ hasPlans: true, hasChecks: true });
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  const ledger = page.getByRole('region', { name: 'What changed on the way' });
  await expect(ledger.getByRole('row', { name: /^cost_usd Word read as no value 43/ })).toBeVisible();
});

test('lists changed values by rule and column, and omitted data', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openCheck(page);
  const ledger = page.getByRole('region', { name: 'What changes on the way' });
  await expect(ledger.getByRole('row')).toHaveText([
    /Column\s*Rule\s*Values\s*Examples/,
    /question\s*Blanks around the value removed\s*18\s*“ Where is it\?”\s*→\s*Where is it\?/,
    /order\s*Time without a zone sent unchanged, which counts as UTC\s*1,231/,
    /cost_usd\s*Word read as no value\s*43\s*NA\s*→\s*no value/,
    /Left out\s*Why\s*Number\s*First/,
    /Column answer\s*The model has no such column\s*1,243 values/,
    /Key note\s*It first comes up in line 641\s*600 values\s*line 641/,
  ]);
  await expect(ledger.getByRole('listitem')).toHaveText(/^order: the day comes first/);
});

test('reports a check in which all values are sent unchanged', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true, hasUnusual: 'alone' });
  await openCheck(page);
  await expect(page.getByText('Values are sent exactly as in the file.')).toBeVisible();
});
