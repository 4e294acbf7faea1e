/** Rows that were sent before are named, and sent again only if the user agrees. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';

const cli = cliRig('cli-again');
const run = (...args: string[]) => cli.run(...args, '--json');
const published = () => cli.service.report().operations['events.publish']?.requests ?? 0;
const DATASET = 'Escalations, to be collected';

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(cli.file(name), content);
  return cli.file(name);
}
const upload = (file: string, ...flags: string[]) => run('upload', file, '--model', 'Bank churn', ...flags);

test('the same rows are named and not sent again without --again, whatever the name of the file', async () => {
  const file = write('churn.csv', churnCsv(30));
  expect((await upload(file)).code).toBe(0);
  const requests = published();

  const twice = await upload(file);
  expect(twice.code).toBe(5);
  expect(twice.stderr).toMatch(
    /These 30 rows were sent to Bank churn \/ PRODUCTION on \d+ \w+ \d{4} \d\d:\d\d from churn\.csv: 30 acknowledged\. Nothing was sent\./,
  );
  expect(twice.stderr).toContain('--again');
  // The rows are the same, although the file is renamed or compressed, or read or planned differently.
  copyFileSync(file, cli.file('renamed.csv'));
  expect((await upload(cli.file('renamed.csv'))).code).toBe(5);
  expect((await upload(write('packed.csv.gz', gzipSync(churnCsv(30))), '--batch-rows', '7')).code).toBe(5);
  expect((await upload(file, '--start-at', '2099-01-01 00:00')).code).toBe(5);
  const [job] = JSON.parse((await run('uploads')).stdout).items;
  expect((await run('uploads', 'rerun', job.id, file)).code).toBe(5);
  expect(published()).toBe(requests);

  const dry = JSON.parse((await upload(file, '--dry-run')).stdout);
  expect(dry.sentBefore).toMatchObject([
    { fileName: 'churn.csv', rows: 30, acknowledged: 30, deleted: 0, isOpen: false },
  ]);
  // Other rows do not count as sent before.
  expect((await upload(write('other.csv', churnCsv(31)))).code).toBe(0);
  expect((await upload(file, '--again')).code).toBe(0);
  expect((await run('uploads', 'rerun', job.id, file, '--again')).code).toBe(0);
  expect(published()).toBe(requests + 3);
});

test('an undone upload is reported as undone, and causes no question', async () => {
  const file = write('churn.csv', churnCsv(12));
  expect((await upload(file)).code).toBe(0);
  expect((await run('uploads', 'undo', '--yes')).code).toBe(0);
  const again = await upload(file);
  expect(again.stderr).toContain('12 acknowledged, 12 deleted since.');
  expect(again.code).toBe(0);
});

test('repeated event ids in a file are named with their lines, over the whole file', async () => {
  const head =
    'transaction_id,processed_at,amount,merchant_category,is_online,hour_of_day,fraud_score,is_fraud';
  const row = (id: string) => `${id},2026-03-01 10:00:00,10,grocery,true,1,0.1,false`;
  const ids = Array.from({ length: 3_000 }, (_, at) => (at === 2_990 ? 'T5' : `T${at}`));
  const file = write('dups.csv', [head, ...ids.map(row), row('T7')].join('\n'));
  const said =
    'have an event id that occurs in an earlier row of this file: “T5” (again in line 2,992), “T7” (again in line 3,002).';
  const dry = JSON.parse((await run('upload', file, '--model', 'Card fraud', '--dry-run')).stdout);
  expect(dry.notes).toContain(`2 rows ${said}`);
  expect((await run('upload', file, '--model', 'Card fraud')).stderr).toContain(said);
});

test('a file of items is added to a dataset twice only with --again', async () => {
  const file = write('q.csv', 'question,answer\nWhen?,Now\nWhy?,So\n');
  expect((await run('items', 'add', DATASET, file)).code).toBe(0);
  copyFileSync(file, cli.file('renamed.csv'));
  const twice = await run('items', 'add', DATASET, cli.file('renamed.csv'), '--map', 'answer=-');
  expect(twice.code).toBe(5);
  expect(twice.stderr).toContain(`These 2 rows were added to ${DATASET} on `);
  expect(JSON.parse((await run('items', 'add', DATASET, file, '--dry-run')).stdout).addedBefore).toHaveLength(
    1,
  );
  expect(JSON.parse((await run('items', DATASET)).stdout).items).toHaveLength(2);
  expect((await run('items', 'add', DATASET, file, '--again')).code).toBe(0);
  expect(JSON.parse((await run('items', DATASET)).stdout).items).toHaveLength(4);
});
