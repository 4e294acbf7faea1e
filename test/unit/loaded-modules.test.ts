/** A command loads only the modules that it needs, so that simple commands answer at once. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, test } from 'vitest';
import { loadedWith } from '../helpers/module-graph.ts';

const [start, engine, reading] = ['main', 'context', 'read-commands'].map((name) =>
  [...loadedWith(`electron/cli/${name}.ts`)].sort(),
) as [string[], string[], string[]];
const packages = (loaded: readonly string[]) =>
  loaded.filter((each) => !each.startsWith('electron/') && !each.startsWith('node:'));
const filesIn = (loaded: readonly string[], folders: RegExp) => loaded.filter((file) => folders.test(file));

test('help and refused arguments load no part of the engine and no package but the schemas', () => {
  expect(packages(start)).toEqual(['zod']);
  expect(filesIn(start, /^electron\/(cli\/agents|analysis)\/|shared\/(upload|review)-model\.ts/)).toEqual([]);
  expect(filesIn(start, /^electron\/(connections|db|engine|jobs|library|scheduler|uploads)\//)).toEqual([]);
});

test('a command loads no other command', () => {
  const commands = /^electron\/cli\/[\w-]+-commands?\.ts$/;
  expect(filesIn([...start, ...engine], commands)).toEqual(['electron/cli/run-command.ts']);
  expect(filesIn(reading, commands)).toEqual(['electron/cli/read-commands.ts']);
});

test('the engine starts without the HTTP client, DuckDB, the agent protocol, formats of files and reports', () => {
  expect(packages(engine)).toEqual(['better-sqlite3', 're2js', 'zod']);
  expect(engine).not.toContain('node:tls');
  expect(
    filesIn(engine, /^electron\/(uploads\/(readers\/open|sniff)|reports\/report-file|engine\/report-of)/),
  ).toEqual([]);
});

test('a query starts with one file and native code, without reading the files of packages', () => {
  const bundled = readFileSync('dist/analysis-process.js', 'utf8');
  const loaded = [...bundled.matchAll(/(?:\b__require\(|^import .*?)"([^"]+)"/gm)].map(
    ([, name = '']) => name,
  );
  const others = new Set(loaded.filter((name) => !isBuiltin(name)));
  expect([...others].sort()).toEqual(['@duckdb/node-bindings', 'better-sqlite3']);
});
