/** Events from files: the rows of the file, the events at the service and the ids in the receipts are the same. */
import * as fs from 'node:fs';
import type { ElectronApplication, Page, TestInfo } from '@playwright/test';
import { churnCsv, fraudJsonl, insuranceCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { Presses } from '../helpers/presses.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { killRepeatedly } from '../helpers/repeated-kills.ts';
import {
  answerOpenDialog,
  answerSaveDialog,
  dropFiles,
  jobsOf,
  type Receipt,
  readReceipts,
  UploadPage,
} from '../helpers/upload-pages.ts';

async function connect(page: Page, service: TestService): Promise<UploadPage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  return new UploadPage(page);
}

/** Number of requests for storing events. */
const publishes = (service: TestService): number =>
  service.now.report().operations['events.publish']?.requests ?? 0;

const counting = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Saves the receipts of the current job, and compares them with the rows of the file and the events at the service. */
async function expectWhole(
  { app, page, service }: { app: ElectronApplication; page: Page; service: TestService },
  testInfo: TestInfo,
  rows: number,
): Promise<Receipt[]> {
  const file = testInfo.outputPath('receipts.csv');
  await answerSaveDialog(app, file);
  await new UploadPage(page).button('Save receipts').click();
  await expect(page.getByText('Saved receipts.csv')).toBeVisible();
  const receipts = readReceipts(file);
  expect(receipts.map(({ row }) => row).toSorted((a, b) => a - b)).toEqual(counting(rows));
  const [job] = await jobsOf(page);
  expect(job?.counts).toEqual({ rows, acknowledged: rows, rejected: 0, refused: 0, unknown: 0, unsent: 0 });
  const stored = service.now.events(job?.plan.modelId ?? '');
  expect(stored.count).toBe(rows);
  const known = receipts.map(({ eventId }) => eventId).filter((id) => id !== '');
  expect(new Set(known).size).toBe(known.length);
  const ids = new Set(stored.ids);
  expect(ids.size).toBe(rows);
  expect(known.filter((id) => !ids.has(id))).toEqual([]);
  return receipts;
}

const CASES = [
  { way: 'dropped', file: 'bank_churn.csv', model: 'Bank churn', rows: 10_000, make: churnCsv },
  { way: 'dropped', file: 'insurance.csv', model: 'Auto insurance value', rows: 5_000, make: insuranceCsv },
  { way: 'chosen', file: 'card_fraud.jsonl', model: 'Card fraud', rows: 1_500, make: fraudJsonl },
] as const;

for (const { way, file, model, rows, make } of CASES) {
  test(`${file}, ${way}, arrives completely`, async ({ shared, service }, testInfo) => {
    const { app, page } = shared;
    const upload = await connect(page, service);
    const source = testInfo.outputPath(file);
    fs.writeFileSync(source, make(rows));
    if (way === 'dropped') await dropFiles(page, [source]);
    else {
      await answerOpenDialog(app, [source]);
      await page.keyboard.press('Control+o');
    }
    await expect(upload.preview).toBeVisible();
    await upload.checkFor(model);
    await expect(upload.result).toContainText(
      /(Every row is good|No bad rows in the columns that this file fills)\. Nothing was sent\./,
    );
    expect(publishes(service)).toBe(0);

    await upload.send(rows);
    await upload.expectDone();
    await expect(upload.progress).toContainText(`Sent ${rows.toLocaleString('en-US')} of `);
    const receipts = await expectWhole({ app, page, service }, testInfo, rows);
    expect(receipts.filter(({ eventId }) => eventId === '')).toEqual([]);
    // Batches that are in flight together differ by a few rows, so one more may be needed.
    const fewest = Math.ceil(rows / 1_000);
    expect([fewest, fewest + 1]).toContain(publishes(service));
  });
}

test('stores every row of an upload once after three kills', async ({ launch, service }, testInfo) => {
  const rows = 10_000;
  const source = testInfo.outputPath('bank_churn.csv');
  fs.writeFileSync(source, churnCsv(rows));
  const first = await launch();
  const begun = await connect(first.page, service);
  await dropFiles(first.page, [source]);
  await begun.checkFor('Bank churn', { batchRows: 250 });

  // The service carries out two of the requests whose responses are lost.
  const hangs = [
    { after: 4, isStored: true },
    { after: 3, isStored: false },
    { after: 2, isStored: true },
  ];
  const { app, page } = await killRepeatedly(first, {
    ...{ launch, service, operation: 'events.publish', hangs },
    begin: () => begun.send(rows),
  });
  const upload = new UploadPage(page);
  await new Workbench(page).go('Uploads');
  await upload.button(/^bank_churn.csv/).click();
  await expect(upload.view.getByText('Decision needed')).toBeVisible();
  const unknown = upload.view.getByRole('article', { name: /^Batch / });
  // Requests that were in flight together with such a request were killed with it.
  const lost = (await jobsOf(page))[0]?.batches.unknown ?? 0;
  expect(lost).toBeGreaterThanOrEqual(hangs.length);
  await expect(unknown).toHaveCount(lost);
  let stored = 0;
  for (let left = lost; left > 0; left -= 1) {
    const batch = unknown.first();
    await expect(batch).toContainText(/Probably (?:not )?stored/);
    const isStored = !(await batch.innerText()).includes('Probably not stored');
    if (isStored) stored += 1;
    await batch.getByRole('button', { name: isStored ? 'Mark as stored' : 'Send again' }).click();
    await expect(unknown).toHaveCount(left - 1);
  }
  expect(stored).toBeGreaterThanOrEqual(2);
  await upload.expectDone();
  const receipts = await expectWhole({ app, page, service }, testInfo, rows);
  // The ids of batches that the user marked as stored were in responses that did not arrive.
  const unheard = receipts.filter(({ eventId }) => eventId === '').length;
  expect(unheard).toBeGreaterThan((stored - 1) * 225);
  expect(unheard).toBeLessThanOrEqual(stored * 250);
});

test('lists every bad row in a dry run and sends nothing', async ({ shared, service }, testInfo) => {
  const { page } = shared;
  const upload = await connect(page, service);
  const lines = churnCsv(1_000).split('\n');
  const change = (line: number, edit: (cells: string[]) => void): void => {
    const cells = (lines[line - 1] ?? '').split(',');
    edit(cells);
    lines[line - 1] = cells.join(',');
  };
  change(12, (cells) => cells.splice(3, 1, 'forty'));
  change(499, (cells) => cells.splice(1, 1, 'Atlantis'));
  change(501, (cells) => cells.push('more'));
  change(1_001, (cells) => cells.splice(9, 1, '1e999'));
  const source = testInfo.outputPath('some_bad.csv');
  fs.writeFileSync(source, lines.join('\n'));
  await dropFiles(page, [source]);
  await upload.checkFor('Bank churn');
  await expect(upload.result).toContainText('3 rows would not be accepted. Nothing was sent.');
  // The service stores values that are not categories of the model, but the user is informed about them.
  await expect(upload.result).toContainText(/996 good\s*\+\s*1 unusual\s*\+\s*3 bad/);
  await expect(upload.view.getByText('categories, such as "Atlantis"')).toBeVisible();
  const row = upload.badRows.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await expect(row).toHaveCount(3);
  const cellsOf = (number: number): Promise<string[]> =>
    row
      .and(page.locator(`[aria-rowindex="${number + 1}"]`))
      .getByRole('gridcell')
      .allInnerTexts();
  expect(await cellsOf(1)).toEqual(['12', '11', 'Age', 'forty', 'Expected a whole number.']);
  expect(await cellsOf(2)).toEqual([
    '501',
    '500',
    'whole row',
    expect.any(String),
    expect.stringMatching(/11.*12/),
  ]);
  expect(await cellsOf(3)).toEqual(['1,001', '1,000', 'EstimatedSalary', '1e999', expect.any(String)]);

  await expect(upload.button('Next: send')).toBeDisabled();
  expect(publishes(service)).toBe(0);
  await upload.button('Skip 3 bad rows').click();
  await upload.button('Next: send').click();
  await upload.button(/^Send 997 rows/).click();
  await upload.startNow();
  await upload.expectDone();
  await expect(upload.progress).toContainText('3 bad rows skipped');
  const [job] = await jobsOf(page);
  expect(service.now.events(job?.plan.modelId ?? '').count).toBe(997);
});

test('rejects each file without events with a clear message', async ({ shared, service }, testInfo) => {
  const { page } = shared;
  const upload = await connect(page, service);
  const [head = '', ...rows] = churnCsv(20).trimEnd().split('\n');
  const expectRejection = (text: string): Promise<void> =>
    expect(upload.alert.filter({ hasText: text })).toBeVisible();
  const write = (name: string, content: string | Buffer): string => {
    const file = testInfo.outputPath(name);
    fs.writeFileSync(file, content);
    return file;
  };

  await test.step('files that are not text are rejected where they are dropped', async () => {
    fs.mkdirSync(testInfo.outputPath('folder.csv'));
    const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1]);
    const files = [write('empty.csv', ''), write('blank.csv', '\n\n\n'), write('image.csv', image)];
    await dropFiles(page, [...files, testInfo.outputPath('folder.csv')]);
    await expectRejection('empty.csv is empty: it has no bytes.');
    // Only one rejection is shown at first, as more would leave little space for the view.
    await expect(upload.alert).toHaveCount(1);
    await page.getByText('3 more files were not added.').getByRole('button', { name: 'Show why' }).click();
    for (const text of [
      'blank.csv holds only white space.',
      'got a PNG image: image.csv.',
      'folder.csv contains no files.',
    ])
      await expectRejection(text);
  });

  await test.step('a header without a row', async () => {
    await dropFiles(page, [write('header-only.csv', `${head}\n`)]);
    await expect(upload.view).toContainText('The file has a header but no rows.');
  });

  await test.step('ragged rows and an unclosed quote are reported with their line', async () => {
    const ragged = [head, rows[0], `${rows[1]},9,9`, '1,France', ...rows.slice(3)].join('\n');
    await dropFiles(page, [write('ragged.csv', ragged)]);
    // Until the tab of this file is active, "Next" belongs to the previous file.
    await expect(new Workbench(page).heading).toHaveText('ragged.csv');
    await upload.checkFor('Bank churn');
    await expect(upload.badRows).toContainText('Expected 11 cells, got 13.');
    await expect(upload.badRows).toContainText('Expected 11 cells, got 2.');
    const unclosed = [head, rows[0], `"${rows[1]}`, ...rows.slice(2)].join('\n');
    await dropFiles(page, [write('unclosed.csv', unclosed)]);
    await expect(upload.view).toContainText('The quote opened in line 3 is not closed.');
  });

  await test.step('one line of 200 MB', async () => {
    const file = write('one-line.csv', Buffer.alloc(200_000_000, 'a'));
    await dropFiles(page, [file]);
    await expectRejection('Line 1: The line is longer than 4 MB.');
    fs.rmSync(file);
  });
  expect(publishes(service)).toBe(0);
});

test('brings a CSV with four bad rows to the service in four presses', async ({
  shared,
  service,
}, testInfo) => {
  const source = testInfo.outputPath('four_bad.csv');
  const [head = '', ...lines] = churnCsv(500).trimEnd().split('\n');
  const withBad = lines.map((line, at) =>
    at % 120 === 5 && at < 480 ? line.replace(/^\d+,/, 'forty,') : line,
  );
  fs.writeFileSync(source, [head, ...withBad].join('\n'));
  const { page } = shared;
  const upload = await connect(page, service);
  await new Workbench(page).go('Uploads');
  await dropFiles(page, [source]);
  const presses = await Presses.countedIn(page);
  await expect(upload.preview).toBeVisible();
  // In the meantime, models are compared with the columns of the file.
  const asked = () => service.now.report().operations['models.get']?.requests ?? 0;
  await expect.poll(asked).toBeGreaterThan(1);
  await expect(async () => {
    await presses.restart();
    await upload.button('Next: columns').click();
    const chosen = await upload.model.inputValue();
    if (chosen === '') await upload.button('Back').click();
    expect(chosen).toBe('Bank churn');
  }).toPass();
  await expect(upload.view.getByRole('region', { name: /kinds? of problems?/ })).toBeInViewport();
  await upload.button('Skip 4 bad rows').click();
  await upload.button('Next: send').click();
  await upload.button('Send 496 rows').click();
  await upload.expectDone();
  expect(await presses.count()).toBe(4);
  const [job] = await jobsOf(page);
  expect(service.now.events(job?.plan.modelId ?? '').count).toBe(496);
});
