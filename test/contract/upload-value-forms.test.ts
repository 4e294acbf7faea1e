/**
 * The same rows in other forms arrive at the service with the same values, and the check and the manifest name each
 * change.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';
import { inline, number, sheetRows, workbookOf } from '../helpers/workbook-file.ts';

let raw: RawService;
let rig: UploadRig;
beforeEach(async () => {
  raw = await RawService.start();
  rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
  await raw.service.stop();
});

const [HEADER = '', ...LINES] = churnCsv(4).trim().split('\n');
const NAMES = HEADER.split(',');
const NUMBER = /^\d+(?:\.\d+)?$/;
const ROWS = LINES.map((line) => line.split(','));

/** Values of the events that an upload adds, and its rules with their counts. */
async function sent(name: string, content: string | Buffer) {
  const modelId = await raw.idOf('models.list', 'Bank churn');
  const before = raw.service.events(modelId).count;
  const job = await rig.send(rig.write(name, content), 'Bank churn');
  expect(job).toMatchObject({ state: 'done', counts: { acknowledged: ROWS.length } });
  const { ledger } = rig.uploads.checkOf(job.jobId);
  expect(rig.uploads.manifest(job.jobId)).toMatchObject({ ledger: { changes: ledger.changes } });
  const values = raw.service
    .events(modelId)
    .records.slice(before)
    .map((record) => NAMES.map((column) => JSON.stringify(record[column])));
  const rules: Record<string, number> = {};
  for (const { rule, count } of ledger.changes) rules[rule] = (rules[rule] ?? 0) + count;
  return { values, rules };
}

const other = (zero: number) => (text: string) =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const numbers = ROWS.flat().filter((text) => NUMBER.test(text)).length;

test('the same rows are sent from digits of other scripts, from a JSON document and from a sheet', async () => {
  const plain = await sent('plain.csv', churnCsv(4));

  const digits = other(0x660);
  const inArabic = ROWS.map((row) =>
    row.map((text) => (NUMBER.test(text) ? digits(text).replace('.', '\u066b') : text)).join(';'),
  );
  const arabic = await sent('arabic.csv', [NAMES.join(';'), ...inArabic].join('\n'));
  expect(arabic.values).toEqual(plain.values);
  expect(arabic.rules['script-digits']).toBe(numbers);

  const objects = ROWS.map((row) => Object.fromEntries(row.map((text, at) => [NAMES[at], text])));
  const document = await sent('document.json', JSON.stringify({ total: ROWS.length, data: objects }));
  expect(document.values).toEqual(plain.values);

  const cells = ROWS.map((row) => row.map((text) => (NUMBER.test(text) ? number(text) : inline(text))));
  const rows = sheetRows([NAMES.map(inline), ...cells]);
  expect((await sent('sheet.xlsx', workbookOf({ sheets: { Data: { rows } } }))).values).toEqual(plain.values);
});
