/**
 * Spans become items of datasets: the picked, the previewed and the stored items are the same, whatever happens in
 * between.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { exportedSpan, exportedSpans } from '../helpers/span-export.ts';
import { ask, idOf, itemsOf, pickedSpans, SpansPage } from '../helpers/span-pages.ts';
import { dropFiles } from '../helpers/upload-pages.ts';
import { standAhead } from '../helpers/window-clock.ts';

const APPLICATION = 'Support assistant';
const DATASET = 'Refunds from spans';
const HOUR_MS = 3_600_000;

async function connect(page: Page, service: TestService): Promise<SpansPage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  await expect(new Workbench(page).row('Applications', APPLICATION)).toBeVisible();
  return new SpansPage(page);
}

/** Returns a trace with exactly this number of picked spans. */
async function traceWith(page: Page, spans: number): Promise<string> {
  const traces = Map.groupBy(await pickedSpans(page), ({ trace }) => trace);
  const found = [...traces].find(([, picked]) => picked.length === spans);
  if (found === undefined) throw new Error(`Expected a trace with ${spans} selected spans.`);
  return found[0];
}

async function deleteTrace(service: TestService, trace: string): Promise<void> {
  const applicationId = await idOf(service, '/v3/applications', APPLICATION);
  await ask(service, 'DELETE', '/v3/traces', { application_id: applicationId, trace_ids: [trace] });
}

test('keeps picks, mapping and step over a restart, and without the service', async ({
  launch,
  service,
}, testInfo) => {
  const first = await launch();
  let spans = await connect(first.page, service);
  await spans.open();
  await spans.look('Last 30 days');
  await spans.onlyType('llm');
  const matching = await (await spans.allButton()).innerText();
  const count = Number(matching.replace(/\D/g, ''));
  await spans.pickAll();
  await spans.expectPicked(count);
  await spans.makeDataset();
  await spans.prepare(DATASET);
  await first.close();
  await service.stop();

  const { page } = await launch();
  spans = new SpansPage(page);
  const total = count.toLocaleString('en-US');
  await test.step('the plan is unchanged; it can be queued', async () => {
    await expect(spans.view.getByRole('region', { name: 'Plan' })).toContainText(DATASET);
    await page.keyboard.press('Control+r');
    await spans.bench.tab('Spans').click();
    await page.keyboard.press('Control+r');
    await spans.bench.expectAge(/offline · as of/);
    await expect(spans.grid.getByRole('gridcell', { name: 'llm', exact: true }).first()).toBeVisible();
    await spans.expectPicked(count);
    await spans.basket.getByRole('button', { name: `${total} selected` }).click();
    await spans.button('Commit').click();
    await expect(spans.button(`Queue ${total} items`)).toBeEnabled();
    await expect(spans.view.getByText('Offline: it is queued')).toBeVisible();
  });
  await test.step('the preview is read', async () => {
    await spans.button('Preview').click();
    await expect(spans.view.getByRole('grid', { name: 'Items' }).getByRole('gridcell').first()).toBeVisible();
    await expect(spans.view.getByRole('status').filter({ hasText: `${total} items` })).toBeVisible();
    await spans.button('Mapping').click();
    await expect(spans.bucket('Inputs').getByRole('textbox').first()).toBeVisible();
  });
  await test.step('queues it, starts when the service is back, and stops at changed spans, showing only those', async () => {
    const gone = await traceWith(page, 2);
    const offline = page.getByRole('switch', { name: 'Work offline' });
    await offline.click();
    await spans.button('Commit').click();
    await spans.start(`Queue ${total} items`);
    await expect(
      spans.view.getByText('Queued: it goes on by itself when the service can be reached.'),
    ).toBeVisible();
    await service.start();
    await deleteTrace(service, gone);
    await offline.click();
    const changed = spans.view.getByRole('region', { name: 'Changed since you prepared this' });
    await expect(changed).toContainText(
      `${total} spans read again, nothing sent yet: 2 gone, 0 with other values.`,
    );
    await expect(changed.getByText('no longer at the service')).toHaveCount(2);
    expect(service.now.report().operations['datasets.create']).toBeUndefined();
    await spans.button('Continue').click();
    await expect(spans.view.getByText('Done', { exact: true })).toBeVisible();
    expect((await itemsOf(service, DATASET)).size).toBe(count - 2);
  });
  await test.step('reviews an export of spans that the service does not have, and adds them as items', async () => {
    const file = testInfo.outputPath('chat-export.jsonl');
    writeFileSync(file, exportedSpans(12));
    await spans.bench.tab('Spans').click();
    await expect(spans.grid).toBeVisible();
    await dropFiles(page, [file]);
    const dialog = page.getByRole('dialog', { name: 'Spans from chat-export.jsonl' });
    await expect(dialog).toContainText('12 of 12 rows');
    await dialog.getByRole('button', { name: 'Add and review' }).click();
    const review = page.getByRole('group', { name: 'Review' });
    await expect(review).toBeFocused();
    for (let at = 0; at < 12; at += 1) {
      await expect(review.getByText(`${at + 1}`, { exact: true })).toBeVisible();
      await page.keyboard.press(at % 3 === 0 ? 'a' : 'r');
    }
    await review.getByRole('button', { name: 'Add 4 accepted…' }).click();
    await spans.prepare('From a file');
    const plan = spans.view.getByRole('region', { name: 'Plan' });
    await expect(plan).toContainText('4 in 1 request: 4 from a file');
    await spans.start('Create the dataset with 4 items');
    await expect(spans.view.getByText('Done', { exact: true })).toBeVisible();
    const items = await itemsOf(service, 'From a file');
    expect([...items.values()].map(({ inputs }) => inputs['question']).sort()).toEqual(
      [0, 3, 6, 9].map((at) => exportedSpan(at)['llm_input_user']),
    );
  });
});

test('never resends a call with a lost response automatically: evidence or the user decides', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  const spans = await connect(page, service);
  await spans.open();
  await spans.look('Last 30 days');
  await spans.pickFirst(450);
  await spans.expectPicked(450);
  await spans.makeDataset();
  await spans.prepare(DATASET);
  // The service carries out the first call and not the second one, and neither response arrives.
  service.now.setFaults([
    { match: { operation: 'datasets.add-spans' }, times: 1, action: { type: 'drop-after' } },
    { match: { operation: 'datasets.add-spans' }, after: 1, times: 1, action: { type: 'drop' } },
  ]);
  await spans.start('Create the dataset with 450 items');
  const unknown = spans.view.getByRole('region', { name: '1 request without an answer' });
  const call = unknown.getByRole('article', { name: 'Request 2' });
  await expect(call).toContainText('200 spans');
  await expect(call).toContainText(/Probably|Not clear/);
  expect((await itemsOf(service, DATASET)).size).toBe(250);
  await call.getByRole('button', { name: 'Send again' }).click();
  await expect(spans.view.getByText('Done', { exact: true })).toBeVisible();
  expect((await itemsOf(service, DATASET)).size).toBe(450);
  expect(service.now.report().operations['datasets.add-spans']?.requests).toBe(4);
});

test('adds spans to the last filled dataset by one key, each once, except for the undone one', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  const spans = await connect(page, service);
  await spans.open();
  await spans.look('Last 30 days');
  await spans.onlyType('llm');
  await spans.pickFirst(5);
  await spans.expectPicked(5);
  await spans.makeDataset();
  await spans.prepare(DATASET);
  await spans.start('Create the dataset with 5 items');
  await expect(spans.view.getByText('Done', { exact: true })).toBeVisible();
  await spans.bench.tab('Spans').click();
  await spans.grid.focus();
  for (let at = 0; at < 20; at += 1) await spans.grid.press('ArrowDown');
  // The clock of the window stands still, ahead of the clock of the computer, so that the build does not start for as
  // long as the test takes.
  await standAhead(page, HOUR_MS);
  for (let at = 0; at < 3; at += 1) {
    await spans.grid.press('ArrowDown');
    await spans.grid.press('d');
    await expect.poll(async () => (await pickedSpans(page)).length).toBe(at + 1);
  }
  await expect(page.getByText(`1 span added to “${DATASET}”`)).toBeVisible();
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect.poll(async () => (await pickedSpans(page)).length).toBe(2);
  // The next addition plans the start anew, a few seconds later by the clock of the computer.
  await standAhead(page, -HOUR_MS);
  await spans.grid.press('ArrowUp');
  await spans.grid.press('d');
  await expect(page.getByText(`Nothing new for “${DATASET}”`)).toBeVisible();
  await expect.poll(async () => (await itemsOf(service, DATASET)).size).toBe(7);
});

test('deletes whole traces after their number is typed', async ({ shared, service }) => {
  const { page } = shared;
  const spans = await connect(page, service);
  await spans.open();
  await spans.bench.expectAge(/live/);
  const before = await spans.view.getByRole('tab', { name: /^Spans/ }).innerText();
  await spans.grid.focus();
  for (let step = 0; step < 9; step += 1) await page.keyboard.press('Shift+ArrowDown');
  await spans.basket.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete traces of 10 spans…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('100 per day, 100 left today');
  await expect(dialog).toContainText(
    /\d+ traces? of the 10 selected spans, with all (its|their) spans, including those not shown here/,
  );
  const title = await dialog.getByRole('heading').innerText();
  const [name = ''] = /\d+ traces?/.exec(title) ?? [];
  const remove = dialog.getByRole('button', { name: `Delete ${name}` });
  await expect(remove).toBeDisabled();
  await dialog.getByRole('textbox').fill(name);
  await remove.click();
  await expect(spans.view.getByText(`${name} deleted`)).toBeVisible();
  await expect(spans.view.getByRole('tab', { name: /^Spans/ })).not.toHaveText(before);
  expect(service.now.report().operations['traces.delete']).toEqual({ requests: 1, statuses: { '204': 1 } });
});

test('scores a few items, shown beside the items, in the inspector, with failures, and without the service', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  const { bench, view } = await connect(page, service);
  await bench.go('Datasets');
  await bench.row('Datasets', 'Support answers, golden set').dblclick();
  await bench.rowAt(/^Items of/, 1).click();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('Shift+ArrowDown');
  await view.getByRole('button', { name: 'Score 5 items…' }).click();
  await view.getByRole('combobox', { name: 'Evaluator' }).click();
  await page.getByRole('option', { name: 'toxicity' }).click();
  await expect(view.getByRole('combobox', { name: 'response comes from' })).toHaveValue(/answer/);
  service.now.setFaults([
    {
      match: { operation: 'evaluators.score' },
      times: 1,
      action: { type: 'status', status: 400, message: 'The text is too long.' },
    },
  ]);
  await view.getByRole('button', { name: 'Score 5 items', exact: true }).click();
  await expect(view.getByText('4 scored · 1 failed')).toBeVisible();
  await view.getByRole('radiogroup', { name: 'Items shown' }).getByText('Failed 1').click();
  await expect(view.getByRole('grid', { name: /^Results of/ })).toContainText('The text is too long.');

  await test.step('failed items are scored by a retry', async () => {
    await view.getByRole('button', { name: 'Retry 1 failed item' }).click();
    await expect(view.getByText('5 of 5 items scored')).toBeVisible();
    expect(service.now.report().operations['evaluators.score']?.requests).toBe(6);
  });

  await test.step('two runs with different fields are compared item by item', async () => {
    await view.getByRole('tab', { name: /^Items/ }).click();
    await view.getByRole('button', { name: 'Score 5 items…' }).click();
    await view.getByRole('combobox', { name: 'Evaluator' }).click();
    await page.getByRole('option', { name: 'toxicity' }).click();
    const source = view.getByRole('combobox', { name: 'response comes from' });
    await source.selectOption('Same text for all items');
    await view.getByRole('textbox', { name: 'Text of response' }).fill('You stupid idiot.');
    await view.getByRole('button', { name: 'Score 5 items', exact: true }).click();
    const compared = view.getByRole('region', { name: 'Compared runs' });
    await expect(compared.getByRole('status')).toContainText(
      /^\s*toxicity_prob\s+[\d.]+ → [\d.]+, 5 items in both\s+Too few items to tell/,
    );
    const rows = view.getByRole('grid', { name: 'Compared items' });
    await expect(rows.getByRole('row')).toHaveCount(6);
    await compared.getByRole('combobox', { name: 'What is better' }).selectOption('Lower is better');
    await view.getByRole('radio', { name: 'Worse 5' }).check();
    await expect(rows.getByRole('row')).toHaveCount(6);
    // The selected item shows the score of each run and its reason.
    await expect(view.getByRole('complementary', { name: 'Compared item' })).toContainText(
      'You stupid idiot.',
    );
  });

  await service.stop();
  await page.reload();
  await test.step('the scores are shown beside the items', async () => {
    await view.getByRole('tab', { name: /^Items/ }).click();
    await expect(view.getByRole('columnheader', { name: /^toxicity · .*: toxicity_prob/ })).toBeVisible();
    await bench.rowAt(/^Items of/, 1).click();
    await expect(bench.inspector.getByRole('tree', { name: 'scores' })).toContainText('toxicity');
  });
});
