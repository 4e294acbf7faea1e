/** A file sent whole: its rows are the environment's rows at the service. */
import * as fs from 'node:fs';
import type { Page } from '@playwright/test';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { answerOpenDialog } from '../helpers/upload-pages.ts';

const ROWS = 400;
const ids = Array.from({ length: ROWS }, (_, index) => `whole-${index}`);

async function openView(page: Page, service: TestService): Promise<void> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  await page.getByRole('navigation').getByRole('button', { name: 'Uploads' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Send a file whole…' }).click();
}

test('chosen, sent and published: every row of the file is at the service, once', async ({
  launch,
  service,
}, testInfo) => {
  const { app, page } = await launch();
  await openView(page, service);
  const view = page.getByRole('main');
  const send = view.getByRole('button', { name: 'Send and publish' });
  await expect(view.getByText('No file has been sent whole from here.')).toBeVisible();
  await expect(send).toBeDisabled();

  const source = testInfo.outputPath('fraud.csv');
  const rows = ids.map((id) => `${id},2025-10-01 08:00:00`);
  fs.writeFileSync(source, ['transaction_id,processed_at', ...rows].join('\n'));
  await answerOpenDialog(app, [source]);
  await view.getByRole('button', { name: 'Choose a file' }).click();
  await expect(view.getByText('CSV, in one request')).toBeVisible();

  const model = view.getByRole('combobox', { name: 'Model' });
  await model.click();
  await model.pressSequentially('Card fraud');
  await page.getByRole('option', { name: 'Card fraud' }).click();
  await view.getByRole('combobox', { name: 'Environment type' }).fill('PRODUCTION');
  await page.keyboard.press('Escape');
  expect(service.now.report().operations['files.upload']).toBeUndefined();
  await send.click();

  const row = view.getByRole('listitem', { name: 'fraud.csv' });
  await expect(row.getByText('Published', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(row).toContainText('The service’s job has read the file.');
  await expect(row).toContainText('SUCCESS');
  await page.screenshot({ path: testInfo.outputPath('published.png') });
  const modelId = await row.getByRole('button', { name: 'Card fraud' }).isVisible();
  expect(modelId).toBe(true);
  const { operations } = service.now.report();
  expect([operations['files.upload']?.requests, operations['events.publish']?.requests]).toEqual([1, 1]);

  await row.getByRole('button', { name: /^job/ }).click();
  await expect(view.getByText('Publish file').first()).toBeVisible();
});
