/** How any runtime handles messages, files and the main process, tested with a small separate app. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Page } from '@playwright/test';
import { expect, FIXTURE_APP, seenBy, test } from '../helpers/fixture-window.ts';
import { hasElectron } from '../helpers/second-start.ts';

test.describe('messages to the main process', () => {
  test('transfers values of every kind like structured clone', async ({ fixture }) => {
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

  test('rejects values that cannot be cloned', async ({ fixture }) => {
    const rejection = await fixture.page.evaluate(async () => {
      try {
        // The value is not a DOM element, as the bridge of Electron accepts DOM elements.
        await window.fixture.echo({ inner: new WeakMap() });
        return 'accepted';
      } catch {
        return 'refused';
      }
    });
    expect(rejection).toBe('refused');
  });

  test('preserves the message of an error, and names an unknown channel', async ({ fixture }) => {
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

  test('identifies the sender in the main process, and sends events to the page until it unsubscribes', async ({
    fixture,
  }) => {
    const { page } = fixture;
    expect(await page.evaluate(() => window.fixture.sender())).toEqual({
      url: 'app://bundle/index.html',
      isMain: true,
    });
    const news = await page.evaluate(async () => {
      const heard: unknown[] = [];
      const stop = window.fixture.onNews((value) => heard.push(value));
      // An event can arrive after the answer to the request that caused it.
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

  test('passes the path of a dropped file to the main process', async ({ fixture }, testInfo) => {
    const files = ['one.csv', 'zwei ü.csv'].map((name) => testInfo.outputPath(name));
    for (const file of files) fs.writeFileSync(file, 'a,b\n1,2\n');
    await drop(fixture.page, files);
    await expect.poll(() => fixture.page.evaluate(() => window.dropped)).toEqual(files);
  });

  test('reports no path for a file created by a script', async ({ fixture }) => {
    const paths = await fixture.page.evaluate(() => window.fixture.paths([new File(['x'], '/etc/passwd')]));
    expect(paths).toEqual(['']);
  });

  test('opens nothing if a file is dropped where it is not accepted', async ({ fixture }, testInfo) => {
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
  test('prints a page as PDF in a window that is never shown', async ({ fixture }) => {
    const printed = await fixture.app.evaluate(async ({ BrowserWindow }) => {
      const window = new BrowserWindow({ show: false, focusable: false });
      await window.loadURL('app://bundle/index.html');
      const bytes = await window.webContents.printToPDF({ pageSize: 'A4', generateTaggedPDF: true });
      const seen = [window.isVisible(), Buffer.from(bytes).subarray(0, 5).toString()];
      window.destroy();
      return seen;
    });
    expect(printed).toEqual([false, '%PDF-']);
    await expect.poll(() => fixture.app.windows().length).toBe(1);
  });

  test('supports windows, menu, clipboard and name', async ({ fixture }) => {
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
    // The clipboard is shared, so another program can write to it in between.
    await expect(async () => {
      const text = await app.evaluate(async ({ clipboard }) => {
        await clipboard.writeText('copied ü');
        return clipboard.readText();
      });
      expect(text).toBe('copied ü');
    }).toPass();
  });

  test('reports a hidden window as neither visible nor minimized, and restores it unchanged', async ({
    fixture,
  }) => {
    const seen = await fixture.app.evaluate(async ({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const told: string[] = [];
      window?.once('hide', () => told.push('hide'));
      window?.once('show', () => told.push('show'));
      window?.once('minimize', () => told.push('minimize'));
      window?.hide();
      const hidden = [window?.isVisible(), window?.isMinimized()];
      const isShown = new Promise((resolve) => window?.once('show', () => resolve(undefined)));
      window?.show();
      await isShown;
      return { hidden, shown: [window?.isVisible(), window?.isMinimized()], told };
    });
    expect(seen).toEqual({ hidden: [false, false], shown: [true, false], told: ['hide', 'show'] });
  });

  test("applies the app's theme to pages", async ({ fixture }) => {
    const isDark = (): Promise<boolean> =>
      fixture.page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    for (const source of ['dark', 'light'] as const) {
      await fixture.app.evaluate(({ nativeTheme }, value) => {
        nativeTheme.themeSource = value;
      }, source);
      await expect.poll(isDark).toBe(source === 'dark');
    }
  });

  test('starts a utility process with nothing but the environment that it is given', async ({ fixture }) => {
    const file = path.join(import.meta.dirname, '../helpers/environment-child.cjs');
    const names = await fixture.app.evaluate(
      ({ utilityProcess }, script) =>
        new Promise<string[]>((resolve) => {
          const child = utilityProcess.fork(script, [], { env: { GIVEN: 'yes' }, stdio: 'ignore' });
          child.once('message', resolve);
        }),
      file,
    );
    // Electron on Linux adds the address of the session bus.
    expect(names.filter((name) => name !== 'DBUS_SESSION_BUS_ADDRESS')).toEqual(['GIVEN']);
  });

  test('resolves the way to an address by the proxy rules of the session', async ({ fixture }) => {
    const answers = await fixture.app.evaluate(async ({ session }) => {
      const own = session.defaultSession;
      const answer = () => own.resolveProxy('https://service.example.com/v3');
      await own.setProxy({ proxyRules: 'proxy.example.com:3128' });
      const proxied = await answer();
      await own.setProxy({ mode: 'direct' });
      return [proxied, await answer()];
    });
    expect(answers).toEqual(['PROXY proxy.example.com:3128', 'DIRECT']);
  });

  // The page of the fixture contains an inline script, which must be blocked.
  test.use({ allowedErrors: [/Content Security Policy/] });
  test('keeps a window whose closing is prevented, and hides and closes it later', async ({ launch }) => {
    const { app, page } = await launch({ root: FIXTURE_APP });
    await app.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.once('close', (event) => {
        event.preventDefault();
        globalThis.seen.menu.push('refused');
      });
    });
    // Acts like the window frame. The Chromium host closes the page before it asks the main process, and Electron asks
    // first.
    if (hasElectron()) await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    else {
      const client = await page.context().newCDPSession(page);
      // The answer may be lost together with the page.
      client.send('Page.close').catch(() => undefined);
    }
    const stateOf = () =>
      app.evaluate(async ({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows();
        // A page that is closed in the meantime does not answer.
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

  test('ends the app when the last window closes', async ({ launch }) => {
    const { app } = await launch({ root: FIXTURE_APP });
    const main = app.process();
    const closed = app.waitForEvent('close');
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    await closed;
    expect(main.exitCode).toBe(0);
  });
});
