/** Experiments in the window: results by state, an upload from a file, and a service without experiments. */
import * as fs from 'node:fs';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { answerOpenDialog } from '../helpers/upload-pages.ts';

const RUN = 'Triage rules 2.3';
const ROWS = [
  'dataset_item_id,outputs.answer,scores.Judge.quality,status,error_message,note',
  'a,To the photo desk,0.75,SUCCESS,,x',
  'b,,,FAILED,No answer within 30 s,y',
  ',Without an item,1,SUCCESS,,z',
];

test('results are uploaded from a file, shown with their scores, and failed ones apart', async ({
  shared,
  service,
}, testInfo) => {
  const file = testInfo.outputPath('results.csv');
  fs.writeFileSync(file, `${ROWS.join('\n')}\n`);
  const { app, page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new Workbench(page);
  await openPlace(page, 'Experiments');
  await bench.row('Experiments', RUN).filter({ hasNotText: 'first look' }).dblclick();
  await expect(bench.heading).toHaveText(RUN);
  await answerOpenDialog(app, [file]);
  await bench.view.getByRole('button', { name: 'Upload results…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('row', { name: 'note left out' })).toBeVisible();
  await expect(dialog.getByRole('status')).toHaveText('2 results in 1 request, 1 bad row');
  await expect(dialog).toContainText('Line 4, dataset_item_id');
  const send = dialog.getByRole('button', { name: 'Upload 2 results' });
  await expect(send).toBeDisabled();
  await dialog.getByRole('checkbox', { name: 'Leave 1 bad row out' }).check();
  await send.click();
  await expect(dialog).toBeHidden();
  await bench.view.getByRole('tab', { name: 'Results' }).click();
  const rows = bench.rows(`Results of ${RUN}`);
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: 'To the photo desk' })).toContainText('0.75');
  await bench.view.getByRole('radiogroup', { name: 'Items by their state' }).getByText('Failed').click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('No answer within 30 s');
});

test('two runs are compared side by side with the network cut after they were read', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new Workbench(page);
  await openPlace(page, 'Experiments');
  await bench.row('Experiments', 'Triage rules 2.2').dblclick();
  await expect(bench.heading).toHaveText('Triage rules 2.2');
  await bench.view.getByRole('combobox', { name: 'Compare with' }).selectOption('Triage rules 2.1');
  const scores = bench.view.getByRole('region', { name: 'Compared scores' });
  await expect(scores).toContainText('320 items');
  await expect(scores.getByRole('row', { name: /^relevance/ })).toContainText(
    /Better by|Worse by|Cannot tell/,
  );
  await service.stop();
  await bench.view.getByRole('radio', { name: /^Worse/ }).check();
  await expect(bench.rowAt('Compared items', 1)).toContainText('−');
  await expect(page.getByRole('complementary', { name: 'Compared item' }).getByRole('region')).toHaveCount(2);
});

test.describe('a service without experiments', () => {
  test.use({ serviceOptions: { isStrict: true } });

  test('says so in their view, and the rest works', async ({ shared, service }) => {
    const { page } = shared;
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    const bench = new Workbench(page);
    await openPlace(page, 'Experiments');
    await expect(bench.view).toContainText('This service does not offer experiments');
    await bench.go('Datasets');
    await expect(bench.row('Datasets', 'Support answers, golden set')).toBeVisible();
  });
});
