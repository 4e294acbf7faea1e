/** Development tools, run by Node itself: what lies in node_modules/.bin is a script of a shell, which differs by system. */
import * as path from 'node:path';
import { ROOT } from './runtime.ts';

/** Where the packages keep what their `bin` names. */
export const TOOLS = {
  biome: '@biomejs/biome/bin/biome',
  playwright: '@playwright/test/cli.js',
  prettier: 'prettier/bin/prettier.cjs',
  'svelte-check': 'svelte-check/bin/svelte-check',
  vitest: 'vitest/vitest.mjs',
} as const;

/** What V8 compiled once is read again by the next process: tools, runners, their workers, apps and commands they start. */
export const COMPILED = path.join(ROOT, 'node_modules/.cache/spandeck/compiled');

/** The program and first argument that start a tool. */
export function toolCommand(name: keyof typeof TOOLS): [program: string, script: string] {
  return [process.execPath, path.join(ROOT, 'node_modules', ...TOOLS[name].split('/'))];
}
