/** The file of the sample workspace has exactly the problems that the window announces. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { badFileText, writeBadFile } from '../../electron/sample-service/generate/bad-file.ts';
import { MODELS } from '../../electron/sample-service/generate/models.ts';
import { planColumns } from '../../electron/shared/column-plan.ts';
import { SAMPLE_FILE } from '../../electron/shared/sample-file.ts';
import { readModelFacts } from '../../electron/shared/upload-columns.ts';
import type { BadRow, UploadPlan } from '../../electron/shared/upload-model.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-bad-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the check finds the announced rows, asks nothing, and every column fits the model', async () => {
  const path = join(folder, SAMPLE_FILE.name);
  writeBadFile(path);
  const model = MODELS.find(({ name }) => name === SAMPLE_FILE.model);
  const facts = readModelFacts({ schema: { columns: model?.columns ?? [] } });
  const schema = facts?.columns.map(({ name, type }) => ({ name, data_type: type })) ?? [];
  const preview = await inspectFile({ path, fileId: 'file', override: null, seed: 0.5 });
  const plan: UploadPlan = {
    ...{ fileId: 'file', dialect: preview.dialect, modelId: '11111111-1111-4111-8111-111111111111' },
    ...{ modelName: SAMPLE_FILE.model, columns: planColumns(preview.columns, schema), envType: 'PRODUCTION' },
    ...{ envName: null, mode: 'publish', batchRows: 1_000, maxBatchBytes: 8_000_000, onBadRow: 'stop' },
  };
  const bad: BadRow[] = [];
  const checked = await scanFile({ path, plan, model: facts }, async ({ newBadRows }) => {
    bad.push(...newBadRows);
  });
  expect(plan.columns.map(({ target }) => target)).toEqual(model?.columns.map(({ name }) => name));
  expect(checked).toMatchObject({
    rows: SAMPLE_FILE.rows,
    badRows: SAMPLE_FILE.badRows,
    unusualRows: SAMPLE_FILE.unusualRows,
  });
  expect(checked.questions).toEqual([]);
  expect(bad.map(({ row }) => row)).toEqual([2, 3, 1_204, 2_871]);
});

test('is the same text at each call, readable by its owner only, and not written twice', () => {
  const path = join(folder, SAMPLE_FILE.name);
  writeBadFile(path);
  expect(readFileSync(path, 'utf8')).toBe(badFileText());
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, 'edited by a person');
  writeBadFile(path);
  expect(readFileSync(path, 'utf8')).toBe('edited by a person');
});
