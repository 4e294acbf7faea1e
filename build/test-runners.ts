/** Runs Vitest and Playwright in a separate session, and counts the results in their reports. */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ROOT } from './runtime.ts';
import { COMPILED, toolCommand } from './tools.ts';
import { startVirtualDisplay } from './virtual-display.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Number of tests that neither passed nor failed; listed in the part's summary, so that they are not forgotten. */
  readonly skipped?: number;
  /** Durations by test file, in no order. Absent if the part does not run by files. */
  readonly files?: readonly FileTime[];
  /** Failures, which are repeated at the end, so that a truncated log still shows them. */
  readonly failures?: readonly Failure[];
}

export interface Failure {
  /** The file and the full name of the test. */
  readonly name: string;
  /** The message of the runner. */
  readonly message: string;
}

/** The total duration of the tests in one file. */
export interface FileTime {
  /** Path relative to the project's folder. */
  readonly file: string;
  readonly ms: number;
}

/**
 * Runs a command with a separate home, D-Bus and unlocked keyring; on systems other than Linux, with those of the
 * person.
 */
function runInSession(command: readonly string[], given: NodeJS.ProcessEnv): Promise<number> {
  const env = { NODE_COMPILE_CACHE: COMPILED, ...given };
  const [program = '', ...args] =
    process.platform === 'linux'
      ? [path.join(ROOT, 'test/helpers/run-with-keyring.sh'), ...command]
      : command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** A report file in a temporary folder. */
async function withReport<T>(use: (file: string) => Promise<T>): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-report-'));
  try {
    return await use(path.join(folder, 'report.json'));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function readReport<T>(file: string, runner: string, code: number): T {
  if (!fs.existsSync(file)) throw new Error(`${runner} ended with code ${code} and left no report.`);
  return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
}

/** Makes a runner fail that failed without a failed test, or that ran nothing. */
function judged(counts: Counts, code: number): Counts {
  const isUnexplained = code !== 0 && counts.failed === 0;
  const isEmpty = counts.passed + counts.failed === 0;
  return isUnexplained || isEmpty ? { ...counts, failed: counts.failed + 1 } : counts;
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** Absolute path of the file. */
    readonly name: string;
    /** Milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly status: string;
    /** Why a file could not be loaded. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

function vitestFailures({ testResults }: VitestReport): Failure[] {
  return testResults.flatMap(({ name, status, message = '', assertionResults }) => {
    const file = path.relative(ROOT, name);
    if (status === 'failed' && assertionResults.length === 0) return [{ name: file, message }];
    return assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => ({
        name: `${file} › ${test.fullName}`,
        message: (test.failureMessages ?? []).join('\n'),
      }));
  });
}

/** Seed for the cases of properties, so that the same source has the same result. */
export const FIXED_SEED = '1';

/**
 * Runs folders or files of test/ with a fixed seed. `isChangedOnly`: only tests affected by uncommitted changes, which
 * may be none.
 */
export function runVitest(
  filters: readonly string[],
  { isChangedOnly = false, env = {} }: { isChangedOnly?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Counts> {
  return withReport(async (file) => {
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
    const changed = isChangedOnly ? ['--changed', '--passWithNoTests'] : [];
    const command = [
      ...toolCommand('vitest'),
      'run',
      '-c',
      'test/vitest.config.ts',
      ...changed,
      ...reporters,
      ...filters,
    ];
    const code = await runInSession(command, { PROPERTY_SEED: FIXED_SEED, ...process.env, ...env });
    const report = readReport<VitestReport>(file, 'vitest', code);
    // A file that could not be loaded has no tests, and counts as one failure.
    const broken = report.testResults.filter(
      (item) => item.status === 'failed' && item.assertionResults.length === 0,
    );
    const skipped = report.numPendingTests + report.numTodoTests;
    const files = report.testResults.map(({ name, startTime, endTime }) => ({
      file: path.relative(ROOT, name),
      ms: endTime - startTime,
    }));
    const failed = report.numFailedTests + broken.length;
    const failures = vitestFailures(report);
    const counts = { passed: report.numPassedTests, failed, skipped, files, failures };
    const isNothingChanged = isChangedOnly && code === 0 && report.testResults.length === 0;
    return isNothingChanged ? counts : judged(counts, code);
  });
}

interface PlaywrightSuite {
  readonly file: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly status: string;
      readonly results: readonly {
        readonly duration: number;
        readonly errors?: readonly { readonly message?: string }[];
      }[];
    }[];
  }[];
}

interface PlaywrightReport {
  readonly config: { readonly rootDir: string };
  /** One suite for each file; groups of tests are nested suites. */
  readonly suites: readonly PlaywrightSuite[];
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
  readonly errors: readonly { readonly message?: string }[];
}

function durationOf(suite: PlaywrightSuite): number {
  const results = suite.specs.flatMap(({ tests }) => tests.flatMap((test) => test.results));
  const own = results.reduce((total, { duration }) => total + duration, 0);
  return (suite.suites ?? []).reduce((total, inner) => total + durationOf(inner), own);
}

const FAILED_STATUSES = ['unexpected', 'flaky'];
const messageOf = (errors: readonly { readonly message?: string }[] = []): string =>
  errors.map(({ message = '' }) => message).join('\n');

function playwrightFailures(suite: PlaywrightSuite): Failure[] {
  const own = suite.specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => FAILED_STATUSES.includes(status))
      .map(({ results }) => ({
        name: `${suite.file} › ${title}`,
        message: messageOf(results.flatMap(({ errors = [] }) => errors)),
      })),
  );
  return [...own, ...(suite.suites ?? []).flatMap(playwrightFailures)];
}

/** Runs the specs of a configuration on a virtual display, so that their windows do not disturb the person. */
export function runPlaywright(
  config: string,
  more: readonly string[] = [],
  given: NodeJS.ProcessEnv = {},
): Promise<Counts> {
  return withReport(async (file) => {
    const display = process.platform === 'linux' ? await startVirtualDisplay() : undefined;
    try {
      const env: NodeJS.ProcessEnv = { ...process.env, ...given, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
      delete env['WAYLAND_DISPLAY'];
      if (display !== undefined) env['DISPLAY'] = display.name;
      const command = [...toolCommand('playwright'), 'test', '-c', config, '--reporter=list,json', ...more];
      const code = await runInSession(command, env);
      const { config: used, suites, stats, errors } = readReport<PlaywrightReport>(file, 'Playwright', code);
      const failed = stats.unexpected + stats.flaky + errors.length;
      const files = suites.map((suite) => ({
        file: path.relative(ROOT, path.resolve(used.rootDir, suite.file)),
        ms: durationOf(suite),
      }));
      const failures = [
        ...suites.flatMap(playwrightFailures),
        ...errors.map((error) => ({ name: config, message: messageOf([error]) })),
      ];
      return judged({ passed: stats.expected, failed, skipped: stats.skipped, files, failures }, code);
    } finally {
      display?.stop();
    }
  });
}
