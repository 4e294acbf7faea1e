/** How the application is integrated into the desktop of each platform. */
import { expect, test } from 'vitest';
import {
  childEnvironment,
  hasTrayPlace,
  introduceToDesktop,
  startedProgram,
  windowIcon,
} from '../../electron/platform/desktop.ts';

function introduced(platform: NodeJS.Platform, isPackaged = true) {
  const calls: unknown[] = [];
  const app = {
    setAppUserModelId: (id: string) => calls.push(['id', id]),
    setAsDefaultProtocolClient: (...given: unknown[]) => calls.push(given),
  };
  introduceToDesktop({ app }, { platform, program: 'C:\\Spandeck.exe', isPackaged });
  return calls;
}

test('Windows gets the package name and the link handler from the application; elsewhere the package declares them', () => {
  expect(introduced('win32')).toEqual([
    ['id', 'invalid.spandeck'],
    ['spandeck', 'C:\\Spandeck.exe', []],
  ]);
  expect(introduced('win32', false)).toEqual([['id', 'invalid.spandeck']]);
  expect(introduced('darwin')).toEqual([]);
  expect(introduced('linux')).toEqual([]);
  introduceToDesktop({ app: {} }, { platform: 'win32', program: '', isPackaged: true });
});

test('the portable build is started by its own file, not by the copy in the temporary folder', () => {
  const portable = { PORTABLE_EXECUTABLE_FILE: 'D:\\Spandeck-portable.exe' };
  expect(startedProgram('win32', 'C:\\Temp\\x\\Spandeck.exe', portable)).toBe('D:\\Spandeck-portable.exe');
  expect(startedProgram('win32', 'C:\\Spandeck.exe', {})).toBe('C:\\Spandeck.exe');
  expect(startedProgram('linux', '/opt/spandeck', portable)).toBe('/opt/spandeck');
});

test('a utility process gets the variables that Windows needs, in any letter case, and none elsewhere', () => {
  const environment = {
    ...{ SystemRoot: 'C:\\Windows', windir: 'C:\\Windows', Path: 'C:\\bin', TEMP: 'C:\\T', TMP: 'C:\\T' },
    ...{
      SPANDECK_TOKEN: 'secret',
      USERPROFILE: 'C:\\Users\\me',
      NODE_OPTIONS: '--inspect',
      tmpdir: undefined,
    },
  };
  expect(childEnvironment('win32', environment)).toEqual({
    ...{ SystemRoot: 'C:\\Windows', windir: 'C:\\Windows', Path: 'C:\\bin', TEMP: 'C:\\T', TMP: 'C:\\T' },
  });
  expect(childEnvironment('linux', environment)).toEqual({});
  expect(childEnvironment('darwin', environment)).toEqual({});
});

test.each([
  ['linux', 'GNOME', false],
  ['linux', 'GNOME-Classic:GNOME', false],
  ['linux', 'ubuntu:GNOME', true],
  ['linux', 'KDE', true],
  ['linux', undefined, true],
  ['win32', undefined, true],
  ['darwin', undefined, true],
] as const)(
  'on %s with the desktop %s a hidden window can be found again: %s',
  (platform, desktop, expected) => {
    expect(hasTrayPlace(platform, { XDG_CURRENT_DESKTOP: desktop })).toBe(expected);
  },
);

test('the window on Linux has its own icon, which the bundle places beside main', () => {
  expect(windowIcon('linux', '/app/dist')).toEqual({ icon: '/app/dist/icon.png' });
  expect(windowIcon('darwin', '/app/dist')).toEqual({});
  expect(windowIcon('win32', 'C:\\app')).toEqual({});
});
