/** What a package holds beside the application: icons, the entry of the menu, what may stay after removing. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configuration } from '../../build/packaging/builder-config.ts';
import { traces } from '../../build/packaging/check-deb.ts';
import { icnsOf, icoOf } from '../../build/packaging/icon-files.ts';
import { ICON_SIZES, ICONS, SOURCE_HASH } from '../../build/packaging/icon-set.ts';
import { importsOf } from '../helpers/module-graph.ts';

const LINUX = resolve(import.meta.dirname, '../../build/packaging/linux');
const icon = (size: number): Buffer => readFileSync(join(ICONS, `${size}x${size}.png`));

describe('icons', () => {
  test('are drawn from the drawing as it is', () => {
    const drawing = createHash('sha256')
      .update(readFileSync(join(ICONS, 'icon.svg')))
      .digest('hex');
    expect(readFileSync(SOURCE_HASH, 'utf8').trim()).toBe(drawing);
  });

  test.each(ICON_SIZES)('%i pixels wide and high', (size) => {
    expect([icon(size).readUInt32BE(16), icon(size).readUInt32BE(20)]).toEqual([size, size]);
  });

  test('of Windows and macOS hold the same pictures', () => {
    const drawn = new Map(ICON_SIZES.map((size) => [size, icon(size)]));
    expect(readFileSync(join(ICONS, 'icon.ico'))).toEqual(icoOf(drawn));
    expect(readFileSync(join(ICONS, 'icon.icns'))).toEqual(icnsOf(drawn));
  });

  test('in an .ico begin where its entries say', () => {
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

  test('takes the links and files that the other platforms take', () => {
    const { protocols, fileAssociations } = configuration(
      { name: 'Electron', dist: '', executable: '', version: '45.0.0' },
      {},
    );
    expect(mimeTypes.filter((type) => type.startsWith('x-scheme-handler/'))).toEqual(
      [protocols].flat().flatMap((row) => (row?.schemes ?? []).map((scheme) => `x-scheme-handler/${scheme}`)),
    );
    const extensions = [fileAssociations].flat().map((row) => row?.ext);
    expect(extensions).toEqual(['csv', 'jsonl', 'ndjson', 'parquet']);
    expect(mimeTypes.slice(0, 3)).toEqual([
      'text/csv',
      'application/jsonl',
      'application/vnd.apache.parquet',
    ]);
  });

  test('hands them to the window', () => {
    expect(desktop).toContain('\nExec=/opt/Spandeck/spandeck %U\n');
  });

  test('types that systems may not know come along', () => {
    const known = readFileSync(join(LINUX, 'spandeck.mime.xml'), 'utf8');
    for (const type of ['application/jsonl', 'application/vnd.apache.parquet'])
      expect(known).toContain(`type="${type}"`);
  });
});

test('updates are off until a feed is named', () => {
  const runtime = { name: 'Electron', dist: '', executable: '', version: '45.0.0' } as const;
  expect(configuration(runtime, {}).publish).toBeNull();
  expect(configuration(runtime, { SPANDECK_UPDATE_FEED: 'https://updates.example.com' }).publish).toEqual({
    provider: 'generic',
    url: 'https://updates.example.com',
  });
});

test('data may stay after removing, files of the package may not', () => {
  const left = ['root/.config/Spandeck/spandeck.db', 'var/lib/dpkg/status', 'usr/share/mime/mime.cache'];
  const trace = ['opt/Spandeck/spandeck', 'usr/bin/spandeck', 'etc/spandeck.conf', 'root/.config/other/file'];
  expect(traces([...left, ...trace], () => false)).toEqual(trace);
  expect(traces(['etc/mailcap', 'usr/share/mime/mime.cache'], (file) => file === 'etc/mailcap')).toEqual([
    'etc/mailcap',
  ]);
});

test('help and refusals of the command line load no engine', () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !file.endsWith('.ts')) return;
    seen.add(file);
    const text = readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8');
    const isOnDemand = (target: string): boolean => text.includes(`import('./${target.split('/').at(-1)}')`);
    for (const { target, isTypeOnly } of importsOf(file))
      if (!isTypeOnly && !isOnDemand(target)) visit(target);
  };
  visit('electron/cli.ts');
  expect([...seen].filter((file) => /^electron\/(engine|db|scheduler|uploads|library)\//.test(file))).toEqual(
    [],
  );
  expect(seen).toContain('electron/cli/help.ts');
});
