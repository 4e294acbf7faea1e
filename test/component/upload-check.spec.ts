/** A file on its way to be sent: a saved mapping that does not fit whole, the policy of bad rows, and repairs. */
import type { Page } from '@playwright/test';
import { callsOf, expect, newestCall, test } from './fixtures.ts';

async function openMapping(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Uploads' }).click();
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Saved mappings' }).click();
  await page.getByRole('menuitem', { name: /^Monthly questions/ }).click();
  await page.getByRole('button', { name: 'Next: mapping' }).click();
}

test('a saved mapping says how the file differs; its constants and its policy are filled in', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  const differences = page.getByRole('region', { name: 'Differences from Monthly questions' });
  await expect(differences.getByRole('listitem')).toHaveText([
    /channel ?missing in this file: channel gets no value/,
    /id ?new in this file/,
    /cost_usd ?looks like float, was str/,
  ]);
  await expect(page.getByLabel('Value of region')).toHaveValue('EU');
  await expect(page.getByRole('radio', { name: 'Stop after' })).toBeChecked();
  await expect(page.getByLabel('Bad rows to skip')).toHaveValue('5');
  await page.getByRole('radio', { name: 'Skip', exact: true }).check();
  await expect(page.getByLabel('Bad rows to skip')).toBeHidden();
  await page.getByRole('button', { name: 'Remove the constant region' }).click();
  await page.getByRole('button', { name: 'Check the whole file' }).click();
  const { plan } = (await newestCall(page, 'uploads:start-dry-run')) as { plan: Record<string, unknown> };
  expect(plan).toMatchObject({ preset: 'Monthly questions', onBadRow: 'skip', batchRows: 500 });
  expect(plan).not.toHaveProperty('constants');
});

test('keys alone lead from step to step, past every field and cell, and only as far as to the last button', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await page.getByLabel('Value of region').focus();
  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByRole('group', { name: 'Step Check' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Next: send' })).toBeEnabled();
  await page.getByRole('group', { name: 'Step Check' }).getByRole('checkbox').first().focus();
  await page.keyboard.press('Control+Shift+Enter');
  const skip = page.getByRole('button', { name: 'Skip bad rows' });
  await expect(page.getByRole('group', { name: 'Step Send' })).toBeFocused();
  await skip.focus();
  await page.keyboard.press('Enter');
  await expect(skip).toBeHidden();
  // The button that was pressed is gone.
  await expect(page.getByRole('group', { name: 'Step Send' })).toBeFocused();
  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByRole('button', { name: /^Send / })).toBeFocused();
  expect(await callsOf(page, 'jobs:create')).toHaveLength(0);
});

test('plain repairs are made together, one that could mean two things waits for a person', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await page.getByRole('button', { name: 'Check the whole file' }).click();
  const repairs = page.getByRole('region', { name: '3 kinds of problems' });
  await expect(repairs).toContainText('83807.86');
  await expect(page.getByText('names 2 of 1,243 event ids')).toBeVisible();
  await repairs.getByRole('button', { name: 'Repair 449 values' }).click();
  await expect(repairs.getByRole('button', { name: /^Repair \d/ })).toBeHidden();
  const ofDate = repairs.getByRole('checkbox', { name: 'Repair order: Day before month' });
  await expect(ofDate).not.toBeChecked();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/449\s*repaired\s*12\s*bad/);
  await ofDate.check();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/461\s*repaired\s*0\s*bad/);
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

test('after the check the pictures count every row, and the row that makes a column of another type is named', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await page.getByRole('button', { name: 'Check the whole file' }).click();
  const columns = page.getByRole('region', { name: 'Columns over all rows' });
  await expect(columns).toContainText('Pictures count all 1,243 rows.');
  await expect(columns).toContainText('3 outliers over 0.009');
  await expect(columns.getByRole('listitem')).toHaveText(
    /cost_usd is int up to row 812 \(line 813\), where 0\.0021 makes it decimal\./,
  );
  await columns.getByRole('button', { name: 'Read cost_usd as decimal' }).click();
  await expect(page.getByText('The file or the mapping changed after this check.')).toBeVisible();
  await expect(columns.getByRole('combobox', { name: 'Type of cost_usd' })).toHaveValue('decimal');
});

test('problems are counted in heads, marked in their rows and grouped; one choice shows in all three', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full', hasChecks: true });
  await openMapping(page);
  await page.getByRole('button', { name: 'Check the whole file' }).click();
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
  await expect(preview.getByRole('button', { name: /^Refnud: Repaired, sent as refund/ })).toHaveCount(2);
  await expect(preview.getByRole('button', { name: '37 spelling of a category, repaired' })).toBeVisible();
  await page.getByRole('button', { name: 'Only intent: spelling of a category' }).click();
  await expect(lines).toHaveText(['4', '10', '22', '41', '61']);
  await page.getByRole('radio', { name: 'First 2 rows' }).check();
  await expect(lines).toHaveText(['1', '2']);
});
