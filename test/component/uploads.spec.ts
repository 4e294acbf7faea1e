/**
 * The list of uploads is searched, its uploads are paused and cancelled together, and an ended one is repeated with
 * another file.
 */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { uuid } from './fake-main/scenario.ts';
import { expect, expectCalls, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

async function openUploads(page: Page): Promise<void> {
  await openPlace(page, 'Uploads');
}

test('searches the list by file, model, state and day', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openUploads(page);
  const search = page.getByRole('textbox', { name: 'Search uploads' });
  await search.fill('bank done');
  await expect(page.getByRole('button', { name: 'churn_1.csv', exact: true })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'churn_3.csv', exact: true })).toBeVisible();
  await expect(page.getByText('2 uploads of 4')).toBeVisible();
  await search.fill('2026-11-18 churn_2');
  await expect(page.getByRole('button', { name: 'churn_2.csv', exact: true })).toBeVisible();
  await search.fill('fraud');
  await expect(page.getByText('No upload matches “fraud”.')).toBeVisible();
});

test('pauses, resumes and cancels all unfinished uploads together, after confirmation', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openUploads(page);
  const all = page.getByRole('region', { name: 'All uploads that have not ended' });
  await expect(all).toContainText('2 uploads not ended');
  await all.getByRole('button', { name: 'Pause 1 upload' }).click();
  await all.getByRole('button', { name: 'Resume 1 upload' }).click();
  await expect(all.getByRole('button', { name: 'Pause 1 upload' })).toBeVisible();
  await all.getByRole('button', { name: 'Cancel 2 uploads…', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Cancel 2 uploads' });
  await expect(question).toContainText('20,000 rows will not be sent');
  await question.getByRole('button', { name: 'Keep uploading' }).click();
  await all.getByRole('button', { name: 'Cancel 2 uploads…' }).click();
  await question.getByRole('button', { name: 'Cancel uploads' }).click();
  await expect(all).toBeHidden();
  await expectCalls(page, 'jobs:control', [
    { id: 'job-2', action: 'pause' },
    { id: 'job-2', action: 'resume' },
    { id: 'job-1', action: 'cancel' },
    { id: 'job-2', action: 'cancel' },
  ]);
});

test('sends uploads in turn, or in an order that can be changed', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openUploads(page);
  const rows = page.getByRole('main').getByRole('row', { name: /churn_/ });
  const names = rows.getByRole('button', { name: /^churn_/ });
  const orders = page.getByRole('radiogroup', { name: 'Order of sending' });
  await expect(orders.getByRole('radio', { name: 'In turn' })).toBeChecked();
  await expect(page.getByRole('button', { name: 'Move churn_2.csv up' })).toHaveCount(0);
  await orders.getByRole('radio', { name: 'In order' }).check();
  await expect(names).toHaveText(['churn_1.csv', 'churn_2.csv', 'churn_3.csv', 'churn_4.csv']);
  await expect(page.getByRole('button', { name: 'Move churn_1.csv up' })).toBeDisabled();
  await page.getByRole('button', { name: 'Move churn_2.csv up' }).click();
  await expect(names).toHaveText(['churn_2.csv', 'churn_1.csv', 'churn_3.csv', 'churn_4.csv']);
  await expect(page.getByRole('button', { name: 'Move churn_1.csv down' })).toBeDisabled();
  await orders.getByRole('radio', { name: 'In turn' }).check();
  await expect(page.getByRole('button', { name: 'Move churn_1.csv up' })).toHaveCount(0);
  await expectCalls(page, 'traffic:control', [
    { action: 'order-uploads', jobIds: ['job-1', 'job-2'] },
    { action: 'order-uploads', jobIds: ['job-2', 'job-1'] },
    { action: 'order-uploads', jobIds: null },
  ]);
});

test('repeats an ended upload with another file, with model and mapping filled in', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full' });
  await openUploads(page);
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await page.getByRole('button', { name: 'Run again with…' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('refund-questions.jsonl');
  await page.getByRole('button', { name: 'Next: columns' }).click();
  const model = page.getByRole('combobox', { name: 'Model' });
  await expect(model).toHaveValue('Bank churn');
  // A click selects the name, so that typing replaces it.
  await model.click();
  await model.pressSequentially('Bank');
  await expect(model).toHaveValue('Bank');
  await page.getByRole('option', { name: 'Bank churn' }).click();
  await expect(model).toHaveValue('Bank churn');
});

test('sends a file row by row or unchanged: one choice stored with the file, which determines the steps', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full' });
  await openUploads(page);
  await page.getByRole('button', { name: 'Choose a file' }).click();
  const steps = page.getByRole('navigation', { name: 'Steps of the upload' }).getByRole('button');
  await expect(steps).toHaveText([/File/, /Columns and rows/, /Send/]);
  await page.getByRole('radio', { name: 'The file as it is' }).check();
  await expect(steps).toHaveText([/File/, /Send/]);
  // Options that have no effect at the service are not offered.
  await expect(page.getByRole('combobox', { name: /^Type of / })).toHaveCount(0);
  await page.getByRole('button', { name: 'Next: send' }).click();
  await expect(page.getByText('CSV, in one request')).toBeVisible();
  await expect(page.getByText('Choose a model.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send and publish' })).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Publish the rows' }).uncheck();
  await expect(page.getByRole('button', { name: 'Send', exact: true }).last()).toBeEnabled();
  await expect
    .poll(() => newestCall(page, 'uploads:keep-preparation'))
    .toMatchObject({ chosen: { choices: { step: 'send', sendAs: 'whole', publishes: false } } });
  await page.getByRole('main').getByRole('button', { name: 'Back' }).click();
  await page.getByRole('radio', { name: 'Row by row' }).check();
  await expect(page.getByRole('button', { name: 'Next: columns' })).toBeEnabled();
});

test('can check a file whose model was read after its view was left', async ({ open }) => {
  const page = await open({ hasPlans: true, hasChecks: true, itemFile: 'full' });
  await page.evaluate(() => {
    type Ask = { query?: { operation: string } };
    type Preset = { content: { layout: { name: string; type: string }[] } };
    const bridge = Object(window.spandeck) as { invoke: (channel: string, asked: Ask) => Promise<unknown> };
    const invoke = bridge.invoke.bind(bridge);
    const arrival = Promise.withResolvers<void>();
    Object.assign(window, { answerModel: arrival.resolve });
    bridge.invoke = async (channel, asked) => {
      const answer = await invoke(channel, asked);
      if (channel === 'library:open-record' && asked.query?.operation === 'models.get') await arrival.promise;
      // The saved mapping has the columns of the file, so its model is chosen automatically.
      if (channel === 'presets:list')
        for (const { content } of (answer as { value: Preset[] }).value) {
          content.layout = content.layout.flatMap(({ name, type }) => {
            if (name === 'channel') return [{ name: 'id', type: 'str' }];
            return [{ name, type: name === 'cost_usd' ? 'float' : type }];
          });
        }
      return answer;
    };
  });
  await openUploads(page);
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Next: columns' }).click();
  await expect(page.getByText('Loading the schema of the model.')).toBeVisible();
  await openUploads(page);
  await page.evaluate(() => (window as unknown as { answerModel: () => void }).answerModel());
  await page.getByRole('button', { name: 'Continue' }).last().click();
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('Bank churn');
  await expect(page.getByRole('region', { name: 'Result' })).toBeVisible();
});

/** Opens the mapping of a file while the schemas of the models are still read. They are answered by `answerModels`. */
async function openMappingBeforeModels(page: Page): Promise<void> {
  await page.evaluate((churn) => {
    type Ask = { query?: { operation: string; path: Record<string, string> } };
    const bridge = Object(window.spandeck) as { invoke: (channel: string, asked: Ask) => Promise<unknown> };
    const invoke = bridge.invoke.bind(bridge);
    const arrival = Promise.withResolvers<void>();
    Object.assign(window, { answerModels: arrival.resolve });
    bridge.invoke = async (channel, asked) => {
      const answer = (await invoke(channel, asked)) as { value: { record: object | null } };
      if (channel !== 'library:open-record' || asked.query?.operation !== 'models.get') return answer;
      await arrival.promise;
      const isChurn = asked.query.path['model_id'] === churn;
      const names = isChurn ? ['question', 'answer', 'order', 'intent', 'cost_usd', 'channel'] : ['amount'];
      const schema = { columns: names.map((name) => ({ name, data_type: 'string' })) };
      answer.value.record = { ...answer.value.record, schema };
      return answer;
    };
  }, uuid(200));
  await openUploads(page);
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Next: columns' }).click();
  await expect(page.getByText('Comparing the columns with the models…')).toBeVisible();
}
const answerModels = (page: Page) =>
  page.evaluate(() => (window as unknown as { answerModels: () => void }).answerModels());

test('proposes the only model with most of the columns, although it is known only when the mapping is shown', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, itemFile: 'full' });
  await openMappingBeforeModels(page);
  const model = page.getByRole('combobox', { name: 'Model' });
  await expect(model).toHaveValue('');
  await answerModels(page);
  await expect(model).toHaveValue('Bank churn');
  await expect(page.getByText('5 of 6 columns match')).toBeVisible();
  await expect(page.getByText('Proposed: no other model fits as well.')).toBeVisible();
});

test('chooses no model after the user excluded a column, and the column stays excluded', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'full' });
  await openMappingBeforeModels(page);
  const column = page.getByRole('checkbox', { name: 'Send question', exact: true });
  await column.uncheck();
  await answerModels(page);
  await expect(page.getByText('Comparing the columns with the models…')).toBeHidden();
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('');
  await expect(column).not.toBeChecked();
});

test('reports an unreadable file in both ways, and does not send it', async ({ open }) => {
  const page = await open({ hasPlans: true, itemFile: 'failed' });
  await openUploads(page);
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await expect(page.getByRole('button', { name: 'Next: columns' })).toBeDisabled();
  await page.getByRole('radio', { name: 'The file as it is' }).check();
  await expect(page.getByText('This file cannot be sent as it is.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next: send' })).toBeDisabled();
});

test('sets header line and escape beside the delimiter, and reports omitted lines', async ({
  open,
}, info) => {
  const page = await open({ hasPlans: true, itemFile: 'titled' });
  await openUploads(page);
  await page.getByRole('button', { name: 'Choose a file' }).click();
  const panel = page.getByRole('complementary', { name: 'How the file is read' });
  const line = panel.getByRole('textbox', { name: 'Line of the header' });
  await expect(line).toHaveValue('5');
  await expect(panel).toContainText('4 lines are skipped: 3 blank lines, “Card payments March 2026”');
  await takePictures(page, info, 'header-line');
  await line.fill('3');
  await line.blur();
  await expect(panel).toContainText('The header is in line 3: 2 lines before it skipped.');
  expect(await newestCall(page, 'uploads:inspect')).toMatchObject({ dialect: { headerLine: 3 } });
  // An invalid line cannot be sent.
  await line.fill('none');
  await line.blur();
  await expect(line).toHaveValue('3');
  await panel.getByRole('combobox', { name: 'Escape before a quote' }).selectOption('Backslash  \\');
  await expect
    .poll(() => newestCall(page, 'uploads:inspect'))
    .toMatchObject({ dialect: { headerLine: 3, escape: '\\' } });
  await panel.getByRole('button', { name: 'Reset to detected' }).click();
  await expect(line).toHaveValue('5');
});

test('keeps the head of a file in one line beside a long name of the next file', async ({ open }) => {
  const long = `exports of all branches/${'churn scores of the third quarter '.repeat(4)}.csv`;
  const page = await open({ prepared: ['bank.csv', long] });
  await page.setViewportSize({ width: 1000, height: 640 });
  await openUploads(page);
  await page.getByRole('button', { name: 'Continue' }).first().click();
  const next = page.getByRole('button', { name: /^Go to exports of all branches/ });
  await expect(next).toHaveAttribute('title', long);
  const title = page.getByRole('heading', { level: 1, name: 'bank.csv' });
  const [size, act, name] = await Promise.all([
    page
      .getByText(/^[\d.]+ (bytes|KB|MB)/)
      .first()
      .boundingBox(),
    next.boundingBox(),
    title.boundingBox(),
  ]);
  expect(size?.height).toBeLessThan(24);
  expect(act?.width).toBeLessThan(300);
  expect(name?.width).toBeGreaterThan(60);
});

test('shows the options of an upload beside its model, also if the models could not be refreshed', async ({
  open,
}) => {
  const page = await open({ itemFile: 'full', network: 'switched-off' });
  await openUploads(page);
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Next: columns' }).click();
  await expect(page.getByText('Could not refresh the list')).toBeVisible();
  const middle = async (part: Locator) => {
    const box = await part.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0) / 2;
  };
  const model = await middle(page.getByRole('combobox', { name: 'Model' }));
  const options = await middle(page.getByRole('button', { name: 'Options', exact: true }));
  expect(Math.abs(model - options)).toBeLessThan(4);
  const lines = await page.getByText(/^Every row is checked/).evaluate((text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
  expect(lines).toBe(1);
});
