/** Development tools, run by Node directly: the files in node_modules/.bin are shell scripts that differ by system. */
import * as path from 'node:path';
import { ROOT } from './runtime.ts';

/** The scripts that the packages' `bin` fields name. */
export const TOOLS = {
  biome: '@biomejs/biome/bin/biome',
  playwright: '@playwright/test/cli.js',
  prettier: 'prettier/bin/prettier.cjs',
  'svelte-check': 'svelte-check/bin/svelte-check',
  vitest: 'vitest/vitest.mjs',
} as const;

/** V8's compile cache, shared by all processes: tools, runners, their workers, the apps and commands they start. */
export const COMPILED = path.join(ROOT, 'node_modules/.cache/spandeck/compiled');

/** The program and the first argument that start a tool. */
export function toolCommand(name: keyof typeof TOOLS): [program: string, script: string] {
  return [process.execPath, path.join(ROOT, 'node_modules', ...TOOLS[name].split('/'))];
}
