/** The built renderer in a plain Chromium, with a made-up main process: what component tests run in. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { build } from 'vite';
import { CONTENT_SECURITY_POLICY } from '../../electron/platform/content-security-policy.ts';
import { CONTENT_TYPES } from '../../electron/platform/renderer-files.ts';
import { NOW, type Scenario } from './fake-main/scenario.ts';

export interface RendererSite extends AsyncDisposable {
  url: string;
}

const FAKE_MAIN = '/fake-main/';

interface Served {
  type: string;
  body: Buffer | string;
}

/** A module of the made-up main process and all that it imports as one: half a hundred requests would cost a page more. */
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

/** A file of the renderer, or a module of the made-up main process, which the page loads first. */
async function read(folder: string, path: string, madeUpMain: string): Promise<Served> {
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
 * Serves a built renderer folder with the content security policy of the product. `madeUpMain`: the module that puts
 * the made-up main process behind the window; `apart.ts` has it in a thread of its own.
 */
export async function serveRenderer(folder: string, madeUpMain = 'install.ts'): Promise<RendererSite> {
  // Nothing changes while tests run: each file is read or bundled once, and fetched once by a context.
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

/** Where Chromium without its browser's surface is: the same renderer at four fifths of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** A page of a test lives too short for code that is compiled at length to pay; the code itself does the same. */
const SHORT_LIVED = '--js-flags=--no-opt --no-maglev --always-sparkplug';

/** Chromium of the system where there is one, else Playwright's own; null where there is neither. */
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

/** Chromium as people have it, for what is measured; with these switches beside those that every run has. */
export const launchChromium = (...switches: readonly string[]): Promise<Browser> =>
  launch(findChromium(), switches);

/** For hundreds of short tests: what costs least here. */
export const launchForTests = (): Promise<Browser> =>
  launch(existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : findChromium(), [SHORT_LIVED]);

export interface RendererPage {
  page: Page;
  /** Policy violations, uncaught errors and console errors; a test expects none. */
  complaints: string[];
  /** Leaves the page as it was before, for the next who opens the renderer in it. */
  leave: () => Promise<void>;
}

/**
 * Runs in the page before its own scripts. Only the wall clock stands still, so that a text about time is the same on
 * every day and at every pace; timers, frames and `performance` go on as they are the browser's.
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

/** Windows 1,280 by 800 in Berlin. Their pages share what they fetched; whoever shares it clears what they keep. */
export function openContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({
    viewport: VIEWPORT,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
}

/** A window where it is `NOW` of the scenario all the time; in a page that was left before, or in a new one. */
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
    if (message.type() === 'error') complaints.push(message.text());
  });
  const scripts = [
    await page.addInitScript(stopWallClock, NOW),
    await page.addInitScript((given) => Object.assign(globalThis, { scenario: given }), scenario),
  ];
  await page.goto(url);
  const leave = async (): Promise<void> => {
    // Ends what the renderer still does, while its complaints are heard.
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
