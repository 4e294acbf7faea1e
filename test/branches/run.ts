/**
 * `npm run branches [-- FILE …]`: runs unit tests, properties and contract tests, and prints the share of the branches of
 * `electron/core` that run in them. Exits with 1 below 98 %, if a branch that did not run is not named with its reason in
 * `not-run.json`, or if one named there does run. With files, only those tests run and nothing is judged.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIXED_SEED } from '../../build/test-runners.ts';
import { toolCommand } from '../../build/tools.ts';
import { instrument } from './instrument.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MIN_SHARE = 0.98;
/** Reasons by file and branch. */
const NAMED = JSON.parse(readFileSync(join(import.meta.dirname, 'not-run.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;
/** They take long and run the command line, and its threads from bundles, which are not counted. */
const LEFT_OUT = ['test/property/mutated-services.test.ts', 'test/property/hostile-answers.test.ts'];

const HELPER = /(?<=from ')\.\.\/helpers\/[^']+/g;

/** Whether a test runs parts of the engine, by its own imports or, of the core, by those of its helpers. */
function isOfEngine(file: string): boolean {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (/electron\/(?!cli|ipc|platform)|states\//.test(text)) return true;
  const helpers = [...text.matchAll(HELPER)].map(([path]) => join(ROOT, 'test', 'unit', path));
  return helpers.some((helper) => readFileSync(helper, 'utf8').includes('electron/core/'));
}

/** The counts of all processes, added up. */
function countsOf(folder: string): ReadonlyMap<string, readonly number[]> {
  const sums = new Map<string, number[]>();
  for (const name of readdirSync(folder)) {
    const counts = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, number[]>;
    for (const [file, of] of Object.entries(counts)) {
      const before = sums.get(file) ?? [];
      sums.set(
        file,
        of.map((count, index) => count + (before[index] ?? 0)),
      );
    }
  }
  return sums;
}

const folder = mkdtempSync(join(tmpdir(), 'spandeck-branches-'));
const given = process.argv.slice(2);
try {
  const tests =
    given.length > 0
      ? given
      : globSync('test/{unit,property,contract}/*.test.ts', { cwd: ROOT })
          .filter((file) => !LEFT_OUT.includes(file))
          .filter(isOfEngine);
  const [program = '', ...args] = toolCommand('vitest');
  try {
    execFileSync(program, [...args, 'run', '-c', 'test/vitest.config.ts', '--reporter=dot', ...tests], {
      cwd: ROOT,
      env: { PROPERTY_SEED: FIXED_SEED, ...process.env, BRANCH_COUNTS: folder },
      stdio: 'inherit',
    });
  } catch {
    process.exitCode = 1;
    console.log('A test failed: see above.');
  }
  const sums = countsOf(folder);
  let [all, run, named] = [0, 0, 0];
  for (const file of globSync('electron/core/**/*.ts', { cwd: ROOT }).toSorted()) {
    const { branches } = instrument(readFileSync(join(ROOT, file), 'utf8'), file);
    const counts = sums.get(file) ?? [];
    const reasons = NAMED[file] ?? {};
    const missing = branches.filter((_branch, index) => (counts[index] ?? 0) === 0);
    all += branches.length;
    run += branches.length - missing.length;
    for (const { line, name } of missing) {
      const reason = reasons[name];
      if (reason === undefined) console.log(`${file}:${line} does not run: ${name}`);
      else named += 1;
      if (reason === undefined && given.length === 0) process.exitCode = 1;
    }
    const stale = Object.keys(reasons).filter((name) => !missing.some((branch) => branch.name === name));
    if (given.length > 0 || stale.length === 0) continue;
    process.exitCode = 1;
    console.log(`${file}: named in not-run.json, but runs or is gone: ${stale.join(', ')}`);
  }
  const share = run / all;
  console.log(
    `${run} of ${all} branches of electron/core run, ${(share * 100).toFixed(2)} %; ${named} are named with a reason`,
  );
  if (given.length === 0 && share < MIN_SHARE) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
