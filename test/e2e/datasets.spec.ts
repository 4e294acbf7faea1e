/** Datasets at the sample service are created, filled, changed and deleted, one by one and in bulk. */

import { expect, test } from '../helpers/product.ts';
import { ResourcePage } from '../helpers/resource-pages.ts';
import { APPLICATION, atService, connect, findAt, textAt } from '../helpers/resources-at-service.ts';

test('creates, fills by hand, changes and deletes a dataset', async ({ shared, service }) => {
  const bench = await connect(shared.page, service);
  await bench.open('Datasets');
  await bench.button('New dataset').click();
  const form = bench.form('New dataset');
  await form.getByRole('button', { name: 'Create dataset' }).click();
  await expect(form).toContainText('Name is required.');
  await bench.field(form, 'Name').fill('Refund wording');
  await bench.pick(form, 'Application', APPLICATION);
  await form.getByRole('textbox', { name: 'Metadata' }).fill('{"owner": "evaluation"}');
  await form.getByRole('button', { name: 'Create dataset' }).click();
  await expect(bench.heading).toHaveText('Refund wording');
  expect(await findAt(service, 'evals/datasets', 'Refund wording')).toMatchObject({
    metadata: { owner: 'evaluation' },
    active: true,
  });

  await test.step('rejects the same name beside the name', async () => {
    await bench.open('Datasets');
    await bench.button('New dataset').click();
    await bench.field(form, 'Name').fill('Refund wording');
    await bench.pick(form, 'Application', APPLICATION);
    await form.getByRole('button', { name: 'Create dataset' }).click();
    await expect(bench.field(form, 'Name')).toHaveAccessibleDescription(/named "Refund wording" already/);
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('adds items that were typed by hand', async () => {
    await bench.tab('Refund wording').click();
    await bench.button('Add items').click();
    await bench.page.getByRole('menuitem', { name: 'By hand' }).click();
    const items = bench.form('New items');
    await items.getByRole('textbox', { name: 'Inputs' }).fill('{"question": "Where is it?"}');
    await items.getByRole('textbox', { name: 'Expected outputs' }).fill('{"answer": "On its way."}');
    await items.getByRole('button', { name: 'Create items' }).click();
    await expect(bench.rows(/^Items of/)).toHaveCount(1);
    await expect(bench.rowAt(/^Items of/, 1)).toContainText('On its way.');
  });

  await test.step('sends only differences of an edit', async () => {
    await bench.tab('Details').click();
    await bench.button('Edit').click();
    const change = bench.form('Change Refund wording');
    await expect(change.getByRole('button', { name: 'Save changes' })).toBeDisabled();
    await bench.field(change, 'Description').fill('Cases that went wrong at first.');
    await bench.field(change, 'Active').uncheck();
    await change.getByRole('button', { name: 'Save changes' }).click();
    await expect(bench.fields('Refund wording')).toContainText('Cases that went wrong at first.');
    expect(await findAt(service, 'evals/datasets', 'Refund wording')).toMatchObject({
      description: 'Cases that went wrong at first.',
      active: false,
      metadata: { owner: 'evaluation' },
    });
  });

  await test.step("shows and sends all digits of numbers beyond JavaScript's precision", async () => {
    const numbers = '[9007199254740993,1e999,1.234567890123456789]';
    await bench.button('Edit').click();
    const change = bench.form('Change Refund wording');
    const metadata = change.getByRole('textbox', { name: 'Metadata' });
    await metadata.fill(`{"owner": "evaluation", "numbers": ${numbers}}`);
    await change.getByRole('button', { name: 'Save changes' }).click();
    await expect(bench.fields('Refund wording')).toContainText('9007199254740993');
    expect(await textAt(service, 'evals/datasets')).toContain(`{"owner":"evaluation","numbers":${numbers}}`);

    await bench.button('Edit').click();
    await expect(metadata).toHaveValue(/9007199254740993,\s+1e999,\s+1\.234567890123456789/);
    await metadata.fill((await metadata.inputValue()).replace('"numbers"', '"ids"'));
    await change.getByRole('button', { name: 'Save changes' }).click();
    await expect(bench.fields('Refund wording')).toContainText('ids');
    expect(await textAt(service, 'evals/datasets')).toContain(`{"owner":"evaluation","ids":${numbers}}`);
  });

  await bench.button('Delete…').click();
  await expect(bench.dialog('Delete Refund wording')).toContainText('all of its 1 item');
  await bench.page.keyboard.press('Escape');
  await expect(bench.dialog('Delete Refund wording')).toBeHidden();
  await bench.deleteShown('dataset', 'Refund wording');
  await bench.open('Datasets');
  await expect(bench.row('Datasets', 'Support answers, golden set')).toBeVisible();
  await expect(bench.row('Datasets', 'Refund wording')).toHaveCount(0);
  expect(await findAt(service, 'evals/datasets', 'Refund wording')).toBeUndefined();
});

test('deletes each of several datasets once, planned and started, with the window closed in between', async ({
  launch,
  service,
}) => {
  // All datasets are created before the application reads the list for the first time, as later it would show its
  // stored list.
  const application = await findAt(service, 'applications', APPLICATION);
  // Fewer requests than the limit per second, as this test uses the same token as the application.
  for (let index = 1; index <= 7; index += 1) {
    await fetch(`${service.baseUrl}/v3/evals/datasets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Made ${index}`, application_id: application?.['id'] }),
    });
  }
  const total = (await atService(service, 'evals/datasets')).length;
  const first = await launch();
  const bench = await connect(first.page, service);
  const all = `${total} datasets`;
  await bench.open('Datasets');
  await expect(bench.rows('Datasets')).toHaveCount(total);
  await bench.grid('Datasets').focus();
  await first.page.keyboard.press('Control+a');
  await bench.button(`Delete ${all}…`).click();
  const dialog = bench.dialog(`Delete ${all}`);
  await expect(dialog).toContainText(`${total} (Delete a dataset)`);
  await dialog.getByText('Start later').click();
  await dialog.getByRole('button', { name: 'In 1 hour' }).click();
  await dialog.getByRole('textbox', { name: `Type ${all} to continue` }).fill(all);
  await dialog.getByRole('button', { name: `Delete ${all}` }).click();
  const results = bench.view.getByRole('region', { name: 'Deleting datasets' });
  // On a busy computer, some minutes of the hour have already passed.
  await expect(results).toContainText(/starts at .*, in (1 h|5\d min)/);
  expect(await atService(service, 'evals/datasets')).toHaveLength(total);

  await test.step('starts it in Requests and ends the application halfway', async () => {
    // Delays the answer until the application has ended, however long the checks take.
    service.now.setFaults([
      { match: { operation: 'datasets.delete' }, after: 4, action: { type: 'delay', delayMs: 600_000 } },
    ]);
    await bench.open('Requests');
    const later = bench.view.getByRole('region', { name: 'Starts later' });
    await later.getByRole('button', { name: `Start Delete ${all} now` }).click();
    await bench.page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click();
    const status = first.page.getByRole('contentinfo', { name: 'Status' });
    await status.getByRole('button', { name: /deleting [1-9]\d* of/ }).click();
    await expect(bench.heading).toHaveText('Changes');
    await first.close();
    service.now.setFaults([]);
  });

  await test.step('continues automatically when it is opened again', async () => {
    const again = new ResourcePage((await launch()).page);
    await expect(again.heading).toHaveText('Changes');
    await expect(again.view.getByRole('region', { name: 'Deleting datasets' })).toContainText(
      `${all} deleted`,
    );
    await again.open('Datasets');
    await expect(again.view.getByText('No datasets yet.')).toBeVisible();
    await again.view.getByRole('button', { name: 'Dismiss' }).click();
    await expect(again.view.getByRole('region', { name: 'Deleting datasets' })).toBeHidden();
  });
  expect(await atService(service, 'evals/datasets')).toHaveLength(0);
  const { statuses = {} } = service.now.report().operations['datasets.delete'] ?? {};
  expect(statuses).toEqual({ 204: total });
});
