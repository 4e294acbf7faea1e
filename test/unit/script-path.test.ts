/** Threads and processes are started from existing files, in the source and in the build. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PARTS } from '../../build/bundle.ts';
import { scriptPath } from '../../electron/shared/script-path.ts';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

test('the path of a script is that of its source, or the only folder of a build', () => {
  const source = '../engine/search-worker.ts';
  expect(scriptPath(source, 'file:///a/electron/db/search-thread.ts')).toBe(source);
  expect(scriptPath(source, 'file:///a/dist/main.js')).toBe('./search-worker.js');
});

test('each started file exists in the source, and is bundled under its name', () => {
  const root = resolve(import.meta.dirname, '../..');
  const started = sourceFiles('electron').flatMap((file) =>
    [...textOf(file).matchAll(/\bscriptPath\('([^']+)'/g)].map((found) =>
      join(dirname(file), found[1] ?? ''),
    ),
  );
  expect(started.length).toBeGreaterThan(10);
  expect(started.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const bundled = new Map(PARTS.map(({ entry, output }) => [entry, output]));
  for (const file of started) expect(bundled.get(file)).toBe(`${file.split('/').at(-1)?.slice(0, -3)}.js`);
});
