/** Files dropped anywhere in the window, whatever it shows at that time. */
import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Envelope } from '../../electron/shared/contract.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import { openPlace } from '../helpers/places.ts';
import { openDataset } from './dataset-steps.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

// The debugger session of a drag must not affect the next test.
test.use({ ownPage: true });

interface Offering extends FakeWindow {
  spandeck: { offerFiles: (files: File[]) => Promise<Envelope<OfferedFile[]>> };
}

/** Every file offered from now on is readable. */
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

/** Moves a file over the window like the operating system. */
async function dragFile(page: Page, file: string) {
  writeFileSync(file, 'a,b\n1,2\n');
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
  await expect(page.getByText('Prepare this file for upload to Production')).toBeVisible();
  // Between the last move and the drop, another view appears, e.g. when rows arrive.
  await page.evaluate(() => {
    const { fakeEvent } = globalThis as unknown as Offering;
    const change = () => fakeEvent('app:command', { command: 'go.datasets' });
    window.addEventListener('dragover', () => queueMicrotask(change), { once: true });
  });
  await drag('drop');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
  await expect(page.getByText('Prepare this file for upload')).toHaveCount(0);
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

test('prepares a file dropped on the home of a model for this model', async ({ open }, testInfo) => {
  const page = await open({ itemFile: 'full' });
  await openPlace(page, 'Models');
  await page.getByRole('gridcell', { name: 'Bank churn', exact: true }).dblclick();
  await expect(page.getByRole('region', { name: 'Overview of Bank churn' })).toBeVisible();
  await offerFiles(page);
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await expect(page.getByText('Prepare it for Bank churn')).toBeVisible();
  await drag('dragOver');
  await drag('drop');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
  await page.getByRole('button', { name: 'Next: mapping' }).click();
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('Bank churn');
});

test('removes the drop overlay if a drag ends without an event', async ({ open }, testInfo) => {
  const page = await open();
  const drag = await dragFile(page, testInfo.outputPath('churn.csv'));
  await drag('dragEnter');
  await drag('dragOver');
  const cover = page.getByText('Prepare this file for upload');
  await expect(cover).toBeVisible();
  // The browser sends the page no event about this.
  await drag('dragCancel');
  await page.getByRole('button', { name: 'Uploads' }).hover({ force: true });
  await expect(cover).toHaveCount(0);
  await page.getByRole('button', { name: 'Uploads' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Uploads');
});
