/** The built renderer with a fake main process. A test fails on any error that the page reports. */
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import type { Scenario } from './fake-main/scenario.ts';
import {
  findChromium,
  launchForTests,
  openContext,
  openRenderer,
  type RendererPage,
  type RendererSite,
  serveRenderer,
} from './renderer-page.ts';

const RENDERER = path.resolve(import.meta.dirname, '../../dist/renderer');

export interface FakeCall {
  channel: string;
  argument: Record<string, unknown>;
}

interface Fixtures {
  /** For a test that changes its page permanently, e.g. with a debugger session, so that the page is not reused. */
  ownPage: boolean;
  open: (scenario?: Scenario) => Promise<Page>;
}
interface WorkerFixtures {
  /** `left` is the empty page of the previous test. To load the renderer in it costs less than half of a new page. */
  renderer: { context: BrowserContext; site: RendererSite; left: Page | undefined };
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  renderer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this parameter.
    async ({}, use) => {
      if (!existsSync(RENDERER))
        throw new Error('Expected the built renderer in dist/renderer. Run npm start.');
      await using site = await serveRenderer(RENDERER);
      const browser = await launchForTests();
      await use({ context: await openContext(browser), site, left: undefined });
      await browser.close();
    },
    { scope: 'worker' },
  ],
  ownPage: [false, { option: true }],
  open: async ({ renderer, ownPage }, use, testInfo) => {
    const opened: RendererPage[] = [];
    await use(async (scenario = {}) => {
      const left = ownPage ? undefined : renderer.left;
      if (left !== undefined) renderer.left = undefined;
      const rendered = await openRenderer(renderer.context, renderer.site.url, scenario, left);
      opened.push(rendered);
      await rendered.page.waitForSelector('html[data-ready]');
      return rendered.page;
    });
    const isKept = !ownPage && testInfo.status === testInfo.expectedStatus;
    for (const { page, leave } of opened) {
      if (isKept && renderer.left === undefined && !page.isClosed()) {
        await leave();
        renderer.left = page;
      } else await page.close();
    }
    // The next test shares the context and must not see anything of this one. The renderer itself stores nothing in it.
    await renderer.context.clearCookies();
    await renderer.context.clearPermissions();
    expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
  },
});

test.skip(findChromium() === null, 'These tests run in Chromium, and there is none on this machine.');

/** Calls on one channel, in order. */
export function callsOf(page: Page, channel: string): Promise<FakeCall[]> {
  return page.evaluate((name) => {
    const { fakeCalls } = globalThis as unknown as { fakeCalls: FakeCall[] };
    return fakeCalls.filter((call) => call.channel === name);
  }, channel);
}

/**
 * Waits until the calls on a channel have these arguments in this order, as a call can follow the visible effect of a
 * click. `part` selects the part that is compared.
 */
export async function expectCalls(
  page: Page,
  channel: string,
  expected: unknown[],
  part: (argument: FakeCall['argument']) => unknown = (argument) => argument,
): Promise<void> {
  const told = async () => (await callsOf(page, channel)).map(({ argument }) => part(argument));
  await expect.poll(told, `calls of ${channel}`).toMatchObject(expected);
}

/** The argument of the newest call on a channel, once there are `count` calls. */
export async function newestCall(page: Page, channel: string, count = 1): Promise<FakeCall['argument']> {
  const counted = async () => (await callsOf(page, channel)).length;
  await expect.poll(counted, `calls of ${channel}`).toBeGreaterThanOrEqual(count);
  return (await callsOf(page, channel)).at(-1)?.argument ?? {};
}

/** Opens the catalog of the first application in the list. */
export async function openCatalog(page: Page): Promise<void> {
  await page.getByRole('gridcell', { name: 'Support assistant', exact: true }).dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Support assistant');
}

/** Opens the catalog and waits for its first entities. */
export async function openEntities(page: Page): Promise<void> {
  await openCatalog(page);
  await expect(page.getByRole('gridcell', { name: 'gen_ai.user.count', exact: true }).first()).toBeVisible();
}

export { expect };

/** Closes the window and returns the layout that the next start will read. */
export async function layoutOf(page: Page): Promise<Record<string, unknown>> {
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  const calls = await callsOf(page, 'layout:write');
  return Object.fromEntries(calls.map(({ argument }) => [String(argument['key']), argument['value']]));
}
