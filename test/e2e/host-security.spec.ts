/**
 * Requirements for the security settings of the app that any runtime must enforce, tested with a small separate app.
 */
import type { Page } from '@playwright/test';
import type { Launched } from '../helpers/app.ts';
import { expect, seenBy, test } from '../helpers/fixture-window.ts';

test.describe('isolation of the page', () => {
  test('exposes nothing of Node or the preload to the page except the intended API', async ({ fixture }) => {
    const found = await fixture.page.evaluate(() => ({
      node: ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer'].filter(
        (name) => name in window,
      ),
      exposed: Object.keys(window.fixture).length,
      isWritable: Object.getOwnPropertyDescriptor(window, 'fixture')?.writable,
    }));
    expect(found).toEqual({ node: [], exposed: 9, isWritable: false });
  });

  test('prevents a page script from replacing functions that the preload uses', async ({ fixture }) => {
    const echoed = await fixture.page.evaluate(() => {
      const taken = (): never => {
        throw new Error('taken');
      };
      Object.assign(Array.prototype, { map: taken });
      Object.assign(window, {
        JSON: { stringify: taken, parse: taken },
        structuredClone: taken,
        CustomEvent: taken,
      });
      return window.fixture.echo({ kept: [1, 2] });
    });
    expect(echoed).toEqual({ kept: [1, 2] });
  });
});

test.describe('the policy of the page', () => {
  test('blocks inline scripts, eval and foreign connections', async ({ fixture }) => {
    const { page } = fixture;
    expect(await page.evaluate(() => document.body.dataset['inline'])).toBeUndefined();
    // Runs in a timer of the page, because the policy does not apply to code that the debugger evaluates.
    const outcome = await page.evaluate(async () => {
      const evaluated = await new Promise<string>((resolve) => {
        setTimeout(() => {
          try {
            resolve(Function('return "ran"')());
          } catch (error) {
            resolve(error instanceof EvalError ? 'blocked' : 'other');
          }
        });
      });
      const fetched = await fetch('https://example.invalid/').then(
        () => 'reached',
        () => 'blocked',
      );
      return { evaluated, fetched, isSecure: window.isSecureContext };
    });
    expect(outcome).toEqual({ evaluated: 'blocked', fetched: 'blocked', isSecure: true });
    await expect.poll(() => page.evaluate(() => window.violations)).toContain('connect-src');
  });

  test('serves only files below the served folder', async ({ fixture }) => {
    const statuses = await fixture.page.evaluate(() =>
      Promise.all(
        [
          'page.js',
          'missing.html',
          '/../main.ts',
          '/%2e%2e/main.ts',
          '/..%2fmain.ts',
          '/..%2f..%2fapp.ts',
        ].map(async (url) => (await fetch(url)).status),
      ),
    );
    expect(statuses).toEqual([200, 404, 404, 404, 404, 404]);
  });

  test('rejects permissions', async ({ fixture }) => {
    const answers = await fixture.page.evaluate(async () => [
      await Notification.requestPermission(),
      (await navigator.permissions.query({ name: 'geolocation' })).state,
      await navigator.clipboard.readText().then(
        () => 'read',
        () => 'denied',
      ),
    ]);
    expect(answers).toEqual(['denied', 'denied', 'denied']);
  });
});

test.describe('navigation of the page', () => {
  /**
   * The main process is asked, as Playwright waits for a rejected navigation before it answers anything about the page.
   */
  const stays = async ({ app }: Launched): Promise<void> => {
    const state = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
          'document.querySelector("#state").innerText',
        ),
      );
    await expect.poll(state).toBe('ready');
  };

  /** Sends an event, as Playwright would wait after its own click for the navigation that the main process rejects. */
  const follow = (page: Page, link: string): Promise<void> => page.locator(link).dispatchEvent('click');

  test('asks about navigations and denies them', async ({ fixture }) => {
    await follow(fixture.page, '#outside');
    await follow(fixture.page, '#inside');
    await expect
      .poll(async () => (await seenBy(fixture)).navigations)
      .toEqual(['https://example.invalid/', 'app://bundle/other.html']);
    await stays(fixture);
  });

  test('asks about new windows and denies them', async ({ fixture }) => {
    const { app, page } = fixture;
    await page.locator('#new-window').click();
    expect(await page.evaluate(() => window.open('https://example.invalid/open'))).toBeNull();
    await expect
      .poll(async () => (await seenBy(fixture)).opened)
      .toEqual(['https://example.invalid/new', 'https://example.invalid/open']);
    expect(app.windows()).toHaveLength(1);
    await stays(fixture);
  });

  test('sends no request out of the app: each is seen, foreign ones are cancelled', async ({ fixture }) => {
    const { app, page } = fixture;
    await follow(page, '#outside');
    await page.evaluate(() => fetch('https://example.invalid/').catch(() => undefined));
    await expect.poll(async () => (await seenBy(fixture)).navigations).toEqual(['https://example.invalid/']);
    const { requests } = await seenBy(fixture);
    expect(requests.filter((url) => !url.startsWith('app://bundle/'))).toEqual([]);
    expect(requests).toContain('app://bundle/index.html');
    expect(app.windows()).toHaveLength(1);
  });
});
