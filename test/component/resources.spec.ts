/** Resources: single and bulk deletions, tasks of the service until they end, relations, and all fields. */
import type { FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, expectCalls, newestCall, test } from './fixtures.ts';
import { openBaselines, openDatasetForm, section } from './resource-steps.ts';

test.describe('deletion of a record', () => {
  test('lists the consequences, asks for the name, and names the action', async ({ open }) => {
    const page = await open();
    await section(page, 'Datasets');
    await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Refund questions' });
    await expect(dialog).toContainText('the dataset “Refund questions”');
    await expect(dialog).toContainText('all of its 1,240 items');
    await expect(dialog).toContainText('You cannot undo this.');
    const act = dialog.getByRole('button', { name: 'Delete dataset' });
    await dialog.getByRole('textbox', { name: /^Type / }).fill('Refund');
    await expect(act).toBeDisabled();
    await dialog.getByRole('textbox', { name: /^Type / }).fill('Refund questions');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Deleted Refund questions')).toBeVisible();
    await expectCalls(page, 'resources:act', [{ operation: 'datasets.delete' }]);
    await expect(page.getByRole('tab', { name: 'Refund questions' })).toBeHidden();
  });

  test('names unsent changes of items, and keeps them as a draft', async ({ open }) => {
    const page = await open();
    await section(page, 'Datasets');
    await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByRole('button', { name: 'Leave out' })
      .click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Refund questions' });
    await expect(dialog).toContainText('This tab has unsent input: changed items (1 left out).');
    await expect(dialog).toContainText('It is kept as a draft.');
    await dialog.getByRole('textbox', { name: /^Type / }).fill('Refund questions');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Deleted Refund questions')).toBeVisible();
    const saved = page.getByRole('listitem').filter({ hasText: 'Draft of “Refund questions” saved' });
    await saved.getByRole('button', { name: 'Reopen' }).click();
    await expect(page.getByRole('region', { name: 'Changes of the items' })).toContainText('1 left out.');
  });

  test('names the changed fields of a form', async ({ open }) => {
    const page = await open();
    await openDatasetForm(page);
    await page.getByRole('textbox', { name: 'Description' }).fill('mine');
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Refund questions' });
    await expect(dialog).toContainText('This tab has unsent input: changed fields (Description).');
  });

  for (const [where, list, record] of [
    ['a dataset', 'Datasets', 'Refund questions'],
    ['an application', 'Applications', 'Support assistant'],
  ] as const) {
    test(`puts the deletion of ${where} into the outbox while offline`, async ({ open }) => {
      const page = await open();
      await section(page, list);
      await page.getByRole('row', { name: new RegExp(`^${record}`) }).dblclick();
      const remove = page.getByRole('button', { name: 'Delete…' });
      await expect(remove).toBeEnabled();
      await page.getByRole('switch', { name: 'Work offline' }).click();
      await remove.click();
      const dialog = page.getByRole('dialog', { name: `Delete ${record}` });
      await dialog.getByRole('textbox').fill(record);
      await dialog.getByRole('button', { name: 'Put deletion in outbox' }).click();
      await expect(page.getByText('Put into the outbox')).toBeVisible();
      await expectCalls(page, 'jobs:create', [{ kind: 'outbox', plan: { base: { name: record } } }]);
      expect(await callsOf(page, 'resources:act')).toHaveLength(0);
    });
  }

  test('explains the rejection on a read-only connection', async ({ open }) => {
    const page = await open({ isReadOnly: true });
    await openBaselines(page);
    await page.getByRole('button', { name: 'Delete this baseline…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete / });
    await expect(dialog).toContainText('This connection is read-only');
    await expect(dialog.getByRole('button', { name: 'Delete baseline' })).toBeDisabled();
    expect(await callsOf(page, 'resources:act')).toHaveLength(0);
  });

  test('names its object: the row of the cursor, or the selected rows', async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    const grid = page.getByRole('grid', { name: 'Baselines' });
    await grid.focus();
    await expect(page.getByRole('button', { name: 'Delete this baseline…' })).toBeVisible();
    await grid.press('Shift+ArrowDown');
    await expect(page.getByRole('button', { name: 'Delete 2 baselines…' })).toBeVisible();
    await grid.press('ArrowUp');
    await page.getByRole('button', { name: 'Delete this baseline…' }).click();
    await expect(page.getByRole('dialog', { name: /^Delete / })).toBeVisible();
  });

  test('deletes several after their number is typed, shows a result for each, and keeps failures with their reasons', async ({
    open,
  }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('grid', { name: 'Baselines' }).focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 4 baselines' });
    await expect(dialog.getByRole('list', { name: 'What is deleted' })).toContainText('golden · Bank churn');
    await expect(dialog).toContainText(/Requests\s*4 \(/);
    await expect(dialog.getByRole('radio', { name: 'Start now' })).toBeChecked();
    await dialog.getByRole('textbox', { name: 'Type 4 baselines to continue' }).fill('4 baselines');
    await dialog.getByRole('button', { name: 'Delete 4 baselines' }).click();
    const results = page.getByRole('region', { name: 'Deleting baselines' });
    await expect(results).toContainText('3 baselines deleted · 1 not');
    await expect(results).toContainText('The alert rule "Drift" uses it.');
    await section(page, 'Models');
    await page.getByRole('tab', { name: 'Baselines' }).click();
    await expect(results).toContainText('month before · Bank churn');
    await results.getByRole('button', { name: 'Retry these' }).click();
    await expect(results).toContainText('3 baselines deleted · 1 not');
    await expectCalls(page, 'jobs:control', [{ kind: 'bulk', action: 'retry' }]);
    await results.getByRole('button', { name: 'Dismiss' }).click();
    await expect(results).toBeHidden();
  });

  test('lists a record that others changed with those that were not deleted, and shows each state in one line', async ({
    open,
  }) => {
    const page = await open({ act: 'changed' });
    await page.setViewportSize({ width: 1_000, height: 640 });
    await openBaselines(page);
    await page.getByRole('grid', { name: 'Baselines' }).focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 4 baselines' });
    await dialog.getByRole('textbox', { name: 'Type 4 baselines to continue' }).fill('4 baselines');
    await dialog.getByRole('button', { name: 'Delete 4 baselines' }).click();
    const results = page.getByRole('region', { name: 'Deleting baselines' });
    await expect(results).toContainText('2 baselines deleted · 1 not deleted · 1 left as others changed it');
    await expect(results.getByRole('list', { name: 'What was not done' })).toContainText(
      'default_static_baseline · Bank churn Somebody else changed this baseline meanwhile',
    );
    await results.getByRole('button', { name: 'Records' }).click();
    const records = page.getByRole('list', { name: 'Records' });
    const height = async (state: string) =>
      (await records.getByText(state, { exact: true }).first().boundingBox())?.height;
    await expect(records.getByText('changed by others', { exact: true })).toBeVisible();
    expect(await height('changed by others')).toBe(await height('deleted'));
  });

  test('plans the deletion of several with its cost, in Requests and in Changes, and cancels it', async ({
    open,
  }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('grid', { name: 'Baselines' }).focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 4 baselines' });
    await dialog.getByText('Start later').click();
    await dialog.getByRole('textbox', { name: 'Type 4 baselines to continue' }).fill('4 baselines');
    const verb = dialog.getByRole('button', { name: 'Delete 4 baselines' });
    await expect(verb).toBeDisabled();
    await dialog.getByRole('button', { name: 'In 1 hour' }).click();
    await expect(dialog).toContainText('in 1 h');
    // Each record is read before it is deleted.
    await expect(dialog).toContainText(/Requests\s*8 \(/);
    await verb.click();
    const results = page.getByRole('region', { name: 'Deleting baselines' });
    await expect(results).toContainText(/Delete 4 baselines starts at 11:25, in 1 h/);
    await expect(page.getByRole('grid', { name: 'Baselines' })).toContainText('golden');
    const status = page.getByRole('contentinfo', { name: 'Status' });
    await status.getByRole('button', { name: '1 scheduled' }).click();
    const later = page.getByRole('region', { name: 'Starts later' });
    await later.getByRole('button', { name: 'Open Delete 4 baselines' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Changes');
    await expect(page.getByRole('list', { name: 'Records' })).toContainText('golden · Bank churn');
    await results.getByRole('button', { name: 'Cancel start' }).click();
    await expect(results).toContainText('0 baselines deleted · 4 not started');
    await expect(status.getByRole('button', { name: /scheduled/ })).toBeHidden();
    await results.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.getByText('No changes yet.')).toBeVisible();
  });

  test('shows the error of unreadable records in place, and reads them again', async ({ open }) => {
    const page = await open({ hasLostRecords: true });
    await openBaselines(page);
    await page.getByRole('grid', { name: 'Baselines' }).focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 4 baselines' });
    await dialog.getByText('Start later').click();
    await dialog.getByRole('textbox', { name: 'Type 4 baselines to continue' }).fill('4 baselines');
    await dialog.getByRole('button', { name: 'In 1 hour' }).click();
    await dialog.getByRole('button', { name: 'Delete 4 baselines' }).click();
    await section(page, 'Changes');
    const records = page.getByRole('button', { name: 'Records' });
    await records.click();
    await expect(records).toHaveAttribute('aria-expanded', 'true');
    const alert = page.getByRole('alert').filter({ hasText: 'Could not load its records' });
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(alert).toBeVisible();
    await page.getByRole('button', { name: 'Change the start…' }).click();
    await expect(page.getByRole('dialog', { name: 'When “Delete 4 baselines” starts' })).toBeVisible();
  });
});

test('follows a task until it ends, whether or not it is shown', async ({ open }) => {
  const page = await open();
  await section(page, 'Applications');
  await page.getByRole('gridcell', { name: 'Support assistant', exact: true }).dblclick();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Support assistant' });
  await expect(dialog).toContainText('all its data: spans with traces and sessions');
  await dialog.getByRole('textbox', { name: /^Type / }).fill('Support assistant');
  await dialog.getByRole('button', { name: 'Delete application' }).click();
  const job = page.getByRole('region', { name: 'Deleting Support assistant' });
  await expect(job).toContainText('Waiting to start');
  await newestCall(page, 'resources:watch-job');
  await expect(page.getByRole('button', { name: 'Delete…' })).toBeDisabled();

  const notify = (changes: Record<string, unknown>) =>
    page.evaluate((given) => {
      const fake = globalThis as unknown as FakeWindow;
      const call = fake.fakeCalls.findLast(({ channel }) => channel === 'resources:watch-job');
      const { connectionId, jobId } = (call ?? { argument: {} }).argument as Record<string, string>;
      const base = { jobId, name: 'Delete application', errorMessage: null, isOver: false, error: null };
      const job = { ...base, status: 'STARTED', progress: 0, checkedAtMs: Date.now(), ...given };
      fake.fakeEvent('resources:job-changed', { connectionId, job });
    }, changes);
  await notify({ progress: 40 });
  await expect(job.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
  await section(page, 'Models');
  await notify({ progress: 100, status: 'SUCCESS', isOver: true });
  await page.getByRole('tab', { name: 'Support assistant' }).click();
  await expect(job).toContainText('Done');
  await page.getByRole('button', { name: 'Close this tab' }).click();
  await expect(page.getByRole('tab', { name: 'Support assistant' })).toBeHidden();
});

test('opens every resource from the palette, and activates an open list with its search', async ({
  open,
}) => {
  const page = await open();
  const go = async (typed: string) => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
  };
  await go('go to custom');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Custom metrics');
  const box = page.getByRole('textbox', { name: 'Filter the loaded custom metrics' });
  await box.fill('Blocked');
  await box.press('Enter');
  await expect(page.getByText('1 custom metric', { exact: true })).toBeVisible();
  await go('go to models');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Models');
  await section(page, 'Custom metrics');
  await expect(page.getByRole('tab', { name: 'Custom metrics' })).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Remove search Blocked' })).toBeVisible();
});

test('lists the segments of models, and copies one whose definition must be changed', async ({ open }) => {
  const page = await open();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('go to segments');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Segments');
  await page.getByRole('gridcell', { name: 'Large payments', exact: true }).dblclick();
  const fields = page.getByRole('region', { name: 'Fields of Large payments' }).last();
  await expect(fields).toContainText(/Definition\s*amount > 500/);
  await page.getByRole('button', { name: 'Duplicate' }).click();
  const form = page.getByRole('form', { name: 'New segment' });
  await expect(form.getByRole('textbox', { name: 'Definition' })).toHaveValue('amount > 500');
  await expect(form).toContainText('True or false for each row, without an aggregate.');
});

test('shows relations in both directions, and all fields of a record', async ({ open }) => {
  const page = await open();
  await openBaselines(page);
  await page.getByRole('gridcell', { name: 'default_static_baseline', exact: true }).dblclick();
  const fields = page.getByRole('region', { name: 'Fields of default_static_baseline' }).last();
  await expect(fields).toContainText(/Rows\s*1,000/);
  // Fields without a value are listed in one line, and the search finds them.
  await expect(fields.getByText('none', { exact: true })).toHaveCount(0);
  await expect(fields).toContainText(/Not set\s*Window, Windows back/);
  await fields.getByLabel('Find in this record').fill('windows');
  await expect(fields).toContainText(/Windows back\s*none/);
  await fields.getByLabel('Find in this record').fill('');
  await fields.getByRole('button', { name: 'Bank churn' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bank churn');
  await page.getByRole('tab', { name: 'Schema 2' }).click();
  const schema = page.getByRole('grid', { name: 'Schema' });
  await expect(schema).toContainText('CreditScore');
  await page.getByRole('main').getByRole('button', { name: 'Profiles', exact: true }).click();
  await schema.getByRole('button', { name: 'Data type int, 1' }).click();
  await expect(schema.getByRole('gridcell', { name: 'Geography' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove Data type int' }).click();
  await expect(schema.getByRole('gridcell', { name: 'Geography' })).toBeVisible();
  await page.getByRole('tab', { name: 'Baselines' }).last().click();
  await page.getByRole('gridcell', { name: 'month before', exact: true }).dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('month before');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect(page.getByRole('tree')).toContainText('offset_delta');
});
