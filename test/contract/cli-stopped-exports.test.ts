/** `export --resume` continues a stopped export only if the words and options of the command mean it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { parseArguments } from '../../electron/cli/arguments.ts';
import type { CommandContext } from '../../electron/cli/context.ts';
import { checkSameExport } from '../../electron/cli/stopped-export.ts';
import type { ExportJob, TableExportPlan } from '../../electron/shared/export-model.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-stopped-exports');
const DATASET = 'Claims triage, edge cases';
const ITEMS = ['export', 'datasets.items', DATASET];

/** Begins an export that the service stops. */
async function stopped(operation: OperationId, ...words: string[]): Promise<void> {
  rig.service.setFaults([{ match: { operation }, action: { type: 'status', status: 401 } }]);
  expect((await rig.run(...words)).code).not.toBe(0);
  rig.service.setFaults([]);
}

test('a stopped export is continued only by the words of its own list', async () => {
  const file = rig.file('rows.jsonl');
  const items = [...ITEMS, '--output', file];
  await stopped('datasets.items', ...items);
  for (const other of ['models', 'requests']) {
    const refused = await rig.run('export', other, '--output', file, '--resume');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      'is of another list: datasets.items Claims triage, edge cases. Nothing was',
    );
  }
  expect(await rig.run(...items, '--resume')).toMatchObject({ code: 0 });
});

test('an export that replaces a stopped one is not undone by a later --resume', async () => {
  const file = rig.file('rows.jsonl');
  await stopped('datasets.items', ...ITEMS, '--output', file);
  const models = ['export', 'models', '--output', file];
  expect(await rig.run(...models)).toMatchObject({ code: 0 });
  const written = readFileSync(file, 'utf8');
  expect(await rig.run(...models, '--resume')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toBe(written);
  expect(await rig.run(...ITEMS, '--output', file, '--resume')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toBe(written);
});

test('a stopped export is not continued by options that it was begun without', async () => {
  const file = rig.file('rows.jsonl');
  const chat = [...ITEMS, '--output', file, '--as', 'chat', '--prompt', 'inputs.question'];
  await stopped('datasets.items', ...chat);
  for (const [name, ...value] of [['sorted'], ['exact'], ['as', 'evals'], ['answer', 'outputs.answer']])
    expect(await rig.run(...ITEMS, '--output', file, `--${name}`, ...value, '--resume')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`The stopped export to this file was begun without this --${name}.`),
    });
  expect(await rig.run(...chat, '--resume')).toMatchObject({ code: 0 });
});

test('a stopped export of a time range is continued by its own range, or the same length up to now', async () => {
  const file = rig.file('spans.jsonl');
  const spans = (...range: string[]) => [
    ...['export', 'spans', '--application', 'Support assistant', '--output', file],
    ...range,
  ];
  await stopped('spans.query', ...spans('--since', '30d'));
  for (const range of [
    ['--since', '7d'],
    ['--start', '2026-05-01', '--end', '2026-05-02'],
  ])
    expect(await rig.run(...spans(...range), '--resume')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/is of another time range: .* to .*\. Nothing was written\. Continue it/),
    });
  expect(await rig.run(...spans('--since', '30d'), '--resume')).toMatchObject({ code: 0 });
});

test.each<[string[], TableExportPlan['table'], string | null]>([
  [['requests'], { form: 'requests', filter: {} }, null],
  [['requests'], { form: 'sql', sql: 'SELECT 1' }, 'is of another list: Rows. Nothing was written.'],
  [['models'], { form: 'requests', filter: {} }, 'is of another list: Rows. Nothing was written.'],
  [['requests', '--exact'], { form: 'requests', filter: {} }, 'was begun without this --exact.'],
  [[], { form: 'requests', filter: {} }, null],
])('the words %j continue a stopped export of the table %j: %s', async (words, table, refusal) => {
  const plan = { name: 'Rows', columns: null, format: 'csv', isExact: false, partitionBy: null, table };
  const args = parseArguments(['export', ...words, '--output', 'rows.csv', '--resume']);
  // The other parts of a context and of a job are not used.
  const context = { args, session: () => Promise.resolve({}) } as unknown as CommandContext;
  const checked = checkSameExport(
    context,
    { exportId: 'a', plan } as ExportJob,
    ['output', 'resume'],
    [...['output', 'resume', 'exact']],
  );
  if (refusal === null) await expect(checked).resolves.toBeUndefined();
  else await expect(checked).rejects.toThrow(refusal);
});
