/** Saved mappings for files on the command line, with a real service. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { churnCsv } from '../helpers/make-files.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

let raw: RawService;
const folder = temporaryFolder('cli-presets');
beforeAll(async () => {
  raw = await RawService.start();
});
afterAll(() => raw.service.stop());

test('a preset is saved, applies to reordered columns, reports differences, and is removed', async () => {
  const cli = (...args: string[]) =>
    runHere([...args, '--base-url', raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const text = churnCsv(5);
  const saved = await cli(
    'upload',
    file('first.csv', text),
    '--model',
    'Bank churn',
    '--policy',
    'skip',
    '--save-preset',
    'Churn',
    '--dry-run',
  );
  expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved the preset “Churn”.') });
  expect(JSON.parse((await cli('presets', '--json')).stdout)).toMatchObject({
    items: [{ name: 'Churn', model: 'Bank churn', columns: 11, policy: 'skip', isAutomatic: false }],
  });

  const turned = text.replaceAll(/^(.*?),(.*)$/gm, '$2,$1');
  const sent = await cli('upload', file('turned.csv', turned), '--preset', 'Churn', '--json');
  expect(sent.code).toBe(0);
  expect(JSON.parse(sent.stdout)).toMatchObject({ state: 'done', acknowledged: 5, rejected: 0 });
  expect(sent.stderr).not.toContain('preset');

  const other = await cli(
    'upload',
    file('other.csv', text.replace('CreditScore', 'Score')),
    '--preset',
    'Churn',
    '--dry-run',
  );
  expect(other.stderr).toContain('Columns of the preset Churn that are missing in the file: CreditScore.');
  expect(other.stderr).toContain('Columns that are new in the file: Score.');

  expect((await cli('upload', file('a.csv', text), '--preset', 'Churm')).stderr).toContain(
    'There is no preset “Churm”. Saved: Churn.',
  );
  const asked = await cli('presets', 'remove', 'Churn');
  expect([asked.code, asked.stderr]).toEqual([
    2,
    'error INVALID_ARGUMENT: Nothing was forgotten. Add --yes to forget the preset “Churn”.\n',
  ]);
  expect(JSON.parse((await cli('presets', '--json')).stdout).items).toHaveLength(1);
  const removed = await cli('presets', 'remove', 'Churn', '--yes');
  expect(removed.stdout).toContain('Removed the preset “Churn”.');
  expect(JSON.parse((await cli('presets', '--json')).stdout)).toMatchObject({ items: [] });
});

test('a preset reads records as the file was read for which it was saved', async () => {
  const cli = (...args: string[]) =>
    runHere([...args, '--base-url', raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
  const record = { createdTime: '2026-05-01', fields: { CreditScore: 1 } };
  const [own, airtable] = [join(folder.path, 'own.json'), join(folder.path, 'airtable.json')];
  writeFileSync(own, JSON.stringify([{ id: 'a', ...record, CreditScore: 2 }]));
  writeFileSync(airtable, JSON.stringify([{ id: 'rec1', ...record }]));
  const to = ['--model', 'Bank churn', '--policy', 'skip', '--dry-run'];
  const saved = await cli('upload', own, ...to, '--save-preset', 'Records');
  expect(saved.stderr).toContain('Saved the preset “Records”.');
  const again = await cli('upload', airtable, '--preset', 'Records', '--dry-run');
  expect(again.stderr).toContain('missing in the file: CreditScore.');
  expect(again.stderr).toContain('got none of “id”, “createdTime”, “fields”');
  expect((await cli('upload', airtable, ...to)).stderr).toContain('in an object of their own');
});

test('another file is sent like an earlier upload, to another model if one is named', async () => {
  const cli = (...args: string[]) =>
    runHere([...args, '--base-url', raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
  const [q3, q4] = [join(folder.path, 'q3.csv'), join(folder.path, 'q4.csv')];
  writeFileSync(q3, churnCsv(4, 3));
  writeFileSync(q4, churnCsv(6, 4).replace('CreditScore', 'Score'));
  const first = JSON.parse(
    (await cli('upload', q3, '--model', 'Bank churn', '--policy', 'skip', '--json')).stdout,
  );
  const again = await cli('uploads', 'rerun', first.jobId, q4, '--json');
  expect(again.stderr).toContain('missing in the file: CreditScore');
  const answer = JSON.parse(again.stdout);
  expect(answer).toMatchObject({ state: 'done', acknowledged: 6 });
  expect(JSON.parse(readFileSync(`${answer.receiptsFile}.manifest.json`, 'utf8'))).toMatchObject({
    jobId: answer.jobId,
    file: { name: 'q4.csv', sha256: createHash('sha256').update(readFileSync(q4)).digest('hex') },
    target: { modelName: 'Bank churn', mode: 'publish' },
    mapping: { preset: 'q3.csv', policy: 'skip' },
    rows: { all: 6, rejected: 0, acknowledged: 6 },
  });
  const other = await cli(
    'uploads',
    'rerun',
    first.jobId,
    q3,
    '--model',
    'Auto insurance value',
    '--dry-run',
    '--json',
  );
  expect(JSON.parse(other.stdout)).toMatchObject({ rows: 4 });
  expect((await cli('uploads', 'rerun', first.jobId)).stderr).toContain('uploads rerun expects ID and FILE');
});
