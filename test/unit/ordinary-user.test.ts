/** The user as whom the package is started in the sandbox of Chromium when root runs the tests. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ordinaryUser } from '../../build/sandbox.ts';

test.skipIf(process.platform !== 'linux')(
  'an ordinary user is named only for a file that everybody can reach',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'spandeck-user-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'inner', 'program');
    mkdirSync(join(folder, 'inner'));
    writeFileSync(file, '');
    chmodSync(file, 0o755);
    expect(ordinaryUser(file)).toBeUndefined();
    expect(ordinaryUser('/bin/sh')).toEqual({ uid: expect.any(Number), gid: expect.any(Number) });
    expect(ordinaryUser('/bin/sh')?.uid).not.toBe(0);
  },
);
