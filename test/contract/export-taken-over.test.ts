/** An export whose process was suspended, so that another process has taken it over. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { exportShape } from '../../electron/export/stored-export.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { ExportRig, exportOf, valuesOf } from '../helpers/export-rig.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

test('the file and its part are those of the other process, and neither is replaced or removed', async () => {
  await using server = await ScriptedServer.start((request, response) =>
    sendPage(response, [{ value: 'a' }, { value: 'b' }], request),
  );
  using folder = new DataFolder();
  await using rig = new ExportRig(server.baseUrl, { folder });
  const file = folder.file('values.csv');
  const { leases } = rig.library.store.jobsOf(exportShape).jobs;
  let part = '';
  rig.onWrite = () => {
    const { exportId = '' } = rig.exports.list()[0] ?? {};
    part = `${file}.${exportId.slice(0, 8)}.0123abcd.part`;
    const lease = { owner: 'another process', processId: process.ppid, atMs: Date.now() };
    leases.take(exportId, lease, () => true);
    writeFileSync(file, 'by the other');
    // The export may be stopped before it has a part of its own.
    writeFileSync(part, 'by the other');
  };
  await rig.exported(exportOf({ query: valuesOf('one') }), file);
  expect(readFileSync(file, 'utf8')).toBe('by the other');
  expect(existsSync(part)).toBe(true);
  expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([basename(part)]);
});

test('each attempt writes a part of its own, because a suspended process may still write to an earlier one', async () => {
  await using server = await ScriptedServer.start((request, response) =>
    sendPage(response, [{ value: 'a' }], request),
  );
  using folder = new DataFolder();
  const parts: string[] = [];
  await using rig = new ExportRig(server.baseUrl, { folder });
  const file = folder.file('values.csv');
  rig.onWrite = (part) => {
    parts.push(part);
    if (parts.length === 1) throw new Error('The disk was removed.');
  };
  const { exportId } = await rig.exported(exportOf({ query: valuesOf('one') }), file);
  rig.exports.control(exportId, 'resume');
  expect(await rig.exports.whenIdle(exportId)).toMatchObject({ state: 'done' });
  expect([parts.length, new Set(parts).size]).toEqual([2, 2]);
  expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([]);
});

test('the reason of a failure is shown, although it cannot be read who holds the claim', async () => {
  await using server = await ScriptedServer.start((request, response) =>
    sendPage(response, [{ value: 'a' }], request),
  );
  using folder = new DataFolder();
  await using rig = new ExportRig(server.baseUrl, { folder });
  rig.onWrite = () => {
    const db = new BetterSqlite(folder.file('library.db'));
    db.exec('ALTER TABLE job RENAME TO job_away');
    db.close();
    throw new Error('The disk was removed.');
  };
  await rig.exported(exportOf({ query: valuesOf('one') }), folder.file('values.csv')).catch(() => undefined);
  expect(rig.heard.at(-1)?.error?.message).toContain('The disk was removed.');
});
