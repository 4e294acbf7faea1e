/** Playwright's fixtures for a launched app: its own data folder, and a failure on unexpected errors. */
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
/** The app of a test is too short-lived for optimizing compilation to pay off; unoptimized code behaves the same. */
const SHORT_LIVED = '--js-flags=--no-opt --no-maglev --always-sparkplug';
/** For a start on a busy computer; normally it takes two seconds. */
const START_MS = 120_000;
/** Some failures have a hanging page as their cause, and it has no screenshot. */
const PICTURE_MS = 10_000;

/** How to launch. */
export interface LaunchOptions {
  /** The app's folder; Spandeck by default. */
  readonly root?: string;
  /** The profile folder; by default one for each test, so that a second launch finds the data of the first. */
  readonly dataDir?: string;
  readonly args?: readonly string[];
  /** CommonJS modules that main loads before the app. */
  readonly requires?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** False: the sample service creates its workspace itself at its first start. */
  readonly hasSampleFile?: boolean;
}

/** A launched app and its first window, loaded. */
export interface Launched {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly dataDir: string;
  /** Console errors of the window and errors its scripts did not catch, so far. */
  readonly errors: readonly string[];
  /** The output of main on standard output and standard error so far. */
  readonly output: () => string;
  /** Ends the app in order, as its menu would. */
  readonly close: () => Promise<void>;
  /** Kills it in the middle of its work. */
  readonly kill: () => Promise<void>;
}

interface Fixtures {
  /** Console errors a test provokes on purpose; any other fails it. */
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

/** Results of the actions of tests in the main process, by the number of the call. */
type Done = Map<number, unknown>;

/**
 * Repeats a call of `evaluate` whose result was lost: on a busy computer the debugger can collect the promise of a call
 * before it is settled. The action itself runs once, as the main process keeps its result for the repetition.
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

/** Launches without Playwright's fixtures around it: for an app that several tests share. */
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
    // Playwright would choose light; the app must see the system's setting.
    colorScheme: null,
    timeout: START_MS,
  });
  repeatLostResults(app);
  // An action waits as long as its test: Playwright's own 30 seconds are for pages, not for waiting on a service.
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
  // Checked in the page itself: Playwright may attach to a window after its load event, and would wait forever.
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

/** For a passed test whose screenshots are kept. */
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

/** For a failed test: screenshots of every window and the output of main. */
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
