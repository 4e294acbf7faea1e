/** The default data folder. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileCacheDir, defaultDataDir } from '../../electron/platform/paths.ts';

test('each system has its place; on Windows it is not part of a roaming profile', () => {
  const env = { APPDATA: '/roaming', LOCALAPPDATA: '/local', XDG_CONFIG_HOME: '/config' };
  expect(defaultDataDir('win32', env)).toBe(join('/local', 'Spandeck'));
  expect(defaultDataDir('win32', {})).toBe(join(homedir(), 'AppData', 'Local', 'Spandeck'));
  expect(defaultDataDir('darwin', env)).toBe(join(homedir(), 'Library', 'Application Support', 'Spandeck'));
  expect(defaultDataDir('linux', env)).toBe(join('/config', 'Spandeck'));
  // The cache is a separate folder, as the compiled code in it may be deleted.
  expect(compileCacheDir('win32', env)).toBe(join('/local', 'Spandeck', 'Cache', 'compiled'));
});
