import * as path from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** Unit, property and contract tests: plain Node, no window. */
export default defineConfig({
  // State classes of the window are `.svelte.ts`: their runes are compiled, for Node as plain fields.
  plugins: [svelte({ configFile: false })],
  test: {
    root: path.resolve(import.meta.dirname, '..'),
    include: ['test/{unit,property,contract}/**/*.test.ts'],
    environment: 'node',
    // better-sqlite3 is native code: processes of their own cannot take each other down.
    pool: 'forks',
    // Ends what hangs; nothing that goes on, on a slow machine that is busy with other things either.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 10 } },
  },
});
