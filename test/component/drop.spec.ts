/** Files can be dropped anywhere in the window, whatever it shows. */
import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Envelope } from '../../electron/shared/contract.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import { openPlace } from '../helpers/places.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

// The debugger session of a drag must not affect the next test.
test.use({ ownPage: true });

interface Offering extends FakeWindow {
  spandeck: { offerFiles: (files: File[]) => Promise<Envelope<OfferedFile[]>> };
}

/** Makes every file that is offered from now on readable. */
const offerFiles = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { spandeck } = globalThis as unknown as Offering;
    const offered = ({ name, size }: File) => ({
      fileId: name,
      name,
      sizeBytes: size,
      packed: null,
      error: null,
    });
    spandeck.offerFiles = (files) => Promise.resolve({ ok: true, seq: 1, value: files.map(offered) });
  });

/** Moves a file over the window like the operating system. Returns a function that sends drag events. */
async function dragFile(page: Page, file: string, content = 'a,b\n1,2\n') {
  writeFileSync(file, content);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  return (type: 'dragEnter' | 'dragOver' | 'dragCancel' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 500, y: 250, data });
}

test('accepts a drop if the view changes under the pointer', async ({ open }, testInfo) => {
  const page = await open();
  await offerFiles(page);
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await expect(page.getByText('You choose whether it is events, items or spans.')).toBeVisible();
  // Another view appears between the last move and the drop, e.g. because rows arrive.
  await page.evaluate(() => {
    const { fakeEvent } = globalThis as unknown as Offering;
    const change = () => fakeEvent('app:command', { command: 'go.datasets' });
    window.addEventListener('dragover', () => queueMicrotask(change), { once: true });
  });
  await drag('drop');
  await page.getByRole('dialog').getByRole('button', { name: 'Prepare upload' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
  await expect(page.getByText('You choose whether')).toHaveCount(0);
});

test('asks what a file is where the view has no use for it', async ({ open }, testInfo) => {
  const page = await open({ itemFile: 'full' });
  await offerFiles(page);
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  const dialog = page.getByRole('dialog', { name: 'What is in churn.csv?' });
  const drop = async () => {
    await drag('dragEnter');
    await drag('dragOver');
    await drag('drop');
    await expect(dialog).toBeVisible();
  };
  await drop();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await drop();
  await dialog.getByRole('radio', { name: 'Spans to review' }).check();
  await expect(dialog.getByRole('button', { name: 'Read the spans' })).toBeDisabled();
  await dialog.getByRole('combobox', { name: 'Application' }).click();
  await page.getByRole('option', { name: 'Support assistant' }).click();
  await dialog.getByRole('button', { name: 'Read the spans' }).click();
  await expect(dialog.getByRole('alert')).toContainText('churn.csv has none');
  await dialog.getByRole('radio', { name: 'Items of a dataset' }).check();
  await dialog.getByRole('combobox', { name: 'Dataset' }).click();
  await page.getByRole('option', { name: 'Refund questions' }).click();
  await takePictures(page, testInfo, 'asks');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Check the items' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Add 1,243 items' })).toBeEnabled();
});

test('shows a view or board in a dropped file before it is opened, and names a damaged one', async ({
  open,
}, testInfo) => {
  const page = await open();
  await offerFiles(page);
  const view = { kind: 'board', title: 'Card fraud', params: { board: 'own' }, grid: null };
  const shared = { format: 'spandeck-view', version: 1, name: 'Fraud, weekly', service: '', view };
  const drop = async (content: string) => {
    const drag = await dragFile(page, testInfo.outputPath('fraud.spandeck-view.json'), content);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(type);
  };
  const dialog = page.getByRole('dialog', { name: 'Open a view from a link' });
  await drop(JSON.stringify({ ...shared, view: { ...view, kind: 'unheard' } }));
  await expect(dialog.getByRole('alert')).toHaveText('The view has a part that cannot be used: view.kind.');
  await expect(dialog.getByRole('button', { name: 'Save and open' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await drop(JSON.stringify(shared));
  await expect(dialog).toContainText('Fraud, weekly');
  await dialog.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Boards' })).toHaveAttribute('aria-selected', 'true');
});

test('shows a mapping in a dropped file before it is saved for an application, and undoes that', async ({
  open,
}, testInfo) => {
  const page = await open();
  await offerFiles(page);
  const entry = { bucket: 'inputs', field: 'question', key: 'llm.input_messages' };
  const shared = { format: 'spandeck-mapping', version: 1, name: 'Refunds', mapping: [entry] };
  const drop = async (content: string) => {
    const drag = await dragFile(page, testInfo.outputPath('refunds.spandeck-mapping.json'), content);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(type);
  };
  const dialog = page.getByRole('dialog', { name: 'Save a mapping from a file' });
  await drop(JSON.stringify({ ...shared, mapping: [{ ...entry, bucket: 'elsewhere' }] }));
  await expect(dialog.getByRole('alert')).toContainText(
    'The mapping has a part that cannot be used: mapping',
  );
  await takePictures(page, testInfo, 'damaged mapping');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await drop(JSON.stringify(shared));
  await expect(dialog).toContainText('inputs.question from llm.input_messages');
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await dialog.getByRole('combobox', { name: 'Application' }).click();
  await page.getByRole('option', { name: 'Support assistant' }).click();
  await takePictures(page, testInfo, 'mapping');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  expect(await newestCall(page, 'presets:save')).toMatchObject({
    owner: { kind: 'spans' },
    ...{ name: 'Refunds', content: [entry] },
  });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await newestCall(page, 'presets:save'))['content']).toBeNull();
});

test('offers a file dropped on a dataset as its items', async ({ open }, testInfo) => {
  const page = await open({ itemFile: 'full' });
  await openDataset(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
  await offerFiles(page);
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await expect(page.getByText('Add the rows of this file to Refund questions as items')).toBeVisible();
  await drag('dragOver');
  await drag('drop');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
  await expect(page.getByRole('button', { name: 'Add 1,243 items' })).toBeEnabled();
});

test('prepares a file dropped on any part of a model for this model', async ({ open }, testInfo) => {
  const page = await open({ itemFile: 'full' });
  await openPlace(page, 'Models');
  await page.getByRole('gridcell', { name: 'Bank churn', exact: true }).dblclick();
  await expect(page.getByRole('region', { name: 'Overview of Bank churn' })).toBeVisible();
  await page.getByRole('tab', { name: 'Details' }).click();
  await offerFiles(page);
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await expect(page.getByText('Prepare this file for Bank churn')).toBeVisible();
  await drag('dragOver');
  await drag('drop');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
  await page.getByRole('button', { name: 'Next: columns' }).click();
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('Bank churn');
});

test('prepares a file dropped on the uploads without a question', async ({ open }, testInfo) => {
  const page = await open();
  await offerFiles(page);
  await openPlace(page, 'Uploads');
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await expect(page.getByText('Prepare this file for upload to Production')).toBeVisible();
  await drag('dragOver');
  await drag('drop');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
});

test('removes the drop overlay if a drag ends without an event', async ({ open }, testInfo) => {
  const page = await open();
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await drag('dragOver');
  const cover = page.getByText('Open this file');
  await expect(cover).toBeVisible();
  // The browser sends the page no event when a drag is cancelled.
  await drag('dragCancel');
  await page.getByRole('button', { name: 'Uploads' }).hover({ force: true });
  await expect(cover).toHaveCount(0);
  await page.getByRole('button', { name: 'Uploads' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Uploads');
});
