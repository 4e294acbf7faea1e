/**
 * Development tools, which Node runs directly, because the files in node_modules/.bin are shell scripts that differ by
 * system.
 */
import * as path from 'node:path';
import { ROOT } from './runtime.ts';

/** The scripts named in the `bin` fields of the packages. */
export const TOOLS = {
  biome: '@biomejs/biome/bin/biome',
  playwright: '@playwright/test/cli.js',
  prettier: 'prettier/bin/prettier.cjs',
  'svelte-check': 'svelte-check/bin/svelte-check',
  vitest: 'vitest/vitest.mjs',
} as const;

/**
 * Folder of V8's compile cache for all processes: tools, runners, their workers, and the apps and commands that they
 * start.
 */
export const COMPILED = path.join(ROOT, 'node_modules/.cache/spandeck/compiled');

/** The program and the first argument for starting a tool. */
export function toolCommand(name: keyof typeof TOOLS): [program: string, script: string] {
  return [process.execPath, path.join(ROOT, 'node_modules', ...TOOLS[name].split('/'))];
}
