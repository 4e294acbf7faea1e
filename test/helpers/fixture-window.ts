/** The fixture app, launched once for all tests of a worker. Its page is reloaded for each test. */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test as base, expect, type Launched, launchApp } from './app.ts';

export const FIXTURE_APP = path.join(import.meta.dirname, 'fixture-app');

/** The API that the preload script of the fixture provides. */
interface FixtureApi {
  echo(value: unknown): Promise<unknown>;
  fail(): Promise<never>;
  missing(): Promise<never>;
  sender(): Promise<{ url: string; isMain: boolean }>;
  broadcast(value: unknown): Promise<void>;
  paths(files: File[]): Promise<string[]>;
  onNews(listener: (value: unknown) => void): () => void;
  addSync(a: number, b: number): number;
  preloadGlobals(): string[];
}

/** Data of the fixture's main process that specs read. */
export interface Seen {
  readonly opened: string[];
  readonly navigations: string[];
  readonly requests: string[];
  readonly menu: string[];
}

interface PageGlobals {
  readonly fixture: FixtureApi;
  readonly violations: string[];
  readonly dropped?: string[];
}

declare global {
  var seen: Seen;
  interface Window extends PageGlobals {}
}

/** Events in the main process since the test began. */
export const seenBy = (fixture: Launched): Promise<Seen> => fixture.app.evaluate(() => globalThis.seen);

/** Reloads the page, and clears the events of the main process. */
async function renew({ app, page }: Launched): Promise<void> {
  await app.evaluate(() => {
    for (const list of Object.values(globalThis.seen)) list.length = 0;
  });
  await page.reload();
  await expect(page.locator('#state')).toHaveText('ready');
}

export const test = base.extend<{ fixture: Launched }, { sharedFixture: Launched }>({
  sharedFixture: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this parameter.
    async ({}, use) => {
      const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'fixture-app-'));
      const launched = await launchApp({ root: FIXTURE_APP, dataDir });
      await use(launched);
      await launched.close();
      fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
    { scope: 'worker' },
  ],
  fixture: async ({ sharedFixture }, use) => {
    await renew(sharedFixture);
    await use(sharedFixture);
  },
});

export { expect };
