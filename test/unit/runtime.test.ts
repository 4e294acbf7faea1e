/** The runtime that opens the window on this computer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findElectron, findRuntime, ROOT } from '../../build/runtime.ts';

function distribution(files: Record<string, string>) {
  const dist = mkdtempSync(join(tmpdir(), 'spandeck-electron-'));
  onTestFinished(() => rmSync(dist, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text);
  return { dist, env: { ELECTRON_OVERRIDE_DIST_PATH: dist } };
}
const EXECUTABLE = process.platform === 'win32' ? 'electron.exe' : 'electron';

test.skipIf(process.platform === 'darwin')('the distribution that the environment names is taken', () => {
  const { dist, env } = distribution({ version: 'v33.2.1\n', [EXECUTABLE]: '' });
  const expected = { name: 'Electron', dist, executable: join(dist, EXECUTABLE), version: '33.2.1' };
  expect(findElectron(env)).toEqual(expected);
  expect(findRuntime(env)).toEqual(expected);
});

test('a folder without Electron is reported, and nothing else is used instead', () => {
  const { dist, env } = distribution({});
  expect(findElectron(env)).toEqual({
    missing: expect.stringContaining(`Expected Electron's binary in ${dist}, found no version there.`),
  });
  expect(() => findRuntime(env)).toThrow('must name the folder of an unpacked Electron');
});

test('the Chromium host is not Electron', () => {
  const env = { ELECTRON_OVERRIDE_DIST_PATH: join(ROOT, 'build/chromium-host') };
  expect(findElectron(env)).toEqual({ missing: expect.stringContaining('is not Electron') });
  if (process.platform === 'linux') expect(findRuntime(env).name).toBe('Chromium host');
});
