/** What any runtime does with messages, files and the main process; held against a small app of its own. */
import * as fs from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, FIXTURE_APP, seenBy, test } from '../helpers/fixture-window.ts';
import { hasElectron } from '../helpers/second-start.ts';

test.describe('messages', () => {
  test('values of every kind arrive as structured clone carries them', async ({ fixture }) => {
    const came = await fixture.page.evaluate(async () => {
      const sent = {
        date: new Date(5),
        map: new Map([['k', undefined]]),
        set: new Set([1]),
        bytes: new Uint8Array([0, 255]),
        big: 10n,
        nan: Number.NaN,
        text: 'é\ud83d\ude00',
        $: 'reserved',
        nested: [{ a: undefined }],
      };
      const got = (await window.fixture.echo(sent)) as typeof sent;
      return [
        got.date instanceof Date && got.date.getTime() === 5,
        got.map instanceof Map && got.map.has('k'),
        got.set.has(1),
        got.bytes instanceof Uint8Array && got.bytes[1] === 255,
        got.big === 10n,
        Number.isNaN(got.nan),
        got.text === sent.text,
        got.$ === 'reserved',
        'a' in (got.nested[0] ?? {}),
      ];
    });
    expect(came).toEqual(Array(9).fill(true));
  });

  test('what cannot be cloned is refused', async ({ fixture }) => {
    const refusal = await fixture.page.evaluate(async () => {
      try {
        // Not an element of the page: Electron's bridge takes that.
        await window.fixture.echo({ inner: new WeakMap() });
        return 'accepted';
      } catch {
        return 'refused';
      }
    });
    expect(refusal).toBe('refused');
  });

  test('an error keeps its message, an unknown channel is named', async ({ fixture }) => {
    const messages = await fixture.page.evaluate(async () => {
      const messageOf = (promise: Promise<unknown>): Promise<string> =>
        promise.then(
          () => 'no error',
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
      return [await messageOf(window.fixture.fail()), await messageOf(window.fixture.missing())];
    });
    expect(messages[0]).toBe("Error invoking remote method 'fail': TypeError: nope");
    expect(messages[1]).toContain("No handler registered for 'missing'");
  });

  test('main knows the sender, events reach the page until it stops listening', async ({ fixture }) => {
    const { page } = fixture;
    expect(await page.evaluate(() => window.fixture.sender())).toEqual({
      url: 'app://bundle/index.html',
      isMain: true,
    });
    const news = await page.evaluate(async () => {
      const heard: unknown[] = [];
      const stop = window.fixture.onNews((value) => heard.push(value));
      // An event may come after the answer to the request that caused it.
      const next = () => new Promise((resolve) => window.fixture.onNews(resolve));
      const first = next();
      await window.fixture.broadcast('first');
      await first;
      stop();
      const second = next();
      await window.fixture.broadcast('second');
      return [heard, await second, window.fixture.addSync(2, 3)];
    });
    expect(news).toEqual([['first'], 'second', 5]);
  });
});

test.describe('files', () => {
  const drop = async (page: Page, files: readonly string[]): Promise<void> => {
    const box = await page.locator('#drop').boundingBox();
    if (box === null) throw new Error('The drop target has no box.');
    const client = await page.context().newCDPSession(page);
    const data = { items: [], files: [...files], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await client.send('Input.dispatchDragEvent', { type, x: box.x + 5, y: box.y + 5, data });
    }
    await client.detach();
  };

  test('a dropped file gives main its path', async ({ fixture }, testInfo) => {
    const files = ['one.csv', 'zwei ü.csv'].map((name) => testInfo.outputPath(name));
    for (const file of files) fs.writeFileSync(file, 'a,b\n1,2\n');
    await drop(fixture.page, files);
    await expect.poll(() => fixture.page.evaluate(() => window.dropped)).toEqual(files);
  });

  test('a file made by a script has no path', async ({ fixture }) => {
    const paths = await fixture.page.evaluate(() => window.fixture.paths([new File(['x'], '/etc/passwd')]));
    expect(paths).toEqual(['']);
  });

  test('a file dropped where nobody takes it opens nothing', async ({ fixture }, testInfo) => {
    const file = testInfo.outputPath('page.html');
    fs.writeFileSync(file, '<p>foreign</p>');
    const client = await fixture.page.context().newCDPSession(fixture.page);
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await client.send('Input.dispatchDragEvent', { type, x: 400, y: 500, data });
    }
    await expect(fixture.page.locator('#state')).toHaveText('ready');
    expect(fixture.app.windows()).toHaveLength(1);
  });
});

test.describe('the main process', () => {
  test('windows, menu, clipboard and name answer', async ({ fixture }) => {
    const { app } = fixture;
    const answers = await app.evaluate(async ({ app: main, BrowserWindow, Menu }) => {
      const [window] = BrowserWindow.getAllWindows();
      Menu.getApplicationMenu()?.getMenuItemById('hello')?.click();
      return {
        name: main.getName(),
        version: main.getVersion(),
        size: window?.getSize(),
        isImage: (await window?.webContents.capturePage())?.isEmpty() === false,
        url: window?.webContents.getURL(),
      };
    });
    expect(answers).toEqual({
      name: 'Host fixture',
      version: '1.2.3',
      size: [900, 600],
      isImage: true,
      url: 'app://bundle/index.html',
    });
    expect((await seenBy(fixture)).menu).toEqual(['hello']);
    // The clipboard is everybody's: another program may write into it between the two.
    await expect(async () => {
      const text = await app.evaluate(async ({ clipboard }) => {
        await clipboard.writeText('copied ü');
        return clipboard.readText();
      });
      expect(text).toBe('copied ü');
    }).toPass();
  });

  test('a hidden window is not visible and not minimized, and comes back as it was', async ({ fixture }) => {
    const seen = await fixture.app.evaluate(async ({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const told: string[] = [];
      window?.once('hide', () => told.push('hide'));
      window?.once('show', () => told.push('show'));
      window?.once('minimize', () => told.push('minimize'));
      window?.hide();
      const hidden = [window?.isVisible(), window?.isMinimized()];
      window?.show();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { hidden, shown: [window?.isVisible(), window?.isMinimized()], told };
    });
    expect(seen).toEqual({ hidden: [false, false], shown: [true, false], told: ['hide', 'show'] });
  });

  test('the theme of the app is what pages see', async ({ fixture }) => {
    const isDark = (): Promise<boolean> =>
      fixture.page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    for (const source of ['dark', 'light'] as const) {
      await fixture.app.evaluate(({ nativeTheme }, value) => {
        nativeTheme.themeSource = value;
      }, source);
      await expect.poll(isDark).toBe(source === 'dark');
    }
  });

  // The fixture's page has an inline script, to be refused.
  test.use({ allowedErrors: [/Content Security Policy/] });
  test('a window whose closing is refused stays, and can be hidden and closed later', async ({ launch }) => {
    const { app, page } = await launch({ root: FIXTURE_APP });
    await app.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.once('close', (event) => {
        event.preventDefault();
        globalThis.seen.menu.push('refused');
      });
    });
    // As its frame does. On the Chromium host the page is gone before main is asked; Electron asks first.
    if (hasElectron()) await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    else {
      const client = await page.context().newCDPSession(page);
      // Its answer may go with the page.
      client.send('Page.close').catch(() => undefined);
    }
    const stateOf = () =>
      app.evaluate(async ({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows();
        // A page that goes meanwhile never answers.
        const text = await Promise.race([
          window?.webContents.executeJavaScript('document.querySelector("#state").innerText'),
          new Promise((resolve) => setTimeout(() => resolve(''), 1_000)),
        ]);
        return [globalThis.seen.menu, text, window?.isVisible()];
      });
    await expect(async () => expect(await stateOf()).toEqual([['refused'], 'ready', true])).toPass();
    const isHidden = () =>
      app.evaluate(({ BrowserWindow }) => {
        BrowserWindow.getAllWindows()[0]?.hide();
        return BrowserWindow.getAllWindows()[0]?.isVisible() === false;
      });
    expect(await isHidden()).toBe(true);
    const main = app.process();
    const closed = app.waitForEvent('close');
    await app.evaluate(
      ({ BrowserWindow }) => void setTimeout(() => BrowserWindow.getAllWindows()[0]?.close()),
    );
    await closed;
    expect(main.exitCode).toBe(0);
  });

  test('closing the last window ends the app', async ({ launch }) => {
    const { app } = await launch({ root: FIXTURE_APP });
    const main = app.process();
    const closed = app.waitForEvent('close');
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    await closed;
    expect(main.exitCode).toBe(0);
  });
});
