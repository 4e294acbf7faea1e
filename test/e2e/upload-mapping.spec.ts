/**
 * Files that match no model are mapped freely, missing fields of the model are reported, and a rejected file is
 * reported in the view that is shown.
 */
import * as fs from 'node:fs';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { dropFiles, UploadPage } from '../helpers/upload-pages.ts';

const PEOPLE = 'PassengerId,Name,Age\n1,Ada,36\n2,Grace,85\n';

test('maps a file without a model freely, and reports first in the check which columns of the model it fills', async ({
  shared,
  service,
}, testInfo) => {
  const [people, binary] = [testInfo.outputPath('people.csv'), testInfo.outputPath('picture.csv')];
  fs.writeFileSync(people, PEOPLE);
  fs.writeFileSync(binary, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1, 0, 0, 255, 254, 0, 3]));
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new Workbench(page);
  const upload = new UploadPage(page);

  // The rejection is reported once, whichever view the file is dropped on.
  await expect(bench.heading).toHaveText('Catalog');
  const refused = page.getByText('Could not add picture.csv');
  await dropFiles(page, [binary]);
  await expect(refused).toBeVisible();
  await dropFiles(page, [binary, people]);
  await expect(bench.heading).toHaveText('people.csv');
  await expect(refused).toHaveCount(1);
  await upload.button('Dismiss picture.csv').click();
  await expect(refused).toHaveCount(0);

  await upload.button('Next: columns').click();
  await upload.columns.getByRole('textbox', { name: 'Field for Name' }).fill('full_name');
  await upload.chooseModel('Bank churn');
  await upload.showColumns();
  await expect(upload.columns.getByText('The model has no column for PassengerId')).toBeVisible();
  await upload.columns.getByRole('checkbox', { name: 'Send PassengerId' }).check();
  await expect(upload.columns.getByRole('combobox', { name: 'Field for PassengerId' })).toContainText(
    'PassengerId (not in the model)',
  );
  await expect(upload.result).toContainText(/This file fills 1 of the \d+ columns of Bank churn/);
  await expect(upload.result).toContainText(
    'No bad rows in the columns that this file fills. Nothing was sent.',
  );
});

test('accepts a typed id if the service lists no models, sends the file unchecked, and undoes it', async ({
  shared,
  service,
}, testInfo) => {
  const file = testInfo.outputPath('people.csv');
  fs.writeFileSync(file, PEOPLE);
  const headers = { Authorization: `Bearer ${service.token}` };
  const answer = await (await fetch(`${service.baseUrl}/v3/models?limit=100`, { headers })).json();
  const models: { id: string; name: string }[] = answer.data.items;
  const modelId = models.find(({ name }) => name === 'Bank churn')?.id ?? '';
  service.now.setStrict(true);
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const upload = new UploadPage(page);
  await dropFiles(page, [file]);
  await upload.button('Next: columns').click();
  await upload.view.getByPlaceholder('Id of the model').fill(modelId);
  await upload.view.getByPlaceholder('Id of the model').blur();
  await upload.showColumns();
  await expect(
    upload.columns.getByText('The service does not provide the schema of this model'),
  ).toBeVisible();
  const notCompared = 'Event ids are not compared with the receipts kept on this computer';
  await expect(upload.columns).not.toContainText(notCompared);
  await upload.showOptions();
  await upload.view.getByRole('radio', { name: 'Update' }).check();
  await expect(upload.columns).toContainText(notCompared);
  await expect(upload.result).toContainText('Nothing was sent.');
  await upload.view.getByRole('radio', { name: 'Publish' }).check();
  await expect(upload.result).toContainText('Every row can be read. Nothing was sent.');
  await upload.send(2);
  // Only the service can detect the invalid row, and the user chose to stop at such a row.
  await expect(
    upload.view.getByText('The service refused 1 row, and this upload stops at bad rows'),
  ).toBeVisible();
  await upload.button(/^Resume$/).click();
  await expect(upload.view.getByText('Done', { exact: true })).toBeVisible();

  // Valid rows are sent and undone. The service reports nothing about deletion tasks, only the number of rows.
  const before = service.now.events(modelId).count;
  fs.writeFileSync(file, churnCsv(20));
  await dropFiles(page, [file]);
  await upload.button('Next: columns').click();
  await upload.view.getByPlaceholder('Id of the model').fill(modelId);
  await upload.view.getByPlaceholder('Id of the model').blur();
  await expect(upload.result).toContainText('Every row can be read. Nothing was sent.');
  await upload.send(20);
  await expect(upload.view.getByText('Done', { exact: true })).toBeVisible();
  expect(service.now.events(modelId).count).toBe(before + 20);
  await upload.button('Undo…').click();
  const panel = page.getByRole('complementary', { name: 'Undo this upload' });
  await expect(panel).toContainText('the 20 events that this upload created');
  await panel.getByRole('textbox', { name: 'Id of the model' }).fill(modelId);
  await panel.getByRole('button', { name: 'Delete 20 events' }).click();
  await expect(panel.getByText(/^Undone .*, 20 of 20$/)).toBeVisible();
  await expect(panel).toContainText('20 rows fewer, as many as were deleted');
  expect(service.now.events(modelId).count).toBe(before);
});

test('proposes the model that alone has all columns, and shows columns first with the options in one line', async ({
  launch,
  service,
}, testInfo) => {
  const file = testInfo.outputPath('churn.csv');
  fs.writeFileSync(file, churnCsv(60));
  const { page } = await launch();
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const upload = new UploadPage(page);
  await dropFiles(page, [file]);
  const asked = () => service.now.report().operations['models.get']?.requests ?? 0;
  await expect.poll(asked).toBeGreaterThan(1);
  await expect(async () => {
    await upload.button('Next: columns').click();
    const chosen = await upload.model.inputValue();
    if (chosen === '') await upload.button('Back').click();
    expect(chosen).toBe('Bank churn');
  }).toPass();
  await expect(upload.view.getByText(/^11 of 11 columns match$/)).toBeVisible();
  await expect(upload.alert).toHaveCount(0);
  await expect(
    upload.view.getByText('New events in production · 1,000 rows a request · stops at bad rows'),
  ).toBeVisible();
  for (const [width, height] of [
    [1280, 800],
    [1000, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(upload.columns.getByRole('row').nth(4)).toBeInViewport({ ratio: 1 });
  }
  await upload.showOptions();
  await upload.view.getByRole('radio', { name: 'Skip', exact: true }).check();
  await expect(upload.view.getByText(/· skips bad rows$/)).toBeVisible();
  await expect(upload.result).toContainText('Nothing was sent.');
  const before = asked();
  // Schemas that are stored are not requested again.
  await dropFiles(page, [file]);
  await expect(upload.button('Next: columns')).toBeEnabled();
  expect(asked()).toBe(before);
});
