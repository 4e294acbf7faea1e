/** Files in preparation for an upload survive a kill, with their step, model, mapping and all other settings. */
import * as fs from 'node:fs';
import type { Page } from '@playwright/test';
import type { PreparedUpload } from '../../electron/shared/upload-preparation.ts';
import { churnCsv, insuranceCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { dropFiles, UploadPage } from '../helpers/upload-pages.ts';

/** Returns the state that the main process has stored on disk. */
async function preparedOf(page: Page): Promise<PreparedUpload[]> {
  const answer = await page.evaluate(async () => {
    const list = await window.spandeck?.invoke('connections:list', undefined);
    const connectionId = (list as { value: { activeId: string } }).value.activeId;
    const prepared = await window.spandeck?.invoke('uploads:list-preparations', { connectionId });
    return (prepared as { value: unknown }).value;
  });
  return answer as PreparedUpload[];
}

test('restores files in preparation at the same step after a kill', async ({ launch, service }, testInfo) => {
  const [churn, insurance] = [testInfo.outputPath('churn.csv'), testInfo.outputPath('insurance.csv')];
  fs.writeFileSync(churn, churnCsv(400));
  fs.writeFileSync(insurance, insuranceCsv(200));
  const first = await launch();
  await new WelcomePage(first.page).connect.click();
  await new ConnectionPage(first.page).connectTo(service);
  const upload = new UploadPage(first.page);
  await dropFiles(first.page, [churn, insurance]);
  await upload.button('Next: columns').click();
  await upload.chooseModel('Bank churn');
  await upload.showOptions();
  await upload.view.getByRole('combobox', { name: 'Environment name' }).fill('half typ');
  await upload.view.getByRole('radio', { name: /^Skip/ }).check();
  await upload.showColumns();
  const left = upload.columns.getByRole('checkbox').first();
  await left.uncheck();
  await expect
    .poll(async () => (await preparedOf(first.page)).map(({ choices }) => choices))
    .toEqual([
      expect.objectContaining({
        ...{ step: 'mapping', envName: 'half typ', onBadRow: 'skip' },
        model: expect.objectContaining({ name: 'Bank churn' }),
        edits: expect.objectContaining({}),
      }),
      expect.objectContaining({ step: 'file', model: null }),
    ]);
  await expect
    .poll(async () => Object.values((await preparedOf(first.page))[0]?.choices?.edits ?? {}))
    .toEqual([{ target: null }]);
  await first.kill();
  fs.appendFileSync(insurance, '\n');

  const second = await launch();
  const { page } = second;
  const again = new UploadPage(page);
  await expect(again.model).toHaveValue('Bank churn');
  await again.showOptions();
  await expect(again.view.getByRole('combobox', { name: 'Environment name' })).toHaveValue('half typ');
  await expect(again.view.getByRole('radio', { name: /^Skip/ })).toBeChecked();
  await again.showColumns();
  await expect(again.columns.getByRole('checkbox').first()).not.toBeChecked();
  await expect(again.result).toContainText('Nothing was sent.');

  await new Workbench(page).go('Uploads');
  const list = again.view.getByRole('region', { name: 'In preparation' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(list.getByRole('listitem').first()).toContainText(
    'step 2 of 3: columns and rows · to Bank churn',
  );
  const changed = list.getByRole('listitem').nth(1);
  await expect(changed).toContainText('changed after you chose it');
  await changed.getByRole('button', { name: 'Continue' }).click();
  await expect(again.view.getByText('insurance.csv changed after you chose it')).toBeVisible();

  // The order that the user chose also survives a normal end.
  await new Workbench(page).go('Uploads');
  await again.button('Move insurance.csv up').click();
  await expect(list.getByRole('listitem').first()).toContainText('insurance.csv');
  await expect
    .poll(async () => (await preparedOf(page)).map(({ choices }) => choices?.place))
    .toEqual([1, 0]);
  await second.close();
  const third = await launch();
  const last = new UploadPage(third.page);
  await new Workbench(third.page).go('Uploads');
  const after = last.view.getByRole('region', { name: 'In preparation' }).getByRole('listitem');
  await expect(after.first()).toContainText('insurance.csv');

  // A discarded file does not return at the next start.
  await last.button('Discard insurance.csv').click();
  await expect.poll(async () => (await preparedOf(third.page)).length).toBe(1);
});
