/**
 * Forms of records: problems and validation messages are shown beside their fields, input is never lost, and the reason
 * is stated if nothing can be sent.
 */
import type { Page } from '@playwright/test';
import { callsOf, expect, expectCalls, newestCall, test } from './fixtures.ts';
import { openBaselines, openDatasetForm, section } from './resource-steps.ts';

const form = (page: Page) => page.getByRole('form', { name: 'New baseline' });

async function fillBaseline(page: Page, name: string): Promise<void> {
  await form(page).getByRole('textbox', { name: 'Name' }).fill(name);
  await form(page).getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('option', { name: /Bank churn/ }).click();
  await form(page).getByRole('combobox', { name: 'Type', exact: true }).selectOption('ROLLING');
  await form(page).getByRole('combobox', { name: 'Window' }).selectOption('Day');
  await form(page).getByRole('textbox', { name: 'Windows back' }).fill('2');
}

test('closes the list of a field when the selected option is chosen again, and keeps it', async ({
  open,
}) => {
  const page = await open();
  await openBaselines(page);
  await page.getByRole('button', { name: 'New baseline' }).click();
  const model = form(page).getByRole('combobox', { name: 'Model', exact: true });
  for (const _ of ['chosen', 'chosen again', 'once more']) {
    await model.click();
    await page.getByRole('option', { name: /Bank churn/ }).click();
    await expect(page.getByRole('listbox')).toBeHidden();
    await expect(model).toHaveValue(/Bank churn/);
  }
});

test.describe('a form', () => {
  test('shows problems beside their fields, and keeps input while another tab is shown', async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(form(page).getByRole('textbox', { name: 'Name' })).toBeFocused();
    await form(page).getByRole('textbox', { name: 'From' }).focus();
    // A required field is not an error before the user types into it.
    await expect(form(page)).not.toContainText('Name is required.');
    await form(page).getByRole('button', { name: 'Create baseline' }).click();
    await expect(form(page).getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription(
      'Name is required.',
    );
    await expect(form(page).getByRole('textbox', { name: 'Name' })).toBeFocused();
    await expect(form(page)).toContainText('Choose a model.');
    await form(page).getByRole('textbox', { name: 'From' }).fill('yesterday');
    await form(page).getByRole('textbox', { name: 'To' }).focus();
    await expect(form(page)).toContainText('Expected a time such as 2026-03-12 14:00.');
    expect(await callsOf(page, 'resources:act')).toHaveLength(0);

    await fillBaseline(page, 'month');
    await form(page).getByText('Other fields', { exact: true }).click();
    await form(page).getByRole('textbox', { name: 'Other fields as JSON' }).fill('{"note": }');
    await section(page, 'Models');
    await page.getByRole('tab', { name: 'New baseline' }).click();
    await expect(form(page).getByRole('textbox', { name: 'Name' })).toHaveValue('month');
    await form(page).getByRole('button', { name: 'Create baseline' }).click();
    await expect(form(page)).toContainText('Line 1, column 10: Expected a value');
    await form(page).getByRole('textbox', { name: 'Other fields as JSON' }).fill('{"note": "kept"}');
    await form(page).getByRole('button', { name: 'Create baseline' }).click();
    const sent = await newestCall(page, 'resources:act');
    expect(sent).toMatchObject({
      operation: 'baselines.create',
      body: {
        name: 'month',
        type: 'ROLLING',
        env_type: 'PRODUCTION',
        window_bin_size: 'Day',
        offset_delta: 2,
        note: 'kept',
      },
    });
    expect(sent['body']).not.toHaveProperty('start_time');
    // The view of the new record shows its name, so no notice may cover the view.
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText('made just now');
    // Checked only once, as a notice would disappear by itself.
    expect(await page.getByText('Created month').count()).toBe(0);
  });

  test('shows a 409 beside the name until the name is changed', async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'New baseline' }).click();
    await fillBaseline(page, 'month before');
    await form(page).getByRole('button', { name: 'Create baseline' }).click();
    const name = form(page).getByRole('textbox', { name: 'Name' });
    await expect(name).toHaveAccessibleDescription('The model has a baseline named "month before" already.');
    await expect(form(page).getByRole('alert')).toHaveCount(0);
    await name.fill('month before, again');
    await expect(form(page)).not.toContainText('already.');
  });

  test('shows why the service refuses the state of a checkbox beside it', async ({ open }) => {
    const page = await open();
    await openDatasetForm(page);
    const active = page.getByRole('checkbox', { name: 'Active' });
    await active.uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect(active).toHaveAccessibleDescription(/ active cannot be false while an experiment reads/);
    await expect(page.getByText('active cannot be false while an experiment reads the items.')).toBeVisible();
    await active.check();
    await expect(page.getByText('active cannot be false')).toHaveCount(0);
  });

  test('reports a lost response, and does not resend automatically', async ({ open }) => {
    const page = await open({ act: 'lost' });
    await openBaselines(page);
    await page.getByRole('button', { name: 'New baseline' }).click();
    await fillBaseline(page, 'once');
    await form(page).getByRole('button', { name: 'Create baseline' }).click();
    await expect(form(page).getByRole('alert')).toContainText('Connection lost');
    await expect(form(page)).toContainText('the change may or may not have been made.');
    expect(await callsOf(page, 'resources:act')).toHaveLength(1);
  });

  test('is readable on a read-only connection, and explains why nothing can be sent', async ({ open }) => {
    const page = await open({ isReadOnly: true });
    await openBaselines(page);
    await page.getByRole('button', { name: 'New baseline' }).click();
    await fillBaseline(page, 'month');
    const create = form(page).getByRole('button', { name: 'Create baseline' });
    await expect(create).toBeDisabled();
    await expect(create).toHaveAccessibleDescription(
      'This connection is read-only: it cannot change anything.',
    );
  });

  for (const network of ['switched-off', 'unreachable'] as const) {
    test(`puts a new record into the outbox while the network is ${network}`, async ({ open }) => {
      const page = await open({ network });
      await openBaselines(page);
      await page.getByRole('button', { name: 'New baseline' }).click();
      await fillBaseline(page, 'month');
      await form(page).getByRole('button', { name: 'Put in outbox' }).click();
      await expectCalls(page, 'jobs:create', [
        { kind: 'outbox', plan: { request: { operation: 'baselines.create', body: { name: 'month' } } } },
      ]);
      expect(await callsOf(page, 'resources:act')).toHaveLength(0);
    });
  }

  test('sends only the differences of an edit, and starts a copy from its original', async ({ open }) => {
    const page = await open();
    await section(page, 'Datasets');
    await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const change = page.getByRole('form', { name: 'Change Refund questions' });
    await expect(change.getByRole('button', { name: 'Save changes' })).toBeDisabled();
    await change.getByRole('textbox', { name: 'Description' }).fill('');
    await change.getByRole('button', { name: 'Save changes' }).click();
    const cleared = { operation: 'datasets.update', body: { description: null } };
    await expectCalls(page, 'resources:act', [cleared]);

    await section(page, 'Custom metrics');
    await page.getByRole('gridcell', { name: 'Blocked amount', exact: true }).dblclick();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const copy = page.getByRole('form', { name: 'New custom metric' });
    await expect(copy.getByRole('textbox', { name: 'Name' })).toHaveValue('Blocked amount copy');
    await expect(copy.getByRole('textbox', { name: 'Definition' })).toHaveValue(/CreditScore > 600/);
    await copy.getByRole('textbox', { name: 'Definition' }).fill('sum()');
    await page.keyboard.press('ArrowLeft');
    await copy.getByRole('combobox', { name: 'Insert a column' }).click();
    await page.getByRole('option', { name: /^CreditScore/ }).click();
    await expect(copy.getByRole('textbox', { name: 'Definition' })).toHaveValue('sum(CreditScore)');
  });
});
