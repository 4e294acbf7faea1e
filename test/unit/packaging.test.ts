/** Contents of a package besides the application: icons, the menu entry, and files that may remain after removal. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configuration } from '../../build/packaging/builder-config.ts';
import { traces } from '../../build/packaging/check-deb.ts';
import { icnsOf, icoOf } from '../../build/packaging/icon-files.ts';
import { ICON_SIZES, ICONS, SOURCE_HASH } from '../../build/packaging/icon-set.ts';
import { introduceToDesktop } from '../../electron/platform/desktop.ts';
import { importsOf } from '../helpers/module-graph.ts';

const LINUX = resolve(import.meta.dirname, '../../build/packaging/linux');
const icon = (size: number): Buffer => readFileSync(join(ICONS, `${size}x${size}.png`));

describe('icons of the app', () => {
  test('are generated from the current drawing', () => {
    const drawing = createHash('sha256')
      .update(readFileSync(join(ICONS, 'icon.svg')))
      .digest('hex');
    expect(readFileSync(SOURCE_HASH, 'utf8').trim()).toBe(drawing);
  });

  test.each(ICON_SIZES)('%i pixels wide and high', (size) => {
    expect([icon(size).readUInt32BE(16), icon(size).readUInt32BE(20)]).toEqual([size, size]);
  });

  test('of Windows and macOS contain the same images', () => {
    const drawn = new Map(ICON_SIZES.map((size) => [size, icon(size)]));
    expect(readFileSync(join(ICONS, 'icon.ico'))).toEqual(icoOf(drawn));
    expect(readFileSync(join(ICONS, 'icon.icns'))).toEqual(icnsOf(drawn));
  });

  test('in an .ico start at the offsets of their entries', () => {
    const ico = readFileSync(join(ICONS, 'icon.ico'));
    for (let entry = 0; entry < ico.readUInt16LE(4); entry += 1) {
      const at = ico.readUInt32LE(6 + 16 * entry + 12);
      expect(ico.toString('latin1', at + 1, at + 4)).toBe('PNG');
    }
  });
});

describe('the menu entry', () => {
  const desktop = readFileSync(join(LINUX, 'spandeck.desktop'), 'utf8');
  const mimeTypes = /^MimeType=(.*);$/m.exec(desktop)?.[1]?.split(';') ?? [];

  test('declares the links and files that the other platforms declare', () => {
    const { protocols, linux } = configuration(
      { name: 'Electron', dist: '', executable: '', version: '45.0.0' },
      {},
    );
    expect(mimeTypes.filter((type) => type.startsWith('x-scheme-handler/'))).toEqual(
      [protocols].flat().flatMap((row) => (row?.schemes ?? []).map((scheme) => `x-scheme-handler/${scheme}`)),
    );
    const extensions = [linux?.fileAssociations].flat().map((row) => row?.ext);
    expect(extensions).toEqual(['csv', 'jsonl', 'ndjson', 'parquet']);
    expect(mimeTypes.slice(0, 3)).toEqual([
      'text/csv',
      'application/jsonl',
      'application/vnd.apache.parquet',
    ]);
  });

  test('passes them to the window', () => {
    expect(desktop).toContain('\nExec=/opt/Spandeck/spandeck %U\n');
  });

  test('includes types that systems may not know', () => {
    const known = readFileSync(join(LINUX, 'spandeck.mime.xml'), 'utf8');
    for (const type of ['application/jsonl', 'application/vnd.apache.parquet'])
      expect(known).toContain(`type="${type}"`);
  });
});

describe('packages of each platform', () => {
  const runtime = { name: 'Electron', dist: '', executable: '', version: '45.0.0' } as const;
  const nsh = readFileSync(join(LINUX, '../windows/installer.nsh'), 'utf8');
  const extensionsOf = (rows: ReturnType<typeof configuration>['fileAssociations']) =>
    [rows].flat().flatMap((row) => row?.ext ?? []);

  test('the package has the name and the links that the application registers with Windows', () => {
    const registered: unknown[] = [];
    const app = {
      setAppUserModelId: (id: string) => registered.push(id),
      setAsDefaultProtocolClient: (scheme: string) => registered.push(scheme),
    };
    introduceToDesktop({ app }, { platform: 'win32', program: '', isPackaged: true });
    const { appId, protocols } = configuration(runtime, {});
    expect(registered).toEqual([appId, ...[protocols].flat().flatMap((row) => row?.schemes ?? [])]);
  });

  test('no package checks for updates', () => {
    expect(
      configuration(runtime, { SPANDECK_UPDATE_FEED: 'https://updates.example.com' }).publish,
    ).toBeNull();
  });

  test('Windows offers Spandeck for files and keeps their default program', () => {
    const { fileAssociations, win, nsis, mac } = configuration(runtime, {});
    expect([fileAssociations, win?.fileAssociations]).toEqual([undefined, undefined]);
    expect(nsis?.include).toMatch(/installer\.nsh$/);
    expect(nsh).not.toMatch(/WriteRegStr SHELL_CONTEXT "Software\\Classes\\\./);
    for (const kind of ['spandeckOpenWith', 'spandeckForget']) {
      const named = [...nsh.matchAll(new RegExp(`insertmacro ${kind} "(\\w+)"`, 'g'))].map(([, ext]) => ext);
      expect(named).toEqual(extensionsOf(mac?.fileAssociations));
    }
  });

  test('the uninstaller on Windows removes everything that the installer writes', () => {
    const [install = '', uninstall = ''] = nsh.split('!macro customUnInstall');
    const classes = [...install.matchAll(/WriteRegStr SHELL_CONTEXT "Software\\Classes\\([^"\\]+)/g)];
    expect(classes.length).toBeGreaterThan(0);
    for (const [, name] of classes)
      expect(uninstall).toContain(`DeleteRegKey SHELL_CONTEXT "Software\\Classes\\${name}"`);
    expect(uninstall).toContain('DeleteRegKey HKCU "Software\\Classes\\spandeck"');
  });

  test('an unsigned macOS build gets an ad-hoc signature after its fuses are flipped', () => {
    const unsigned = configuration(runtime, {});
    expect(unsigned.electronFuses?.resetAdHocDarwinSignature).toBe(true);
    expect(unsigned.mac).toMatchObject({ identity: '-', hardenedRuntime: false });
    const signed = configuration(runtime, { CSC_LINK: 'certificate.p12' });
    expect(signed.mac?.identity).toBeUndefined();
    expect(signed.mac?.hardenedRuntime).toBe(true);
  });
});

describe('the command line on the Node of the user', () => {
  const START = resolve(LINUX, '../start-cli.cjs');
  const lowest = /"node": ">=(\d+)\.(\d+)"/.exec(readFileSync('package.json', 'utf8')) ?? [];
  const [major, minor] = lowest.slice(1).map(Number);
  const startOn = (version: string) => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require(${JSON.stringify(START)})`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    return { status, stderr };
  };

  test.each([`20.20.0`, `${Number(major) - 1}.99.0`, `${major}.${Number(minor) - 1}.9`])(
    'Node %s is too old, and the message says so',
    (version) => {
      const { status, stderr } = startOn(version);
      expect(status).toBe(1);
      expect(stderr).toContain(`Expected Node ${major}.${minor} or later, got ${version}`);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    },
  );

  test.each([`${major}.${minor}.0`, `${Number(major) + 2}.0.1`])('Node %s starts it', (version) => {
    // The source folder contains no cli.js.
    expect(startOn(version).stderr).toContain('cli.js');
  });

  test.each(['macos/command-line.sh', 'windows/spandeck.cmd'])('%s begins with that file', (name) => {
    const script = readFileSync(resolve(LINUX, '..', name), 'utf8');
    expect(script).toContain('start-cli.cjs');
    // An old version of Node rejects unknown options before it reads a file.
    expect(script).not.toContain('--disable-warning');
  });
});

test('data may stay after removal, files of the package may not', () => {
  const left = ['root/.config/Spandeck/spandeck.db', 'var/lib/dpkg/status', 'usr/share/mime/mime.cache'];
  const trace = ['opt/Spandeck/spandeck', 'usr/bin/spandeck', 'etc/spandeck.conf', 'root/.config/other/file'];
  expect(traces([...left, ...trace], () => false)).toEqual(trace);
  expect(traces(['etc/mailcap', 'usr/share/mime/mime.cache'], (file) => file === 'etc/mailcap')).toEqual([
    'etc/mailcap',
  ]);
});

test('help and error messages of the command line load no engine', () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !file.endsWith('.ts')) return;
    seen.add(file);
    const text = readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8');
    const isOnDemand = (target: string): boolean =>
      ['./', '../db/'].some((folder) => text.includes(`import('${folder}${target.split('/').at(-1)}')`));
    for (const { target, isTypeOnly } of importsOf(file))
      if (!isTypeOnly && !isOnDemand(target)) visit(target);
  };
  visit('electron/cli.ts');
  expect([...seen].filter((file) => /^electron\/(engine|db|scheduler|uploads|library)\//.test(file))).toEqual(
    [],
  );
  expect(seen).toContain('electron/cli/help.ts');
});
