/** A dirty file is repaired in the window, group by group, and sent; the next one of its kind needs nothing. */
import * as fs from 'node:fs';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { dropFiles, jobsOf, UploadPage } from '../helpers/upload-pages.ts';

/** Decimal commas, words that the file reads as no value, and misspelt countries in every third row; columns turned around or not. */
function dirtyCsv(rows: number, isTurned: boolean): string {
  const [head = '', ...lines] = churnCsv(rows).trimEnd().split('\n');
  const dirty = lines.map((line, index) => {
    const cells = line.split(',');
    if (index % 9 === 0) cells[5] = `"${index + 1}.807,86"`;
    if (index % 9 === 3) cells[4] = 'n/a';
    if (index % 9 === 6) cells[1] = index % 2 === 0 ? 'franc' : 'GERMANY';
    return cells;
  });
  const all = [head.split(','), ...dirty];
  return all.map((cells) => (isTurned ? cells.toReversed() : cells).join(',')).join('\n');
}

test('bad rows are repaired at once and sent; the next file of this kind repairs itself', async ({
  launch,
  service,
}, testInfo) => {
  const [first, second] = [testInfo.outputPath('churn-q3.csv'), testInfo.outputPath('churn-q4.csv')];
  fs.writeFileSync(first, dirtyCsv(90, false));
  fs.writeFileSync(second, dirtyCsv(90, true));
  const { page } = await launch();
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const upload = new UploadPage(page);
  const shot = (name: string) => page.screenshot({ path: testInfo.outputPath(`${name}.png`) });

  await dropFiles(page, [first]);
  await upload.button('Next: mapping').click();
  await upload.chooseModel('Bank churn');
  await shot('mapping');
  await upload.button('Check the whole file').click();
  const repairs = upload.view.getByRole('region', { name: /kinds? of problems/ });
  await expect(repairs.getByRole('checkbox', { name: 'Repair Balance: Decimal comma' })).not.toBeChecked();
  await expect(upload.result).toContainText('bad');
  await shot('found');
  await repairs.getByRole('button', { name: /^Repair \d+ values$/ }).click();
  await expect(upload.result).toContainText('20 repaired');
  await expect(upload.result).toContainText('0 bad');
  await expect(repairs.getByRole('checkbox', { name: 'Repair Balance: Decimal comma' })).toBeChecked();
  await shot('repaired');
  await upload.button('Next: send').click();
  await upload.button('Send 90 rows').click();
  await expect.poll(async () => (await jobsOf(page)).map(({ state }) => state)).toEqual(['done']);

  await dropFiles(page, [second]);
  await upload.button('Next: mapping').click();
  await expect(upload.view.getByText('Filled in like your last file with these columns.')).toBeVisible();
  await shot('recalled');
  await upload.button('Check the whole file').click();
  await expect(upload.result).toContainText('20 repaired');
  await upload.button('Next: send').click();
  await upload.button('Send 90 rows').click();
  await expect.poll(async () => (await jobsOf(page)).map(({ state }) => state)).toEqual(['done', 'done']);
  const [last] = await jobsOf(page);
  expect(last).toMatchObject({ counts: { rows: 90, rejected: 0, acknowledged: 90 } });
});
