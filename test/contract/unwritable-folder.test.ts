/** A data folder on a full or read-only disk: stored data is read from a copy, and nothing is changed or sent. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dataToRead, usableData } from '../../electron/platform/data-copy.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { canBeBound, runBound } from '../helpers/bound-by-permissions.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { engineRig } from '../helpers/engine-rig.ts';

const currentRig = engineRig();
const filesIn = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

test('a writable folder is used itself, and nothing is left in it', async () => {
  const rig = currentRig();
  await rig.readOnce();
  const before = filesIn(rig.folder.path);
  expect(usableData(rig.paths)).toEqual({ paths: rig.paths, copyNotice: null });
  expect(filesIn(rig.folder.path)).toEqual(before);
});

test('an empty folder is not copied: the write failure is reported when it is created', () => {
  using empty = new DataFolder();
  const paths = dataPaths(empty.path);
  expect(usableData(paths, [empty.path], () => 'EROFS')).toEqual({ paths, copyNotice: null });
});

test.for([
  ['ENOSPC', /is full\. Stored data can be read.* Free some space/],
  ['EROFS', /cannot be written \(EROFS\)\. Stored data can be read.* --data-dir/],
] as const)('%s: stored data is shown, nothing is requested or stored', async ([code, said]) => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  rig.logger.flushSync();
  mkdirSync(join(rig.folder.path, 'engine'), { recursive: true });
  writeFileSync(join(rig.folder.path, 'engine', 'large'), 'x');
  const before = filesIn(rig.folder.path);
  using place = new DataFolder();
  const usable = usableData(rig.paths, [join(place.path, 'missing'), place.path], () => code);
  expect(usable.copyNotice).toMatch(said);
  expect(existsSync(usable.paths.engineDir)).toBe(false);

  const asked = rig.server.received.length;
  Object.assign(rig, usable);
  const engine = rig.start();
  expect(engine.notice).toBe(usable.copyNotice);
  // A command that changes something ends with this error.
  expect(engine.copyNotice).toBe(usable.copyNotice);
  // The connection was not activated in the window, as one that the command line created. It is opened nevertheless.
  const listed = { activeId: id, connections: [{ id, isReadOnly: true }] };
  expect(engine.connections.list()).toMatchObject(listed);
  expect(await rig.read(id, 'always')).toMatchObject({ storedRows: 1 });
  const { client } = await engine.session(id);
  const change = client.call(
    'projects.create',
    { body: { name: 'x' } },
    { priority: 'click', group: 'test' },
  );
  await expect(change).rejects.toMatchObject({ code: 'READ_ONLY' });
  await expect(engine.setOffline(false)).rejects.toThrow(usable.copyNotice ?? '');
  expect(rig.server.received.length).toBe(asked);
  expect(filesIn(rig.folder.path)).toEqual(before);
});

test('if no folder has room for a copy, the message states the required space and what to do', async () => {
  const rig = currentRig();
  await rig.readOnce();
  const tried = () => usableData(rig.paths, [join(rig.folder.path, 'none')], () => 'ENOSPC');
  expect(tried).toThrow(/a copy of \d+ MB would be needed.* Free some space/);
});

test('for a process that only reads, nothing but the log lies elsewhere, and without a place for it nothing is read', async () => {
  const rig = currentRig();
  await rig.readOnce();
  expect(dataToRead(rig.paths)).toEqual({ paths: rig.paths, logNotice: null });
  using place = new DataFolder();
  const before = filesIn(rig.folder.path);
  const { paths, logNotice } = dataToRead(
    rig.paths,
    [join(place.path, 'missing'), place.path],
    () => 'EROFS',
  );
  const { logsDir, agentsLog } = paths;
  expect(paths).toEqual({ ...rig.paths, logsDir, agentsLog });
  expect(logsDir.startsWith(place.path) && agentsLog.startsWith(logsDir)).toBe(true);
  expect(logNotice).toMatch(/cannot be written \(EROFS\)\. The log .* is deleted when this process ends/);
  expect(filesIn(rig.folder.path)).toEqual(before);
  const nowhere = () => dataToRead(rig.paths, [join(place.path, 'missing')], () => 'EROFS');
  expect(nowhere).toThrow(/nothing is read without a log\. Allow your user to write/);
});

test('the copy of a killed process is removed, one of a running process stays', async () => {
  const rig = currentRig();
  await rig.readOnce();
  using place = new DataFolder();
  const names = ['spandeck-copy-999999999-a', `spandeck-copy-${process.pid}-b`, 'spandeck-other'];
  for (const name of names) mkdirSync(join(place.path, name));
  usableData(rig.paths, [place.path], () => 'EROFS');
  expect(readdirSync(place.path)).toEqual(expect.arrayContaining(names.slice(1)));
  expect(readdirSync(place.path)).not.toContain(names[0]);
});

test.skipIf(!canBeBound)(
  'a command that changes settings in a read-only folder fails with what to do, and changes nothing',
  async () => {
    const own = mkdtempSync('/tmp/spandeck-test-read-only-');
    onTestFinished(() => {
      chmodSync(own, 0o700);
      rmSync(own, { recursive: true });
    });
    const settings = (...args: string[]) =>
      runBound(process.execPath, [resolve('dist/cli.js'), 'settings', ...args, '--data-dir', own], {
        ...{ PATH: process.env['PATH'], TMPDIR: '/tmp', HOME: own },
      });
    expect(settings('set', 'pageRows', '100').status).toBe(0);
    chmodSync(own, 0o500);
    const set = settings('set', 'pageRows', '200');
    expect(set.status).toBe(1);
    expect(set.stderr).toMatch(
      /^error STORE_FAILED: The data folder .+ cannot be written .+ Allow your user/m,
    );
    expect(settings('get', 'pageRows').stdout).toContain('100');
  },
);
