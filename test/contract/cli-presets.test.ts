/** Saved mappings of files on the command line, against a real service. */
import { writeFileSync } from 'node:fs';
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

test('a preset is saved, applies to the columns in another order, says what differs, and is removed', async () => {
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
  expect((await cli('presets', 'remove', 'Churn')).stdout).toContain('Removed the preset “Churn”.');
  expect(JSON.parse((await cli('presets', '--json')).stdout)).toMatchObject({ items: [] });
});
