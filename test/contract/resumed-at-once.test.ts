/** Exports and mirrors that a person pauses and resumes before the process that writes the file has ended. */
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { ExportRig, exportOf, valuesOf } from '../helpers/export-rig.ts';
import { MirrorRig } from '../helpers/mirror-rig.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

test('an export that is paused and resumed at once while it is written is written to its end', async () => {
  await using server = await ScriptedServer.start((request, response) =>
    sendPage(response, [{ value: 'a' }, { value: 'b' }], request),
  );
  await using rig = new ExportRig(server.baseUrl, { folder });
  rig.onWrite = () => {
    rig.onWrite = () => undefined;
    const exportId = rig.exports.list()[0]?.exportId ?? '';
    rig.exports.control(exportId, 'pause');
    rig.exports.control(exportId, 'resume');
  };
  const job = await rig.exported(exportOf({ query: valuesOf('one') }), folder.file('values.csv'));
  expect(job).toMatchObject({ state: 'done', error: null, rows: 2 });
  expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([]);
});

test('a mirror that is paused and resumed at once while it is written is written to its end', async () => {
  await using rig = new MirrorRig(folder);
  rig.read({ operation: 'datasets.list', path: {}, query: {} }, [['a', { id: 'a', name: 'One' }]]);
  rig.onTable = () => {
    rig.onTable = () => undefined;
    const mirrorId = rig.mirrors.list()[0]?.mirrorId ?? '';
    rig.mirrors.control(mirrorId, 'pause');
    rig.mirrors.control(mirrorId, 'resume');
  };
  const job = await rig.write(folder.file('mirror'));
  expect(job).toMatchObject({ state: 'done', error: null, result: { rows: 1 } });
});
