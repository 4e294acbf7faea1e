/** A prepared file is sent unchanged, and its rows become the rows of the environment at the service. */
import * as fs from 'node:fs';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { answerOpenDialog } from '../helpers/upload-pages.ts';

const ROWS = 400;

/** Requests the models from the service directly, not through the window. */
async function modelsOf({ baseUrl, token }: TestService): Promise<{ items: { id: string; name: string }[] }> {
  const answer = await fetch(`${baseUrl}/v3/models`, { headers: { Authorization: `Bearer ${token}` } });
  const { data } = (await answer.json()) as { data: { items: { id: string; name: string }[] } };
  return data;
}

test('sends and publishes a chosen file with every row at the service, and lists it offline', async ({
  shared,
  service,
}, testInfo) => {
  const { app, page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const view = page.getByRole('main');
  const workbench = new Workbench(page);
  const send = view.getByRole('button', { name: 'Send and publish' });
  const source = testInfo.outputPath('churn.csv');
  fs.writeFileSync(source, churnCsv(ROWS));
  await answerOpenDialog(app, [source]);
  await workbench.go('Uploads');
  await view.getByRole('button', { name: 'Choose a file' }).click();
  await view.getByRole('radio', { name: 'The file as it is' }).check();
  await expect(view.getByRole('button', { name: 'Columns and rows' })).toHaveCount(0);
  await view.getByRole('button', { name: 'Next: send' }).click();
  await expect(view.getByText('CSV, in one request')).toBeVisible();
  await expect(send).toBeDisabled();

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
  await workbench.go('Uploads');
  await page.getByRole('switch', { name: 'Work offline' }).click();
  await expect(view.getByText(/^Working offline: nothing is sent/).first()).toBeVisible();
  await expect(row.getByText('Published', { exact: true })).toBeVisible();
  // The file was sent, so it is no longer in preparation.
  await expect(view.getByRole('region', { name: 'In preparation' })).toBeHidden();
});
