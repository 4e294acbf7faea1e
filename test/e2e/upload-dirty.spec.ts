/** Ten dirty files and a folder of mixed files are dropped, repaired in a few actions, sent, and undone. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { dropFiles, jobsOf, UploadPage } from '../helpers/upload-pages.ts';

const ROWS = 30;

/** A file with one kind of dirty value in every third row. */
interface DirtyFile {
  name: string;
  model: 'Bank churn' | 'Card fraud';
  column: string;
  /** The dirty text of a cell, and the value that it means. */
  cells: readonly (readonly [dirty: string, means: unknown])[];
  /** All values of the column together determine how it is read, so no value is bad. */
  isReadByRule?: boolean;
  /** The values are sent unchanged unless the user chooses a repair. */
  isUnusual?: boolean;
  /** The values of the column contradict each other, so the user has to decide how to read it. */
  isAsked?: boolean;
}

const FILES: readonly DirtyFile[] = [
  {
    name: 'comma',
    model: 'Bank churn',
    column: 'Balance',
    cells: [
      ['"1.807,86"', 1807.86],
      ['"0,50"', 0.5],
    ],
    isAsked: true,
  },
  {
    ...{ name: 'thousands', model: 'Bank churn', column: 'EstimatedSalary', isReadByRule: true },
    cells: [['"12,345.67"', 12_345.67]],
  },
  {
    name: 'null-words',
    model: 'Bank churn',
    column: 'Tenure',
    cells: [
      ['(blank)', null],
      ['unknown', null],
    ],
  },
  {
    name: 'spelling',
    model: 'Bank churn',
    column: 'Geography',
    cells: [
      ['franc', 'France'],
      ['SPAIN', 'Spain'],
    ],
  },
  {
    name: 'blanks',
    model: 'Bank churn',
    column: 'Age',
    cells: [
      [' “35” ', 35],
      ['41\u200b', 41],
    ],
  },
  {
    name: 'currency',
    model: 'Bank churn',
    column: 'Balance',
    cells: [
      ['€ 120.50', 120.5],
      ['99 EUR', 99],
    ],
  },
  {
    ...{ name: 'too-high', model: 'Bank churn', column: 'Age', isUnusual: true },
    cells: [
      ['412', null],
      ['7', null],
    ],
  },
  {
    ...{ name: 'day-first', model: 'Card fraud', column: 'processed_at', isReadByRule: true },
    cells: [['13.02.2026', '2026-02-13']],
  },
  {
    ...{ name: 'months', model: 'Card fraud', column: 'processed_at', isReadByRule: true },
    cells: [['12 Mar 2026', '2026-03-12']],
  },
  {
    name: 'words',
    model: 'Card fraud',
    column: 'is_online',
    cells: [
      ['ja', true],
      ['nein', false],
    ],
  },
];

/** The ids are unique, as an undo keeps events that another upload also contains. */
const fraudCsv = (rows: number, ids: string): string =>
  [
    'transaction_id,processed_at,amount,merchant_category,is_online',
    ...Array.from(
      { length: rows },
      (_, row) => `${ids}-${row},2026-03-0${1 + (row % 9)} 10:00:00,${row}.5,travel,true`,
    ),
  ].join('\n');

/** Returns the text of a file, and its rows as they are expected at the service. */
function dirtyFile({ name, model, column, cells }: DirtyFile): {
  text: string;
  means: Record<string, unknown>[];
} {
  const clean = model === 'Bank churn' ? churnCsv(ROWS, 3) : fraudCsv(ROWS, name);
  const [head = '', ...lines] = clean.trimEnd().split('\n');
  const names = head.split(',');
  const at = names.indexOf(column);
  const rows = lines.map((line) => line.split(','));
  const dirtOf = (row: number) => (row % 3 === 1 ? cells[((row - 1) / 3) % cells.length] : undefined);
  const text = [
    head,
    ...rows.map((row, index) =>
      row.map((cell, each) => (each === at ? (dirtOf(index)?.[0] ?? cell) : cell)).join(','),
    ),
  ].join('\n');
  const asValue = (cell: string): unknown =>
    /^-?[\d.]+$/.test(cell) ? Number(cell) : cell === 'true' || cell === 'false' ? cell === 'true' : cell;
  const means = rows.map((row, index) => {
    const dirt = dirtOf(index);
    return Object.fromEntries(
      names.map((key, each) => [key, each === at && dirt !== undefined ? dirt[1] : asValue(row[each] ?? '')]),
    );
  });
  return { text, means };
}

const textsOf = (records: readonly Record<string, unknown>[], names: readonly string[]): string[] =>
  records.map((record) => JSON.stringify(names.map((name) => record[name]))).toSorted();

async function connect(page: Page, service: TestService): Promise<UploadPage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  return new UploadPage(page);
}

/**
 * Drops a file and waits for the result of its check. If a file with the same columns was sent before, its model is
 * chosen automatically.
 */
async function checkDropped(
  page: Page,
  upload: UploadPage,
  file: string,
  model: string,
  isFirst: boolean,
): Promise<void> {
  await dropFiles(page, [file]);
  await expect(new Workbench(page).heading).toHaveText(path.basename(file));
  await upload.button('Next: columns').click();
  if (isFirst) await upload.chooseModel(model);
  await expect(upload.model).toHaveValue(model);
  await expect(upload.result).toBeVisible();
}

test('repairs nine in ten bad rows of ten dirty files in at most three actions each without changing good rows; undo leaves nothing', async ({
  shared,
  service,
}, testInfo) => {
  test.slow();
  const { page } = shared;
  const upload = await connect(page, service);
  const workbench = new Workbench(page);
  const seen = new Set<string>();
  for (const file of FILES) {
    await test.step(file.name, async () => {
      const { text, means } = dirtyFile(file);
      const dropped = testInfo.outputPath(`${file.name}.csv`);
      fs.writeFileSync(dropped, text);
      await checkDropped(page, upload, dropped, file.model, !seen.has(file.model));
      seen.add(file.model);
      const bad = Math.ceil((ROWS - 1) / 3);
      const repairs = upload.view.getByRole('region', { name: /kinds? of problems?/ });
      if (file.isAsked === true)
        await upload.view.getByRole('radio', { name: /^The point separates decimals/ }).click();
      if (file.isReadByRule !== true) {
        // One action repairs everything that is unambiguous.
        if (file.isUnusual === true)
          await repairs.getByRole('checkbox', { name: 'Repair Age: Out of range' }).check();
        else await repairs.getByRole('button', { name: new RegExp(`^Repair ${bad} values$`) }).click();
        await expect(upload.result).toContainText(`${bad} repaired`);
      }
      await expect(upload.result).toContainText('0 bad');
      await upload.button('Next: send').click();
      await upload.button(`Send ${ROWS} rows`).click();
      await upload.startNow();
      await upload.expectDone();
      const [job] = await jobsOf(page);
      const names = Object.keys(means[0] ?? {});
      const sent = service.now.events(job?.plan.modelId ?? '').records.slice(-ROWS);
      expect(textsOf(sent, names)).toEqual(textsOf(means, names));
    });
  }
  await test.step('undone: the rows of the last file are deleted, those of the others are unchanged', async () => {
    const [job] = await jobsOf(page);
    const modelId = job?.plan.modelId ?? '';
    const before = service.now.events(modelId).count;
    await upload.button('Undo…').click();
    const panel = page.getByRole('complementary', { name: 'Undo this upload' });
    await panel.getByRole('textbox', { name: 'Name of the model' }).fill('Card fraud');
    await panel.getByRole('button', { name: `Delete ${ROWS} events` }).click();
    await expect(upload.view.getByText(new RegExp(`^Undone .*${ROWS} of ${ROWS}$`)).first()).toBeVisible();
    expect(service.now.events(modelId).count).toBe(before - ROWS);
    await workbench.go('Uploads');
    await expect(upload.view.getByRole('row', { name: /^words\.csv/ })).toContainText(`${ROWS} deleted`);
  });
});

test('sends each file of a mixed folder, and reports files that are not tables once', async ({
  shared,
  service,
}, testInfo) => {
  const folder = testInfo.outputPath('mixed');
  fs.mkdirSync(path.join(folder, 'inner'), { recursive: true });
  const csv = churnCsv(20);
  fs.writeFileSync(path.join(folder, 'plain.csv'), csv);
  fs.writeFileSync(path.join(folder, 'packed.csv.gz'), gzipSync(churnCsv(20, 2)));
  await writeParquet(
    path.join(folder, 'table.parquet'),
    `SELECT * FROM read_csv('${path.join(folder, 'plain.csv')}')`,
  );
  const [head = '', ...lines] = churnCsv(20, 4).trimEnd().split('\n');
  const names = head.split(',');
  const records = lines.map((line) =>
    JSON.stringify(
      Object.fromEntries(
        line.split(',').map((cell, at) => [names[at], /^[\d.]+$/.test(cell) ? Number(cell) : cell]),
      ),
    ),
  );
  fs.writeFileSync(path.join(folder, 'inner', 'lines.jsonl'), records.join('\n'));
  fs.writeFileSync(
    path.join(folder, 'picture.png'),
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]),
  );
  fs.writeFileSync(path.join(folder, 'empty.csv'), '');

  const { page } = shared;
  const upload = await connect(page, service);
  await dropFiles(page, [folder]);
  await expect(page.getByText('1 more file was not added.')).toBeVisible();
  await new Workbench(page).go('Uploads');
  const list = upload.view.getByRole('region', { name: 'In preparation' }).getByRole('listitem');
  await expect(list).toHaveCount(4);
  for (let sent = 0; sent < 4; sent += 1) {
    await new Workbench(page).go('Uploads');
    await list.first().getByRole('button', { name: 'Continue' }).click();
    await upload.button('Next: columns').click();
    if ((await upload.model.inputValue()) === '') await upload.chooseModel('Bank churn');
    await expect(upload.result).toContainText('0 bad');
    await upload.send(20);
    await upload.expectDone();
  }
  const [job] = await jobsOf(page);
  expect(service.now.events(job?.plan.modelId ?? '').count).toBe(80);
});
