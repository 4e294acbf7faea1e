/**
 * `node test/simulation/planted.ts [--seeds N] [--acts N] [NAME …]`: shows that the simulation can fail. Each patch of
 * `planted/` is applied alone to a copy of the project, and seeds are run until an invariant breaks. Ends with code 1
 * if a fault was not found.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runSeed } from './run-seed.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const PATCHES = join(import.meta.dirname, 'planted');
const COPIED = ['electron', 'test', 'package.json', 'tsconfig.json'];

const { values, positionals } = parseArgs({
  options: { seeds: { type: 'string', default: '8' }, acts: { type: 'string', default: '200' } },
  allowPositionals: true,
});
const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** The first broken invariant and its seed; null if no seed finds the fault. */
async function find(project: string): Promise<string | null> {
  for (let seed = 1; seed <= Number(values.seeds); seed += 1) {
    try {
      const [first] = (await runSeed({ seed, acts: Number(values.acts), project })).failures;
      if (first !== undefined)
        return `seed ${seed}: ${first.invariant}: ${first.detail.split('\n')[0]?.slice(0, 120)}`;
    } catch (problem) {
      return `seed ${seed}: ${problem instanceof Error ? problem.message.slice(0, 160) : String(problem)}`;
    }
  }
  return null;
}

async function plant(patch: string): Promise<boolean> {
  const project = mkdtempSync(join(tmpdir(), 'spandeck-planted-'));
  try {
    for (const name of COPIED) cpSync(join(PROJECT, name), join(project, name), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'));
    execFileSync('git', ['apply', '-C1', join(PATCHES, patch)], { cwd: project });
    const found = await find(project);
    write(`${found === null ? 'NOT FOUND' : 'found    '}  ${basename(patch, '.patch')}  ${found ?? ''}`);
    return found !== null;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

const patches = readdirSync(PATCHES).filter(
  (name) => positionals.length === 0 || positionals.includes(basename(name, '.patch')),
);
let found = 0;
for (const patch of patches) found += (await plant(patch)) ? 1 : 0;
write(`${found} of ${patches.length} found`);
process.exitCode = found === patches.length ? 0 : 1;
