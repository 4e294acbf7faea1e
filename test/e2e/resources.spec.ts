/**
 * Resources at the sample service are created, changed and deleted, their rejections are explained, and they are
 * readable without the service.
 */
import type { Page } from '@playwright/test';
import { expect, test } from '../helpers/product.ts';
import { APPLICATION, atService, connect, findAt } from '../helpers/resources-at-service.ts';

const AS_OF = /offline · as of (\w{3} )?\d{2}:\d{2}/;

/** Returns the stored layout of the only connection as text. */
function storedLayout(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const ask = async (channel: string, argument?: unknown): Promise<unknown> => {
      const answer = await window.spandeck?.invoke(channel, argument);
      const { ok, value } = answer as { ok: boolean; value: unknown };
      return ok ? value : null;
    };
    const { connections } = (await ask('connections:list')) as { connections: { id: string }[] };
    return JSON.stringify(await ask('layout:read', { connectionId: connections[0]?.id }));
  });
}

function modelOf(record: Record<string, unknown> | undefined): string {
  return (record?.['model'] as { name: string } | undefined)?.name ?? '';
}

test('shows a 409 of a baseline beside the name, creates it, and follows relations to its model and back', async ({
  shared,
  service,
}) => {
  const bench = await connect(shared.page, service);
  await bench.open('Models');
  await bench.row('Models', 'Bank churn').dblclick();
  await bench.view.getByRole('tab', { name: 'Baselines' }).click();
  await bench.button('New baseline').click();
  const form = bench.form('New baseline');
  await expect(form.getByRole('combobox', { name: 'Model', exact: true })).toHaveValue('Bank churn');
  await bench.field(form, 'Name').fill('month before');
  await bench.field(form, 'Type').selectOption('Rolling');
  await bench.field(form, 'Window').selectOption('Week');
  await bench.field(form, 'Windows back').fill('2');
  await form.getByRole('button', { name: 'Create baseline' }).click();
  await expect(bench.field(form, 'Name')).toHaveAccessibleDescription(
    'The model has a baseline named "month before" already.',
  );
  await bench.field(form, 'Name').fill('two weeks back');
  await form.getByRole('button', { name: 'Create baseline' }).click();
  await expect(bench.fields('two weeks back')).toContainText('rolling');
  expect(await findAt(service, 'baselines', 'two weeks back')).toMatchObject({
    offset_delta: 2,
    window_bin_size: 'Week',
  });

  await bench.fields('two weeks back').getByRole('button', { name: 'Bank churn' }).click();
  await expect(bench.heading).toHaveText('Bank churn');
  await bench.row('Baselines', 'two weeks back').dblclick();
  await expect(bench.heading).toHaveText('two weeks back');
  await bench.deleteShown('baseline', 'two weeks back');
  expect(await findAt(service, 'baselines', 'two weeks back')).toBeUndefined();

  await test.step('shows why the service refuses to delete one that an alert rule uses', async () => {
    await bench.open('Baselines');
    const many = (await atService(service, 'baselines')).length;
    await expect(bench.rows('Baselines')).toHaveCount(many);
    await bench.grid('Baselines').focus();
    await bench.page.keyboard.press('Control+a');
    await bench.button(`Delete ${many} baselines…`).click();
    const dialog = bench.dialog(`Delete ${many} baselines`);
    await dialog.getByRole('textbox').fill(`${many} baselines`);
    await dialog.getByRole('button', { name: `Delete ${many} baselines` }).click();
    const results = bench.view.getByRole('region', { name: 'Deleting baselines' });
    await expect(results).toContainText(/baselines deleted · \d not/);
    await expect(results).toContainText('uses it. Delete the rule first.');
    await expect(bench.rows('Baselines')).toHaveCount((await atService(service, 'baselines')).length);
  });
});

test("shows the error of a custom metric's definition beside it, and starts a copy from its original", async ({
  shared,
  service,
}) => {
  const bench = await connect(shared.page, service);
  await bench.open('Custom metrics');
  await bench.rowAt('Custom metrics', 1).dblclick();
  await bench.button('Duplicate').click();
  const form = bench.form('New custom metric');
  await bench.field(form, 'Name').fill('Copied metric');
  await bench.field(form, 'Definition').fill('amount');
  await form.getByRole('button', { name: 'Create custom metric' }).click();
  await expect(bench.field(form, 'Definition')).toHaveAccessibleDescription(/The definition is not valid/);
  await bench.field(form, 'Definition').fill('count()');
  await form.getByRole('button', { name: 'Create custom metric' }).click();
  await expect(bench.heading).toHaveText('Copied metric');
  expect(await findAt(service, 'custom-metrics', 'Copied metric')).toMatchObject({ definition: 'count()' });
  await bench.deleteShown('custom metric', 'Copied metric');
  expect(await findAt(service, 'custom-metrics', 'Copied metric')).toBeUndefined();
});

test('deletes an application by its task, which is followed to the end', async ({ shared, service }) => {
  const bench = await connect(shared.page, service);
  await bench.open('Applications');
  await bench.row('Applications', APPLICATION).dblclick();
  await bench.button('Delete…').click();
  const dialog = bench.dialog(`Delete ${APPLICATION}`);
  await expect(dialog).toContainText('2 datasets with their items');
  await dialog.getByRole('textbox').fill(APPLICATION);
  await dialog.getByRole('button', { name: 'Delete application' }).click();
  const job = bench.view.getByRole('region', { name: `Deleting ${APPLICATION}` });
  await expect(job).toBeVisible();
  await bench.open('Service tasks');
  await expect(bench.row('Service tasks', APPLICATION)).toBeVisible();
  await bench.tab(APPLICATION).click();
  await expect(job).toContainText('Done');
  await expect(bench.view).toContainText('The service does not have this application any more.');
  expect(await findAt(service, 'applications', APPLICATION)).toBeUndefined();
  expect(await atService(service, 'evals/datasets')).toHaveLength(1);
  await bench.open('Applications');
  await expect(bench.row('Applications', 'Claims triage agent')).toBeVisible();
  await expect(bench.row('Applications', APPLICATION)).toHaveCount(0);
});

test('sends filter and ordering to the service, and shows its response', async ({ shared, service }) => {
  const bench = await connect(shared.page, service);
  await bench.open('Baselines');
  await bench.button('Filter').click();
  const builder = bench.view.getByRole('region', { name: 'Filter of baselines' });
  await builder.getByRole('combobox', { name: 'Field' }).pressSequentially('type');
  await bench.page.keyboard.press('Enter');
  await builder.getByRole('combobox', { name: 'Value' }).pressSequentially('ROLLING');
  await bench.page.keyboard.press('Enter');
  await builder.getByRole('button', { name: 'Apply filter' }).click();
  const rolling = (await atService(service, 'baselines')).filter((each) => each['type'] === 'ROLLING');
  await expect(bench.rows('Baselines')).toHaveCount(rolling.length);
  await expect(bench.view.getByText('type is ROLLING', { exact: true })).toBeVisible();

  await test.step('kept for the next start; the order is also the service’s', async () => {
    // Changes of the layout are collected for a short time before they are stored.
    await expect.poll(() => storedLayout(bench.page)).toContain('ROLLING');
    await bench.page.reload();
    await expect(bench.rows('Baselines')).toHaveCount(rolling.length);
    await bench.button('More tools').click();
    await bench.page.getByRole('button', { name: 'Default order' }).click();
    await bench.page.getByRole('combobox', { name: 'Sort by' }).pressSequentially('created_at');
    await bench.page.keyboard.press('Enter');
    const [first] = rolling.toSorted((x, y) => (String(x['created_at']) < String(y['created_at']) ? -1 : 1));
    await expect(bench.rowAt('Baselines', 1)).toContainText(modelOf(first));
  });
});

test('explains read-only; reads list and record offline without sending a change', async ({
  shared,
  service,
}) => {
  const bench = await connect(shared.page, service);
  await bench.open('Custom metrics');
  await bench.expectAge(/live/);
  const name = await bench.rowAt('Custom metrics', 1).getByRole('gridcell').first().innerText();
  await bench.offlineSwitch.click();
  await bench.expectAge(AS_OF);
  await bench.expectQuiet();
  const before = service.now.report().requests;
  await bench.rowAt('Custom metrics', 1).dblclick();
  await expect(bench.fields(name)).toContainText('Definition');
  await expect(bench.view).toContainText('This is its row in the stored list');
  await bench.open('Custom metrics');
  await bench.button('New custom metric').click();
  const form = bench.form('New custom metric');
  await bench.field(form, 'Name').fill('Not now');
  const create = form.getByRole('button', { name: 'Create custom metric' });
  await expect(form.getByRole('button', { name: 'Put in outbox' })).toBeEnabled();
  await expect(create).toHaveCount(0);
  expect(service.now.report().requests).toBe(before);
  await bench.offlineSwitch.click();
  await expect(create).toBeEnabled();
  await expect(bench.field(form, 'Name')).toHaveValue('Not now');

  await bench.fromConnectionMenu('Edit this connection…');
  await bench.view.getByRole('checkbox', { name: 'Read-only' }).check();
  await bench.button('Save').click();
  await bench.tab('New custom metric (unsaved input)').click();
  await expect(create).toHaveAccessibleDescription(
    'This connection is read-only: it cannot change anything.',
  );
  await bench.tab('Custom metrics').click();
  await bench.button('Delete this custom metric…').click();
  await expect(bench.dialog(`Delete ${name}`)).toContainText('This connection is read-only');
  expect(await findAt(service, 'custom-metrics', name)).toBeDefined();
});
