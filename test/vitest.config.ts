import { globSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { instrument } from './branches/instrument.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const ALL = 'test/{unit,property,contract}/**/*.test.ts';
/** Code by which a test file changes its whole process: fake clocks, globals, the environment (also of its threads). */
const CHANGES_ITS_PROCESS =
  /vi\.(useFake|stub|mock|spyOn|setSystemTime|resetModules)|process\.(env\[[^\]]+\] =|chdir|on\()|setEnvironmentData/;

/** Tests without such changes share a process: the same modules are loaded once. */
const shared = globSync(ALL, { cwd: ROOT }).filter(
  (file) => !CHANGES_ITS_PROCESS.test(readFileSync(path.join(ROOT, file), 'utf8')),
);

/** The product starts its threads and processes from their bundles, as in a release. */
const startsBundles: Plugin = {
  name: 'starts bundles',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    source.endsWith('/script-path.ts') && path.relative(ROOT, importer).startsWith('electron')
      ? path.join(ROOT, 'test/helpers/bundled-scripts.ts')
      : null,
};

/** For `npm run branches`: counts which branches of `electron/core` run. */
const countsBranches: Plugin = {
  name: 'counts branches',
  enforce: 'pre',
  transform: (code, id) => {
    const file = path.relative(ROOT, id.split('?')[0] ?? id);
    return file.startsWith('electron/core/') ? { code: instrument(code, file).code, map: null } : null;
  },
};
const isCounting = process.env['BRANCH_COUNTS'] !== undefined;

/** Unit, property and contract tests: plain Node, no window. */
export default defineConfig({
  // State classes of the window are `.svelte.ts`: their runes are compiled, for Node as plain fields.
  plugins: [startsBundles, ...(isCounting ? [countsBranches] : []), svelte({ configFile: false })],
  test: {
    root: ROOT,
    environment: 'node',
    globalSetup: './test/helpers/vitest-setup.ts',
    setupFiles: [
      './test/helpers/keep-failed-folders.ts',
      ...(isCounting ? ['./test/branches/collect.ts'] : []),
      './test/helpers/property-runs.ts',
    ],
    // better-sqlite3 is native code: separate processes cannot crash each other.
    pool: 'forks',
    // Several short-lived processes at once: a large young space is collected less often, and threads for it only
    // compete.
    execArgv: ['--min-semi-space-size=32', '--single-threaded-gc'],
    // Fewer workers do not fill two cores, because tests wait for disks, sockets and processes.
    maxWorkers: 3,
    // Ends hanging tests, and none with progress, even on a slow and busy machine; a long run has more to do.
    testTimeout: process.env['PROPERTY_RUNS'] === undefined ? 600_000 : 3_600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 10 } },
    projects: [
      { extends: true, test: { name: 'shared', include: shared, isolate: false } },
      { extends: true, test: { name: 'own process', include: [ALL], exclude: shared } },
    ],
  },
});
