/** The check of a workbook, and the manifest of its upload, list the changes that its readable copy makes. */
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
  await raw.service.stop();
});

test('a cell error is in the ledger of check and manifest, with its column and line', async () => {
  const [header = '', ...lines] = churnCsv(3).trim().split('\n');
  const cells = (line: string) =>
    line.split(',').map((text) => (/^-?\d+(\.\d+)?$/.test(text) ? number(text) : inline(text)));
  const rows = [header.split(',').map(inline), ...lines.map(cells)];
  const source = header.split(',').at(-1) ?? '';
  rows[2]?.splice(-1, 1, '<c t="e"><v>#N/A</v></c>');
  const path = rig.write('churn.xlsx', workbookOf({ sheets: { Data: { rows: sheetRows(rows) } } }));
  const job = await rig.send(path, 'Bank churn');
  const change = {
    ...{ rule: 'cell-error', source, count: 1 },
    examples: [{ line: 3, before: '#N/A', after: null }],
  };
  expect(rig.uploads.checkOf(job.jobId).ledger.changes).toContainEqual(change);
  expect(rig.uploads.manifest(job.jobId)).toMatchObject({
    ledger: { changes: expect.arrayContaining([change]) },
  });
});
