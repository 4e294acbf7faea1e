/**
 * One action in the window repairs a file with ten kinds of bad cells, which is then sent. The next similar file needs
 * no action.
 */
import * as fs from 'node:fs';
import { HOUR_MS } from '../helpers/clock-ahead.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { dropFiles, jobsOf, UploadPage } from '../helpers/upload-pages.ts';
import { standAhead } from '../helpers/window-clock.ts';

interface Dirt {
  column: number;
  write: (cell: string) => string;
  /** The value that the cell means; absent if it is unchanged. */
  means?: number | string | null;
}

/** Typical cells of real files. Every eleventh row is unchanged. */
const DIRT: readonly Dirt[] = [
  { column: 5, write: () => '"1.807,86"', means: 1807.86 },
  { column: 9, write: () => '"12,345.67"', means: 12_345.67 },
  { column: 4, write: () => 'n/a', means: null },
  { column: 1, write: () => 'franc', means: 'France' },
  { column: 3, write: (cell) => ` “${cell}” ` },
  { column: 5, write: () => '€ 120.50', means: 120.5 },
  { column: 3, write: (cell) => `${cell}\u200b` },
  { column: 1, write: () => 'GERMANY', means: 'Germany' },
  { column: 5, write: () => '#N/A', means: null },
  { column: 2, write: () => 'femal', means: 'Female' },
];
const dirtOf = (row: number): Dirt | undefined => DIRT[row % (DIRT.length + 1)];

/** A file with ten kinds of bad cells, one per row. With `isTurned`, its columns are in reverse order. */
function dirtyCsv(rows: number, isTurned: boolean): string {
  const [head = '', ...lines] = churnCsv(rows).trimEnd().split('\n');
  const dirty = lines.map((line, row) => {
    const cells = line.split(',');
    const dirt = dirtOf(row);
    if (dirt !== undefined) cells[dirt.column] = dirt.write(cells[dirt.column] ?? '');
    return cells;
  });
  const all = [head.split(','), ...dirty];
  return all.map((cells) => (isTurned ? cells.toReversed() : cells).join(',')).join('\n');
}

/** The same rows as they are expected at the service. */
function meantRows(rows: number): Record<string, unknown>[] {
  const [head = '', ...lines] = churnCsv(rows).trimEnd().split('\n');
  const names = head.split(',');
  return lines.map((line, row) => {
    const cells: unknown[] = line.split(',').map((cell) => (/^[\d.]+$/.test(cell) ? Number(cell) : cell));
    const { column = -1, means } = dirtOf(row) ?? {};
    if (means !== undefined) cells[column] = means;
    return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  });
}

test('repairs bad rows at once and sends them; the next similar file repairs itself', async ({
  shared,
  service,
}, testInfo) => {
  const [first, second] = [testInfo.outputPath('churn-q3.csv'), testInfo.outputPath('churn-q4.csv')];
  fs.writeFileSync(first, dirtyCsv(90, false));
  fs.writeFileSync(second, dirtyCsv(90, true));
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const upload = new UploadPage(page);

  await dropFiles(page, [first]);
  await upload.button('Next: columns').click();
  await upload.chooseModel('Bank churn');
  const repairs = upload.view.getByRole('region', { name: /kinds? of problems?/ });
  await expect(repairs.getByRole('checkbox', { name: 'Repair Balance: Decimal comma' })).not.toBeChecked();
  await expect(upload.result).toContainText('bad');
  await repairs.getByRole('button', { name: /^Repair \d+ values$/ }).click();
  await expect(upload.result).toContainText('57 repaired');
  await expect(upload.result).toContainText('0 bad');
  await expect(repairs.getByRole('checkbox', { name: 'Repair Balance: Decimal comma' })).toBeChecked();
  // Once the decimal commas are repaired, the column can be read in only one way, so the user is not asked.
  await expect(upload.view.getByRole('radio', { name: /separates decimals/ })).toHaveCount(0);
  await upload.button('Next: send').click();
  await upload.button('Send 90 rows').click();
  await upload.startNow();
  await expect.poll(async () => (await jobsOf(page)).map(({ state }) => state)).toEqual(['done']);
  await test.step('the service has the intended values, and every good row unchanged', async () => {
    const sent = service.now.events((await jobsOf(page))[0]?.plan.modelId ?? '').records.slice(-90);
    const names = Object.keys(meantRows(1)[0] ?? {});
    const cellsOf = (row: Record<string, unknown>) => names.map((name) => row[name]);
    const textsOf = (records: readonly Record<string, unknown>[]) =>
      records.map((record) => JSON.stringify(cellsOf(record))).toSorted();
    expect(textsOf(sent)).toEqual(textsOf(meantRows(90)));
  });

  await dropFiles(page, [second]);
  await upload.button('Next: columns').click();
  await expect(upload.view.getByText('Filled in like your last file with these columns.')).toBeVisible();
  await expect(upload.result).toContainText('57 repaired');
  await upload.button('Next: send').click();
  await upload.button('Send 90 rows').click();
  await upload.startNow();
  await expect.poll(async () => (await jobsOf(page)).map(({ state }) => state)).toEqual(['done', 'done']);
  const [last] = await jobsOf(page);
  expect(last).toMatchObject({ counts: { rows: 90, rejected: 0, acknowledged: 90 } });
});

test('replaces a category in all its rows, edits one cell, and undoes a mistaken upload', async ({
  shared,
  service,
}, testInfo) => {
  const source = testInfo.outputPath('geography.csv');
  const [head = '', ...lines] = churnCsv(30).trimEnd().split('\n');
  const at = head.split(',').indexOf('Geography');
  const written = ['Frankreich', 'Frankreich', 'Frankreich', 'Polen'];
  const changed = lines.map((line, row) =>
    line
      .split(',')
      .map((cell, column) => (column === at ? (written[row] ?? cell) : cell))
      .join(','),
  );
  fs.writeFileSync(source, [head, ...changed].join('\n'));
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const upload = new UploadPage(page);
  await dropFiles(page, [source]);
  await upload.checkFor('Bank churn');
  await expect(upload.result).toContainText(/26 good\s*\+\s*4 unusual\s*\+\s*0 bad/);
  const repairs = upload.view.getByRole('region', { name: /kinds? of problems?/ });
  await repairs.getByRole('radio', { name: 'Replace with…' }).check();
  await repairs.getByRole('combobox', { name: 'Replace Frankreich in all 3 rows' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await expect(upload.result).toContainText(/29 good\s*\+\s*1 unusual/);
  await upload.preview.getByRole('button', { name: /^Polen: Unusual/ }).dblclick();
  const cell = upload.preview.getByRole('combobox', { name: /^New value of Geography/ });
  await cell.fill('Poland');
  await cell.press('Enter');
  await expect(upload.alert).toContainText('Not one of the model’s categories.');
  await cell.fill('Spain');
  await cell.press('Enter');
  await expect(upload.result).toContainText(/30 good\s*\+\s*0 unusual/);
  await upload.button('Next: send').click();
  // The clock of the window stands still, ahead of the clock of the computer, so the upload can be cancelled for as
  // long as the test takes.
  await standAhead(page, HOUR_MS);
  await upload.button('Send 30 rows').click();
  await expect(upload.view.getByRole('timer')).toHaveText(/^Starting in \d s$/);
  // The countdown is not shown as a start that was planned for later.
  await expect(upload.view).not.toContainText('if Spandeck is open then');
  await upload.button('Undo').click();
  await expect(upload.button('Send 30 rows')).toBeEnabled();
  expect(await jobsOf(page)).toEqual([]);
  expect(service.now.report().operations['events.publish']?.requests ?? 0).toBe(0);
  await upload.button('Send 30 rows').click();
  await upload.button('Start now').click();
  await upload.expectDone();
  const [job] = await jobsOf(page);
  const sent = service.now.events(job?.plan.modelId ?? '').records.slice(-30);
  const places = sent.map((record) => String(record['Geography']));
  const others = lines.slice(4).map((line) => line.split(',')[at] ?? '');
  expect(places.toSorted()).toEqual(['France', 'France', 'France', 'Spain', ...others].toSorted());
});
