/** Playwright fixtures for a launched app, which has its own data folder. A test fails on unexpected errors. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  test as base,
  type ConsoleMessage,
  type ElectronApplication,
  _electron as electron,
  expect,
  type Page,
  type TestInfo,
} from '@playwright/test';
import { giveFilledFile } from './workspaces.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The app of a test is too short-lived for optimizing compilation to pay off. Unoptimized code behaves the same. */
const SHORT_LIVED = '--js-flags=--no-opt --no-maglev --always-sparkplug';
/** Maximum time in ms for a start on a busy computer. Normally it takes two seconds. */
const START_MS = 120_000;
/** Maximum time in ms for a screenshot after a failure. A page that hangs cannot make one. */
const PICTURE_MS = 10_000;

/** Options for launching the app. */
export interface LaunchOptions {
  /** The app's folder; Spandeck by default. */
  readonly root?: string;
  /** The profile folder. By default there is one for each test, so that a second launch finds the data of the first. */
  readonly dataDir?: string;
  readonly args?: readonly string[];
  /** CommonJS modules that the main process loads before the app. */
  readonly requires?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** If false, the sample service creates its workspace itself when it first starts. */
  readonly hasSampleFile?: boolean;
}

/** A launched app with its first window, which is loaded. */
export interface Launched {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly dataDir: string;
  /** Console errors of the window, and uncaught errors of its scripts, so far. */
  readonly errors: readonly string[];
  /** The output of the main process so far, on standard output and standard error. */
  readonly output: () => string;
  /** Quits the app in the normal way, as its menu does. */
  readonly close: () => Promise<void>;
  /** Kills the app in the middle of its work. */
  readonly kill: () => Promise<void>;
}

interface Fixtures {
  /** Console errors that a test causes on purpose. Any other fails the test. */
  readonly allowedErrors: readonly RegExp[];
  readonly launch: (options?: LaunchOptions) => Promise<Launched>;
  /** Spandeck, launched. */
  readonly spandeck: Launched;
}

function definedEnv(extra: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...process.env, ...extra }))
    if (value !== undefined) env[name] = value;
  return env;
}

function collectErrors(page: Page, errors: string[]): void {
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(`uncaught: ${error.stack ?? error.message}`));
}

const MAX_TRIES = 3;

/** Results of actions that tests run in the main process, by number of the call. */
type Done = Map<number, unknown>;

/**
 * Repeats a call of `evaluate` whose result was lost: on a busy computer the debugger can collect the promise of a call
 * before it is settled. The action itself runs only once, as the main process keeps its result for the repetition.
 */
function repeatLostResults(app: ElectronApplication): void {
  const evaluate = app.evaluate.bind(app) as (act: unknown, argument: unknown) => Promise<unknown>;
  let calls = 0;
  const runOnce = (
    main: unknown,
    { call, source, argument }: { call: number; source: string; argument: unknown },
  ): unknown => {
    const held = globalThis as { resultsOfTests?: Done };
    held.resultsOfTests ??= new Map();
    if (!held.resultsOfTests.has(call)) {
      const act = new Function(`return (${source});`)() as (main: unknown, argument: unknown) => unknown;
      held.resultsOfTests.set(call, act(main, argument));
    }
    return held.resultsOfTests.get(call);
  };
  const repeated = async (act: unknown, argument: unknown): Promise<unknown> => {
    calls += 1;
    const call = calls;
    for (let tries = 1; ; tries += 1) {
      try {
        return await evaluate(runOnce, { call, source: String(act), argument });
      } catch (error) {
        const isLost = error instanceof Error && error.message.includes('promise was garbage collected');
        if (!isLost || tries === MAX_TRIES) throw error;
      }
    }
  };
  Object.assign(app, { evaluate: repeated });
}

/** Launches an app without the fixtures around it, for an app that several tests share. */
export async function launchApp(options: LaunchOptions & { readonly dataDir: string }): Promise<Launched> {
  const { dataDir, root = ROOT, hasSampleFile = root === ROOT } = options;
  if (hasSampleFile) giveFilledFile(dataDir);
  const app = await electron.launch({
    args: [
      ...(options.requires ?? []).flatMap((file) => ['-r', file]),
      SHORT_LIVED,
      root,
      `--data-dir=${dataDir}`,
      ...(options.args ?? []),
    ],
    env: definedEnv(options.env ?? {}),
    // Playwright would choose light, but the app must see the setting of the system.
    colorScheme: null,
    timeout: START_MS,
  });
  repeatLostResults(app);
  // An action may take as long as its test. Playwright's default of 30 seconds is meant for pages, not for waiting for
  // a service.
  app.context().setDefaultTimeout(0);
  const errors: string[] = [];
  let text = '';
  for (const stream of [app.process().stdout, app.process().stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  app.context().on('page', (page) => collectErrors(page, errors));
  for (const page of app.windows()) collectErrors(page, errors);
  const page = await app.firstWindow({ timeout: START_MS });
  // Checked in the page itself, because Playwright may attach to a window only after its load event, and would then
  // wait forever.
  await expect(async () => {
    expect(new URL(page.url()).pathname).toMatch(/\/index\.html$/);
    expect(await page.evaluate(() => document.readyState)).toBe('complete');
  }).toPass({ timeout: START_MS, intervals: [20, 50, 100] });
  let isClosed = false;
  app.once('close', () => {
    isClosed = true;
  });
  const close = async (): Promise<void> => {
    if (!isClosed) await app.close();
  };
  const kill = async (): Promise<void> => {
    const ended = app.waitForEvent('close');
    app.process().kill('SIGKILL');
    await ended;
  };
  return { app, page, dataDir, errors, output: () => text, close, kill };
}

/** Removes the data of a test that passed, although its screenshots are kept. */
function removeDataOf(testInfo: TestInfo, dataDir: string): void {
  if (path.relative(testInfo.outputDir, dataDir).startsWith('..')) return;
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

export const test = base.extend<Fixtures>({
  allowedErrors: [[], { option: true }],
  launch: async ({ allowedErrors }, use, testInfo) => {
    const all: Launched[] = [];
    await use(async (options = {}) => {
      const launched = await launchApp({ dataDir: testInfo.outputPath('data'), ...options });
      all.push(launched);
      return launched;
    });
    if (testInfo.status !== testInfo.expectedStatus) await attachEvidence(all, testInfo);
    for (const launched of all) await launched.close();
    if (testInfo.status === testInfo.expectedStatus)
      for (const { dataDir } of all) removeDataOf(testInfo, dataDir);
    const isAllowed = (error: string): boolean => allowedErrors.some((pattern) => pattern.test(error));
    expect(all.flatMap(({ errors }) => errors).filter((error) => !isAllowed(error))).toEqual([]);
  },
  spandeck: async ({ launch }, use) => {
    await use(await launch());
  },
});

/** Attaches screenshots of every window and the output of the main process to a failed test. */
export async function attachEvidence(all: readonly Launched[], testInfo: TestInfo): Promise<void> {
  for (const [index, { app, output }] of all.entries()) {
    await testInfo.attach(`output-${index}.txt`, { body: output(), contentType: 'text/plain' });
    for (const page of app.windows()) {
      const body = await page.screenshot({ timeout: PICTURE_MS }).catch(() => undefined);
      if (body !== undefined)
        await testInfo.attach(`window-${index}.png`, { body, contentType: 'image/png' });
    }
  }
}

export { expect };
