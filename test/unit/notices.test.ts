/** The notices of third parties name every package whose code is distributed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { notices, packageFolder, withDependencies } from '../../build/notices.ts';
import { DataFolder } from '../helpers/data-folder.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

function packageAt(place: string, manifest: object, license?: string): void {
  mkdirSync(folder.file(place), { recursive: true });
  writeFileSync(folder.file(join(place, 'package.json')), JSON.stringify(manifest));
  if (license !== undefined) writeFileSync(folder.file(join(place, 'LICENSE.md')), license);
}

test('a file belongs to the innermost package around it; a file of the project to none', () => {
  expect(packageFolder('electron/main.ts')).toBeNull();
  expect(packageFolder('node_modules/a/lib/x.js')).toBe('node_modules/a');
  expect(packageFolder('node_modules/a/node_modules/@s/b/x.js')).toBe('node_modules/a/node_modules/@s/b');
});

test('an unbundled package includes all its dependencies that this platform has', () => {
  packageAt('node_modules/a', { dependencies: { b: '1' }, optionalDependencies: { 'not-here': '1' } });
  packageAt('node_modules/a/node_modules/b', { dependencies: { c: '1' } });
  packageAt('node_modules/c', { dependencies: { a: '1' } });
  expect(withDependencies(folder.path, ['a']).sort()).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/c',
  ]);
});

test('each package is listed with version, licence and its own text, once; one without any is rejected', () => {
  packageAt('node_modules/b', { name: 'b', version: '2.0.0', license: 'ISC' }, 'Text of b');
  packageAt('node_modules/a', { name: 'a', version: '1.0.0', license: { type: 'MIT' } });
  const text = notices(folder.path, ['node_modules/b', 'node_modules/a', 'node_modules/b']);
  expect(text).toMatch(/2 packages\.[\s\S]*a 1\.0\.0 \(MIT\)[\s\S]*b 2\.0\.0 \(ISC\)\n\nText of b\n$/);
  packageAt('node_modules/x', { name: 'x', version: '1.0.0' });
  expect(() => notices(folder.path, ['node_modules/x'])).toThrow('No licence found for: x.');
});

test('the built application names every package of its bundles', () => {
  const stamps = join(dirname(import.meta.dirname), '..', 'dist', '.stamps');
  const bundled = readdirSync(stamps)
    .filter((name) => name.endsWith('.packages.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(stamps, name), 'utf8')) as string[]);
  expect(bundled).toContain('node_modules/zod');
  const text = readFileSync(join(stamps, '..', 'THIRD_PARTY_NOTICES.txt'), 'utf8');
  const names = [...bundled, 'node_modules/better-sqlite3', 'node_modules/@duckdb/node-bindings'].map(
    (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  expect(names.filter((name) => !text.includes(`\n${name} `))).toEqual([]);
});
