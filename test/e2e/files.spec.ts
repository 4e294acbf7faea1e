/** A file sent as is: its rows are the environment's rows at the service. */
import * as fs from 'node:fs';
import type { Page } from '@playwright/test';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { answerOpenDialog } from '../helpers/upload-pages.ts';

const ROWS = 400;

/** Models as the service answers them, asked beside the window. */
async function modelsOf({ baseUrl, token }: TestService): Promise<{ items: { id: string; name: string }[] }> {
  const answer = await fetch(`${baseUrl}/v3/models`, { headers: { Authorization: `Bearer ${token}` } });
  const { data } = (await answer.json()) as { data: { items: { id: string; name: string }[] } };
  return data;
}

async function openView(page: Page, service: TestService): Promise<void> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  // The tabs of the last time are put back first.
  await expect(page.getByRole('tab', { name: 'Catalog' })).toBeVisible();
  await page.getByRole('navigation').getByRole('button', { name: 'Uploads' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Send a file as is…' }).click();
}

test('chosen, sent and published: every row of the file is at the service, and the list is there offline', async ({
  launch,
  service,
}, testInfo) => {
  const { app, page } = await launch();
  await openView(page, service);
  const view = page.getByRole('main');
  const send = view.getByRole('button', { name: 'Send and publish' });
  await expect(view.getByText('No files sent as is yet.')).toBeVisible();
  await expect(send).toBeDisabled();

  const source = testInfo.outputPath('churn.csv');
  fs.writeFileSync(source, churnCsv(ROWS));
  await answerOpenDialog(app, [source]);
  await view.getByRole('button', { name: 'Choose a file' }).click();
  await expect(view.getByText('CSV, in one request')).toBeVisible();

  const model = view.getByRole('combobox', { name: 'Model' });
  await model.click();
  await model.pressSequentially('Bank churn');
  await page.getByRole('option', { name: 'Bank churn' }).click();
  await expect(send).toBeDisabled();
  await view.getByRole('combobox', { name: 'Environment name' }).fill('training_2024');
  await page.keyboard.press('Escape');
  await expect(send).toBeEnabled();
  expect(service.now.report().operations['files.upload']).toBeUndefined();
  await send.click();

  const row = view.getByRole('listitem', { name: 'churn.csv' });
  await expect(row.getByText('Published', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(row).toContainText('A job of the service has read the file.');
  await expect(row).toContainText('SUCCESS');
  const { operations } = service.now.report();
  expect([operations['files.upload']?.requests, operations['events.publish']?.requests]).toEqual([1, 1]);
  const { items } = await modelsOf(service);
  expect(service.now.events(String(items.find(({ name }) => name === 'Bank churn')?.id)).count).toBe(ROWS);

  await row.getByRole('button', { name: /^job/ }).click();
  await expect(view.getByText('Publish file').first()).toBeVisible();
  await page.getByRole('tab', { name: 'Send a file as is' }).click();
  await page.getByRole('switch', { name: 'Work offline' }).click();
  await expect(view.getByText(/^Working offline: nothing is sent/).first()).toBeVisible();
  await expect(row.getByText('Published', { exact: true })).toBeVisible();
  await view.getByRole('button', { name: 'Choose a file' }).click();
  await expect(view.getByText('CSV, in one request')).toBeVisible();
  await expect(send).toBeDisabled();
});
