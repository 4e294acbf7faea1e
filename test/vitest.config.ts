import { globSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const ROOT = path.resolve(import.meta.dirname, '..');
const ALL = 'test/{unit,property,contract}/**/*.test.ts';
/** What a file changes for the whole of its process: fake clocks, globals, the environment. */
const CHANGES_ITS_PROCESS =
  /vi\.(useFake|stub|mock|spyOn|setSystemTime|resetModules)|process\.(env\[[^\]]+\] =|chdir|on\()/;

/** Tests that leave their process as it was share it: no second loading of the same modules. */
const shared = globSync(ALL, { cwd: ROOT }).filter(
  (file) => !CHANGES_ITS_PROCESS.test(readFileSync(path.join(ROOT, file), 'utf8')),
);

/** The product starts its threads and processes from their bundles, as it does where people use it. */
const startsBundles: Plugin = {
  name: 'starts bundles',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    source.endsWith('/script-path.ts') && path.relative(ROOT, importer).startsWith('electron')
      ? path.join(ROOT, 'test/helpers/bundled-scripts.ts')
      : null,
};

/** Unit, property and contract tests: plain Node, no window. */
export default defineConfig({
  // State classes of the window are `.svelte.ts`: their runes are compiled, for Node as plain fields.
  plugins: [startsBundles, svelte({ configFile: false })],
  test: {
    root: ROOT,
    environment: 'node',
    globalSetup: './test/helpers/vitest-setup.ts',
    setupFiles: [
      './test/helpers/keep-failed-folders.ts',
      ...(process.env['PROPERTY_RUNS'] === undefined ? [] : ['./test/helpers/long-runs.ts']),
    ],
    // better-sqlite3 is native code: processes of their own cannot take each other down.
    pool: 'forks',
    // Short-lived processes, several at once: a large young space is collected less often, and threads for it only compete.
    execArgv: ['--min-semi-space-size=32', '--single-threaded-gc'],
    // Two cores are not full with fewer, because tests wait for disks, sockets and processes.
    maxWorkers: 3,
    // Ends what hangs; nothing that goes on, on a slow machine that is busy with other things either.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 10 } },
    projects: [
      { extends: true, test: { name: 'shared', include: shared, isolate: false } },
      { extends: true, test: { name: 'own process', include: [ALL], exclude: shared } },
    ],
  },
});
