/**
 * `npm test`: runs and times every part in order; then prints the slowest test files and all failures again; the last
 * line is `N passed, N failed`.
 *
 *   npm test [-- PART …]      types, lint, unit, property, contract, component, e2e, package
 *   npm test -- electron [short] the e2e specs and the package on Electron itself, if ELECTRON_OVERRIDE_DIST_PATH or the
 *                             npm package has it; `short`: a selection, skipped without Electron
 *   npm run check [-- changed]   types, lint, unit; `changed`: only the tests affected by uncommitted changes
 *   npm run look [-- short]      tours of every view with pictures in test-results/look; `short`: one theme and size, no
 *                             pictures
 *   npm run soak [-- short]      properties 10,000 times with new cases in each run, random requests for ten minutes,
 *                             100,000 entities kept, the window killed 100 times; `short`: a tenth of that, with the
 *                             same cases in each run
 *
 * A type check and a lint count as one test each; tests are counted by their runner.
 */
import { stripVTControlCharacters } from 'node:util';
import { SHORT_TOURS, TOURS } from '../test/helpers/tours.ts';
import { type Check, checksOf } from './test-checks.ts';
import { verifyElectron } from './test-electron.ts';
import { verifyPackage } from './test-package.ts';
import { type Counts, type Failure, type FileTime, runPlaywright, runVitest } from './test-runners.ts';

const VITEST_FOLDERS = ['unit', 'property', 'contract'];
/** Argument that restricts the parts of vitest to affected tests. */
const CHANGED = 'changed';
const PARTS = ['types', 'lint', ...VITEST_FOLDERS, 'component', 'e2e', 'package'];
/** The part that needs Electron itself, which is not available everywhere. */
const ELECTRON = 'electron';
/** Parts that run only by name, with the argument for a form that is short enough for every change. */
const LONG_PARTS = ['look', 'soak', ELECTRON];
const SHORT = 'short';
const SLOWEST_COUNT = 20;
/** Maximum lines of a failure's message that are repeated at the end. */
const MESSAGE_LINES = 12;

const PLAYWRIGHT_CONFIGS = {
  component: 'test/component/playwright.config.ts',
  e2e: 'test/playwright.config.ts',
};

const write = (text: string): void => void process.stdout.write(text);
const seconds = (startedAt: number): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

/** Runs checks two at a time, because most of them use one core; prints the complete output of failed ones. */
async function runChecks(checks: readonly Check[]): Promise<Counts> {
  const counts = { passed: 0, failed: 0 };
  const failures: Failure[] = [];
  const waiting = [...checks];
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const startedAt = performance.now();
      const { isPassed, text } = await check.run();
      counts[isPassed ? 'passed' : 'failed'] += 1;
      write(`${isPassed ? 'ok    ' : 'FAILED'}  ${check.name} (${seconds(startedAt)})\n`);
      if (isPassed) continue;
      write(`${text.trimEnd()}\n`);
      failures.push({ name: check.name, message: text });
    }
  };
  await Promise.all([work(), work()]);
  return { ...counts, failures };
}

async function runPart(title: string, run: () => Promise<Counts>): Promise<Counts> {
  const startedAt = performance.now();
  write(`\n== ${title}\n`);
  const counts = await run().catch((error: unknown): Counts => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    write(`FAILED  ${title}: ${message}\n`);
    return { passed: 0, failed: 1, failures: [{ name: title, message }] };
  });
  const skipped = counts.skipped === undefined || counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  write(`== ${title}: ${counts.passed} passed, ${counts.failed} failed${skipped} (${seconds(startedAt)})\n`);
  return counts;
}

const look = (isShort: boolean): Promise<Counts> =>
  runPlaywright('test/look.config.ts', ['--project', isShort ? SHORT_TOURS : TOURS]);

const SOAKED = [
  'test/property/',
  'test/unit/chart-time',
  'test/unit/filter-text',
  'test/contract/sample-service-fuzz',
  'test/contract/keep-large',
  'test/contract/upload-kill',
  'test/contract/dataset-kill',
];

/** Kills the window of the running application repeatedly, after the other parts of `soak`. */
const killWindows = (isShort: boolean): Promise<Counts> =>
  runPlaywright(PLAYWRIGHT_CONFIGS.e2e, ['window-killed'], { WINDOW_KILLS: isShort ? '10' : '100' });

const soak = (isShort: boolean): Promise<Counts> =>
  runVitest(SOAKED, {
    env: isShort
      ? { PROPERTY_RUNS: '1000', FUZZ_REQUESTS: '3000', KEPT_ENTITIES: '20000' }
      : {
          PROPERTY_RUNS: '10000',
          PROPERTY_SEED: String(Math.floor(Math.random() * 2 ** 31)),
          FUZZ_REQUESTS: '30000',
          FUZZ_MAX_MS: '3600000',
          KEPT_ENTITIES: '100000',
        },
  });

/**
 * Prints files by the duration of their tests. Parts run several files at once, so the sum exceeds the duration of the
 * part.
 */
function printSlowest(files: readonly FileTime[]): void {
  if (files.length === 0) return;
  const slowest = [...files].sort((first, second) => second.ms - first.ms).slice(0, SLOWEST_COUNT);
  write(`\n== the ${slowest.length} slowest test files\n`);
  for (const { file, ms } of slowest) write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`);
}

/** Prints each failed test with the first lines of its message and the stack frames of the project. */
function printFailures(failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  write(`\n== failed\n`);
  for (const { name, message } of failures) {
    write(`  ${name}\n`);
    const lines = stripVTControlCharacters(message).trim().split('\n');
    const own = lines.filter((line) => !line.includes('/node_modules/') && line.trim() !== '');
    for (const line of own.slice(0, MESSAGE_LINES)) write(`      ${line}\n`);
  }
}

async function main(wanted: readonly string[]): Promise<Counts> {
  const isChangedOnly = wanted.includes(CHANGED);
  const isShort = wanted.includes(SHORT);
  const parts = wanted.filter((name) => name !== CHANGED && name !== SHORT);
  const known = [...PARTS, ...LONG_PARTS];
  const unknown = parts.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `Expected parts out of ${known.join(', ')}, or ${CHANGED} or ${SHORT}; got ${unknown.join(', ')}.`,
    );
  const isWanted = (name: string): boolean => parts.length === 0 || parts.includes(name);
  const all: Counts[] = [];
  const checks = checksOf(isWanted);
  if (checks.length > 0) all.push(await runPart('types and lint', () => runChecks(checks)));
  const folders = VITEST_FOLDERS.filter(isWanted);
  if (folders.length > 0) {
    const title = `vitest: ${folders.join(', ')}${isChangedOnly ? ', what changed' : ''}`;
    all.push(
      await runPart(title, () =>
        runVitest(
          folders.map((folder) => `test/${folder}/`),
          { isChangedOnly },
        ),
      ),
    );
  }
  for (const [name, config] of Object.entries(PLAYWRIGHT_CONFIGS)) {
    if (isWanted(name)) all.push(await runPart(name, () => runPlaywright(config)));
  }
  if (isWanted('package')) all.push(await runPart('package', verifyPackage));
  if (parts.includes('look')) all.push(await runPart('look', () => look(isShort)));
  if (parts.includes(ELECTRON)) all.push(await runPart(ELECTRON, () => verifyElectron(isShort)));
  if (parts.includes('soak')) {
    all.push(await runPart('soak', () => soak(isShort)));
    all.push(await runPart('soak: the window killed', () => killWindows(isShort)));
  }
  printSlowest(all.flatMap(({ files }) => files ?? []));
  printFailures(all.flatMap(({ failures }) => failures ?? []));
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    all.reduce((total, counts) => total + (counts[key] ?? 0), 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

main(process.argv.slice(2)).then(
  ({ passed, failed, skipped = 0 }) => {
    // A justified skip is not a failure, but a run without any test is.
    process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0;
    write(`\n${passed} passed, ${failed} failed\n`);
  },
  (error: unknown) => {
    process.exitCode = 1;
    write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`);
  },
);
