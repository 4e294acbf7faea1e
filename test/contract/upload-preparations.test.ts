/** Files in preparation are restored after the program has ended in any way. */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobSource } from '../../electron/jobs/source.ts';
import type { UploadChoices } from '../../electron/shared/upload-preparation.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';
import { zipFile } from '../helpers/zip-file.ts';

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

const choices = (changes: Partial<UploadChoices> = {}): UploadChoices => ({
  step: 'mapping',
  dialect: { delimiter: ';' },
  model: { id: '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c11', name: 'Bank churn' },
  envType: 'PRODUCTION',
  envName: 'half ty',
  mode: 'publish',
  batchRows: 250,
  onBadRow: 'skip',
  edits: { age: { target: 'Age' }, note: { target: null, type: 'str' } },
  isRecalled: false,
  startsAt: null,
  dryRunId: null,
  ...changes,
});

async function offer(name = 'churn.csv', content = churnCsv(30)) {
  const [file] = await rig.files.offer([rig.write(name, content)]);
  if (file === undefined) throw new Error('Nothing was offered.');
  return file;
}

/** The state at the next start, if the first process was killed. */
async function afterKill(look: (next: UploadRig) => Promise<void>): Promise<void> {
  const next = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, folder: rig.folder });
  try {
    await look(next);
  } finally {
    await next[Symbol.asyncDispose]();
  }
}

test('choices are there after a kill, and the file can be read by the same id', async () => {
  const file = await offer();
  rig.uploads.preparations.keep('p1', file.fileId, choices());
  rig.uploads.preparations.keep('p1', file.fileId, choices({ step: 'send', batchRows: null }));
  await afterKill(async (next) => {
    expect(await next.uploads.preparations.list()).toEqual([
      {
        preparationId: 'p1',
        file,
        changedFrom: null,
        choices: choices({ step: 'send', batchRows: null }),
        check: null,
        changedAtMs: expect.any(Number),
      },
    ]);
    expect((await next.uploads.inspect(file.fileId, null)).columns).not.toEqual([]);
  });
});

test('a file that was stored in its check comes back to its columns and rows', async () => {
  const file = await offer();
  const before: unknown = { ...choices(), step: 'check' };
  rig.uploads.preparations.keep('p1', file.fileId, before as UploadChoices);
  await afterKill(async (next) => {
    expect((await next.uploads.preparations.list()).map(({ choices: of }) => of)).toEqual([choices()]);
  });
});

test('a file sent raw removes its preparation; a rejected one stays prepared', async () => {
  const file = await offer();
  const choice = choices({ step: 'send', sendAs: 'whole', publishes: false });
  rig.uploads.preparations.keep('p1', file.fileId, choice);
  const source = rig.uploads.sources.find(({ kind }) => kind === 'file') as JobSource<'file'> | undefined;
  const target = { modelId: null, envType: 'PRODUCTION', envName: null };
  const plan = { fileId: file.fileId, preparationId: 'p1', ...target };
  await expect(source?.create?.({ ...plan, publishes: true }, null)).rejects.toThrow('Expected a model');
  expect((await rig.uploads.preparations.list()).map((each) => each.choices)).toEqual([choice]);
  await source?.create?.({ ...plan, publishes: false }, null);
  // Later writes of the window do not restore it.
  rig.uploads.preparations.keep('p1', file.fileId, choice);
  await afterKill(async (next) => {
    expect(await next.uploads.preparations.list()).toEqual([]);
    expect(next.uploads.wholeFiles.list().map(({ name }) => name)).toEqual(['churn.csv']);
  });
});

test('a file in an archive is not sent raw', async () => {
  const [member] = await rig.files.offer([rig.write('march.zip', zipFile({ 'churn.csv': churnCsv(3) }))]);
  const look = rig.uploads.wholeFiles.look(member?.fileId ?? '');
  await expect(look).rejects.toThrow('Unpack it first, or send it row by row.');
});

test('a file of a dropped folder keeps the name of the folder', async () => {
  mkdirSync(rig.path('march/deep'), { recursive: true });
  rig.write('march/deep/churn.csv', churnCsv(30));
  const [file] = await rig.files.offer([rig.path('march')]);
  if (file === undefined) throw new Error('Nothing was offered.');
  expect(file.name).toBe('march/deep/churn.csv');
  rig.uploads.preparations.keep('p1', file.fileId, choices());
  await afterKill(async (next) => {
    const [back] = await next.uploads.preparations.list();
    expect(back?.file).toMatchObject({ name: 'march/deep/churn.csv', error: null });
  });
});

test('a file that is deleted, or was changed meanwhile, is reported and stays in the list', async () => {
  const [gone, changed] = [await offer('gone.csv'), await offer('changed.csv')];
  rig.uploads.preparations.keep('gone', gone.fileId, choices());
  rig.uploads.preparations.keep('changed', changed.fileId, choices());
  renameSync(rig.path('gone.csv'), rig.path('elsewhere.csv'));
  writeFileSync(rig.path('changed.csv'), churnCsv(31));
  await afterKill(async (next) => {
    const [first, second] = await next.uploads.preparations.list();
    expect(first).toMatchObject({
      file: { name: 'gone.csv', sizeBytes: gone.sizeBytes, error: { code: 'FILE_NOT_FOUND' } },
      choices: choices(),
    });
    expect(second).toMatchObject({
      file: { error: null },
      changedFrom: { sizeBytes: changed.sizeBytes },
      choices: choices(),
    });
    // Work continues without the missing file, whose facts stay known. When the file is back, it can be read.
    next.uploads.preparations.keep('gone', gone.fileId, choices({ envName: 'typed later' }));
    renameSync(rig.path('elsewhere.csv'), rig.path('gone.csv'));
    const again = await next.uploads.preparations.list();
    expect(again[0]).toMatchObject({
      file: { error: null },
      changedFrom: null,
      choices: { envName: 'typed later' },
    });
  });
});

test('a finished check is restored with it, unless the file is another one', async () => {
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(30)), 'Bank churn');
  const { dryRunId } = await rig.uploads.startDryRun(plan);
  await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
  rig.uploads.preparations.keep('p1', plan.fileId, choices({ dryRunId }));
  await afterKill(async (next) => {
    const [back] = await next.uploads.preparations.list();
    expect(back?.check).toMatchObject({ dryRun: { dryRunId, phase: 'done', rows: 30 }, plan });
    writeFileSync(rig.path('churn.csv'), churnCsv(31));
    const [changed] = await next.uploads.preparations.list();
    expect(changed?.check).toBeNull();
  });
});

test('a preparation that was sent or discarded is not restored by later writes of the window', async () => {
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(30)), 'Bank churn');
  rig.uploads.preparations.keep('sent', plan.fileId, choices());
  const other = await offer('other.csv');
  rig.uploads.preparations.keep('discarded', other.fileId, choices());
  await rig.uploads.createJob(plan, false, null, 'sent');
  rig.uploads.preparations.end('discarded');
  rig.uploads.preparations.keep('sent', plan.fileId, choices());
  rig.uploads.preparations.keep('discarded', other.fileId, choices());
  expect(await rig.uploads.preparations.list()).toEqual([]);
  expect(rig.uploads.listJobs()).toHaveLength(1);
  // A preparation that the user restores exists again, and can end like any other.
  rig.uploads.preparations.keep('discarded', other.fileId, choices(), true);
  expect(await rig.uploads.preparations.list()).toMatchObject([{ preparationId: 'discarded' }]);
  rig.uploads.preparations.end('discarded');
  rig.uploads.preparations.keep('discarded', other.fileId, choices());
  expect(await rig.uploads.preparations.list()).toEqual([]);
});

test('only unreadable choices are lost', async () => {
  const [damaged, whole] = [await offer('damaged.csv'), await offer('whole.csv')];
  rig.uploads.preparations.keep('damaged', damaged.fileId, choices());
  rig.uploads.preparations.keep('whole', whole.fileId, choices());
  const db = new BetterSqlite(rig.path('uploads.db'));
  db.prepare(`UPDATE preparation SET choices_json = '{"step":7}' WHERE preparation_id = 'damaged'`).run();
  db.close();
  expect(await rig.uploads.preparations.list()).toMatchObject([
    { file: { name: 'damaged.csv' }, choices: null },
    { file: { name: 'whole.csv' }, choices: choices() },
  ]);
});

test('reads the choice of a raw file stored under the former name of the setting', async () => {
  const { fileId } = await offer('raw.csv');
  rig.uploads.preparations.keep('raw', fileId, choices());
  const db = new BetterSqlite(rig.path('uploads.db'));
  db.prepare(`UPDATE preparation SET choices_json = json_set(choices_json, '$.way', 'whole')`).run();
  db.close();
  expect(await rig.uploads.preparations.list()).toMatchObject([{ choices: { sendAs: 'whole' } }]);
});

test('a finished check of a compressed file is found again', async () => {
  const path = rig.write('churn.csv.gz', gzipSync(churnCsv(30)));
  const plan = await rig.plan(path, 'Bank churn');
  const { dryRunId } = await rig.uploads.startDryRun(plan);
  await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
  rig.uploads.preparations.keep('p1', plan.fileId, choices({ dryRunId }));
  await afterKill(async (next) => {
    const [found] = await next.uploads.preparations.list();
    expect(found).toMatchObject({ file: { packed: 'gzip', error: null }, changedFrom: null });
    expect(found?.check?.dryRun).toMatchObject({ rows: 30, badRows: 0 });
  });
});

test('a check of a copy that an earlier version read otherwise is not restored', async () => {
  const path = rig.write('churn.csv.gz', gzipSync(churnCsv(30)));
  const plan = await rig.plan(path, 'Bank churn');
  const { dryRunId } = await rig.uploads.startDryRun(plan);
  await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
  rig.uploads.preparations.keep('p1', plan.fileId, choices({ dryRunId }));
  const { path: copy } = await rig.files.readable(plan.fileId, plan.dialect);
  const { sizeBytes, mtimeMs } = rig.files.stateOf(plan.fileId) ?? {};
  // The name of copies made by the second read.
  const key = createHash('sha256').update(JSON.stringify([path, null, sizeBytes, mtimeMs, null, 2]));
  const home = dirname(dirname(copy));
  const earlier = join(dirname(home), key.digest('hex').slice(0, 32));
  renameSync(home, earlier);
  const db = new BetterSqlite(rig.path('uploads.db'));
  db.prepare('UPDATE scan SET path = ?').run(join(earlier, relative(home, copy)));
  db.close();
  await afterKill(async (next) => {
    const [found] = await next.uploads.preparations.list();
    expect(found).toMatchObject({ file: { packed: 'gzip', error: null }, check: null });
  });
});
