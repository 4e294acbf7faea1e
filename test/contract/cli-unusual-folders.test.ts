/** Folders in which nothing can be created, or that are full: each command ends with a message. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';
import { runCli } from '../helpers/run-cli.ts';

/** On Linux, a folder that no process can create: the system reports ENOENT instead of EACCES. */
const IMPOSSIBLE = '/proc/spandeck';
const IS_LINUX = existsSync('/proc/self/status');

let rig: LaterRig;
beforeAll(async () => {
  rig = await LaterRig.start();
  await rig.here(['ls', 'datasets']);
});
afterAll(async () => {
  await rig.end();
});

describe.skipIf(!IS_LINUX)('below /proc', () => {
  test('a cache of compiled code is left out', async () => {
    rig.env['XDG_CACHE_HOME'] = IMPOSSIBLE;
    const { code, stdout } = await rig.text(['help']);
    delete rig.env['XDG_CACHE_HOME'];
    expect(code).toBe(0);
    expect(stdout).toContain('spandeck');
  });

  test('a mirror and a data folder are refused with what to do', async () => {
    const mirror = await rig.cli(['mirror', IMPOSSIBLE]);
    expect(mirror.stderr).toContain('Expected a folder that can be written to. Choose another folder.');
    expect(mirror.code).toBe(2);
    const data = await runCli(['ls', 'datasets', '--offline'], { dataDir: IMPOSSIBLE });
    expect(data.stderr).toContain(`${IMPOSSIBLE} could not be made (ENOENT)`);
  });
});

test.skipIf(!existsSync('/dev/full'))('a full disk is named with the file that has no room', async () => {
  const { stderr } = await rig.cli(['ls', 'datasets', '--to-file', '/dev/full']);
  expect(stderr).toContain('The disk has no room for full. Free some space, or choose another disk');
  expect(existsSync(join(rig.folder.path, 'full'))).toBe(false);
});
