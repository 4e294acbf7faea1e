/** Opens the built renderer in plain Chromium with a fake main process, for component tests. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Page,
} from '@playwright/test';
import { build } from 'vite';
import { CONTENT_SECURITY_POLICY } from '../../electron/platform/content-security-policy.ts';
import { CONTENT_TYPES } from '../../electron/platform/renderer-files.ts';
import { NOW, type Scenario } from './fake-main/scenario.ts';

export interface RendererSite extends AsyncDisposable {
  url: string;
}

const FAKE_MAIN = '/fake-main/';
/** An empty page of the same origin. */
const EMPTY_PAGE = `${FAKE_MAIN}empty.html`;

interface Served {
  type: string;
  body: Buffer | string;
}

/** Bundles a module of the fake main process with its imports, as about fifty requests per page would cost more. */
async function bundled(input: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ...{ write: false, minify: false, target: 'esnext', modulePreload: false, copyPublicDir: false },
      rolldownOptions: { input, output: { codeSplitting: false } },
    },
  });
  const [chunk] = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  if (chunk?.type !== 'chunk') throw new Error(`Expected one bundle of ${input}, got ${chunk?.type}.`);
  return chunk.code;
}

/**
 * Returns a file of the renderer or a module of the fake main process. Pages of the renderer load the fake main process
 * first.
 */
async function read(folder: string, path: string, madeUpMain: string): Promise<Served> {
  if (path === EMPTY_PAGE) return { type: 'text/html', body: '' };
  if (path.startsWith(FAKE_MAIN))
    return { type: 'text/javascript', body: await bundled(join(import.meta.dirname, path)) };
  const file = join(folder, path === '/' ? 'index.html' : path);
  const body = await readFile(file);
  const type = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream';
  if (extname(file) !== '.html') return { type, body };
  const first = `<script type="module" src="${FAKE_MAIN}${madeUpMain}"></script>`;
  return { type, body: body.toString('utf8').replace('<head>', `<head>${first}`) };
}

/**
 * Serves a built renderer folder with the product's content security policy. `madeUpMain`: the module that installs the
 * fake main process in the window; with `apart.ts`, pages are opened by `openApart`.
 */
export async function serveRenderer(folder: string, madeUpMain = 'install.ts'): Promise<RendererSite> {
  // Files do not change while tests run, so each file is read or bundled once, and is requested once per context.
  const known = new Map<string, Promise<Served>>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const served = known.get(pathname) ?? read(folder, pathname, madeUpMain);
    known.set(pathname, served);
    served.then(
      ({ type, body }) => {
        response.writeHead(200, {
          'Content-Type': type,
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
          'Cache-Control': 'max-age=3600',
        });
        response.end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The test server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Chromium without a user interface: the same renderer, with four fifths of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Optimizing compilers do not pay off, as test pages are open only briefly. The code behaves the same without them. */
const SHORT_LIVED = '--js-flags=--no-opt --no-maglev --always-sparkplug';

/** Path of the Chromium of the system if there is one, otherwise of the one of Playwright; null if neither exists. */
export function findChromium(): string | null {
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', chromium.executablePath()];
  return places.find((file) => existsSync(file)) ?? null;
}

function launch(executablePath: string | null, switches: readonly string[]): Promise<Browser> {
  if (executablePath === null) throw new Error('Expected a Chromium; found none.');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--force-color-profile=srgb', ...switches],
  });
}

/** Launches regular Chromium for measurements, with these switches in addition to those of every launch. */
export const launchChromium = (...switches: readonly string[]): Promise<Browser> =>
  launch(findChromium(), switches);

/** Launches the cheapest variant, for hundreds of short tests. */
export const launchForTests = (): Promise<Browser> =>
  launch(existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : findChromium(), [SHORT_LIVED]);

export interface RendererPage {
  page: Page;
  /** Policy violations, uncaught errors and console errors; a test expects none. */
  complaints: string[];
  /** Resets the page for the next caller that opens the renderer in it. */
  leave: () => Promise<void>;
}

/**
 * Runs in the page before its own scripts. Stops only the wall clock, so that texts about time are the same on every
 * day and at any speed. Timers, frames and `performance` are unchanged.
 */
function stopWallClock(nowMs: number): void {
  class StoppedDate extends Date {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [nowMs] : given) as [number]));
    }
    static override now(): number {
      return nowMs;
    }
  }
  Object.assign(globalThis, { Date: StoppedDate });
}

const VIEWPORT = { width: 1280, height: 800 };

/**
 * Opens a context in Berlin with windows of 1,280 by 800. Its pages share their cache, and callers clear stored data.
 */
export function openContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({
    viewport: VIEWPORT,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
}

/**
 * Whether a message is an error or a warning of Svelte, e.g. `derived_inert`, which means that a derived value is not
 * updated any more because the effect that created it has ended.
 */
const isFault = (message: ConsoleMessage): boolean =>
  message.type() === 'error' || message.text().startsWith('https://svelte.dev/e/');

/** Opens a window whose time is always `NOW`, in an empty page of an earlier test or in a new page. */
export async function openRenderer(
  context: BrowserContext,
  url: string,
  scenario: Scenario,
  left?: Page,
): Promise<RendererPage> {
  const page = left ?? (await context.newPage());
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (isFault(message)) complaints.push(message.text());
  });
  const scripts = [
    await page.addInitScript(stopWallClock, NOW),
    await page.addInitScript((given) => Object.assign(globalThis, { scenario: given }), scenario),
  ];
  await page.goto(url);
  const leave = async (): Promise<void> => {
    // Ends the remaining work of the renderer while its errors are still recorded.
    await page.goto('about:blank');
    for (const script of scripts) await script.dispose();
    for (const event of ['pageerror', 'console', 'request'] as const) page.removeAllListeners(event);
    await page.mouse.move(-1, -1);
    const size = page.viewportSize();
    if (size?.width !== VIEWPORT.width || size.height !== VIEWPORT.height)
      await page.setViewportSize(VIEWPORT);
  };
  return { page, complaints, leave };
}

/** Starts the fake main process of `apart.ts` in a page. Runs in the page, so names of this file are not available. */
function startApart(scenario: Scenario): Promise<void> {
  const thread = new Worker('/fake-main/apart-thread.ts', { type: 'module' });
  return new Promise((resolve, reject) => {
    thread.addEventListener('message', () => resolve(), { once: true });
    thread.addEventListener('error', ({ message }) => reject(new Error(message)), { once: true });
    thread.postMessage(scenario);
  });
}

/** Opens a window whose fake main process runs in another page, and so in another process. For measurements. */
export async function openApart(
  context: BrowserContext,
  url: string,
  given: Scenario,
): Promise<RendererPage> {
  const scenario = { ...given, mainChannel: randomUUID() };
  const main = await context.newPage();
  await main.goto(new URL(EMPTY_PAGE, url).href);
  await main.evaluate(startApart, scenario);
  return openRenderer(context, url, scenario);
}
