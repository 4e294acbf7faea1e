/** Spandeck starts without errors, runs once per profile, and ends normally. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, type Launched, test } from '../helpers/app.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { openPlaceToStay } from '../helpers/places.ts';
import { startSpandeck } from '../helpers/second-start.ts';
import { UploadPage } from '../helpers/upload-pages.ts';

/** Offset of the user version in the header of a SQLite file. */
const USER_VERSION_AT = 60;

const broken = (page: Page) => page.getByText(/^The run of .* was not closed$/);

const endOf = (main: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => main.once('exit', (code, signal) => resolve({ code, signal })));

/** Starts the app again on a profile that is in use. Resolves with its exit code and output. */
const startSecond = (dataDir: string, ...words: string[]) => startSpandeck({ dataDir, words }).ended;

/**
 * Returns the text of the window, empty while it shows nothing. Playwright cannot use a crashed page any more, but the
 * main process can. A request to a page that has just crashed is never answered.
 */
const textOf = (app: ElectronApplication): Promise<unknown> =>
  app.evaluate(({ BrowserWindow }) =>
    Promise.race([
      BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
        'document.documentElement.dataset.ready ? document.body.innerText : ""',
      ),
      new Promise((resolve) => setTimeout(() => resolve(''), 1_000)),
    ]),
  );

/**
 * Crashes the page from the main process, as Electron repeats the command of the debugger in the next process, which
 * would crash too.
 */
async function crash({ app, page }: Launched): Promise<void> {
  const isDone = await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (contents === undefined || !('forcefullyCrashRenderer' in contents)) return false;
    contents.forcefullyCrashRenderer();
    return true;
  });
  if (isDone) return;
  const session = await page.context().newCDPSession(page);
  // The command is never answered, as the process that would answer it has ended.
  void session.send('Page.crash').catch(() => undefined);
}

/** Text of a file of the page. */
const read = (name: string) => readFileSync(join(import.meta.dirname, '../../dist/renderer', name), 'utf8');

/** The script of the page, the start page, and all files that they and the first import of the script load. */
function firstFiles(): string[] {
  const [, script = ''] = /src="\.\/(assets\/[^"]+)"/.exec(read('index.html')) ?? [];
  const startPage = readdirSync(join(import.meta.dirname, '../../dist/renderer/assets')).filter((name) =>
    name.startsWith('StartView-'),
  );
  const files = new Set<string>();
  const open = [
    script,
    ...startPage.map((name) => `assets/${name}`),
    ...[...read(script).matchAll(/import\(`\.\/([^`]+)`\)/g)].map(([, name]) => `assets/${name}`),
  ];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const [, name] of read(file).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) open.push(`assets/${name}`);
  }
  return [...files];
}

test('the first view comes from few files, because main answers a request for each', () => {
  const files = firstFiles();
  expect(files.length).toBeGreaterThan(2);
  expect(files.length).toBeLessThan(12);
});

test('all files of the first view are fetched together with the script that imports them', () => {
  const page = read('index.html');
  const later = firstFiles().filter((file) => !page.includes(`src="./${file}"`));
  expect(later.length).toBeGreaterThan(2);
  for (const file of later) expect(page).toContain(`<link rel="modulepreload" crossorigin href="./${file}">`);
});

test('a later start loads little, because it only hands its arguments over', () => {
  const dist = join(import.meta.dirname, '../../dist');
  const files = new Set<string>();
  const open = ['main.js'];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export) [^;]*?"\.\/([^"]+)";$/gm)) open.push(name);
  }
  expect(files.size).toBeGreaterThan(1);
  const bytes = [...files].reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
  expect(bytes).toBeLessThan(60_000);
});

test('shows in the window why nothing can be opened, and opens it when that is mended', async ({
  launch,
}) => {
  const { dataDir, close } = await launch();
  await close();
  const store = join(dataDir, 'spandeck.db');
  const written = readFileSync(store);
  const newer = Buffer.from(written);
  newer.writeUInt32BE(1_000_000, USER_VERSION_AT);
  writeFileSync(store, newer);
  const launched = await launch();
  const { app, page } = launched;
  const log = () => readFileSync(join(dataDir, 'logs', 'spandeck.log'), 'utf8');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('Local store is from a newer version');
  await expect(alert).toContainText('Install that version again');
  const again = alert.getByRole('button', { name: 'Try again' });
  await test.step('an attempt that fails too shows the reason again', async () => {
    await again.click();
    await expect.poll(() => log().match(/"not opened","code":"STORE_NEWER"/g)).toHaveLength(2);
    await expect(alert).toContainText('Local store is from a newer version');
  });
  await test.step('a later start ends, and leaves this window', async () => {
    expect(await startSecond(dataDir)).toEqual({ code: 0, text: expect.stringContaining('already open') });
    await expect(alert).toBeVisible();
  });
  writeFileSync(store, written);
  await again.click();
  await expect(page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
  await expect(broken(page)).toHaveCount(0);
  await test.step('closing a window that could open nothing ends the application in order', async () => {
    const mended = app.process();
    await launched.close();
    expect(mended.exitCode).toBe(0);
    writeFileSync(store, newer);
    const failed = await launch();
    await expect(failed.page.getByRole('alert')).toContainText('Local store is from a newer version');
    const main = failed.app.process();
    await failed.close();
    expect(main.exitCode).toBe(0);
    writeFileSync(store, written);
    await expect(broken((await launch()).page)).toHaveCount(0);
  });
});

test('runs one profile through its starts: first, second, after the end, after a kill', async ({
  launch,
}) => {
  const first = await launch();
  await test.step('the first start shows the welcome page in its own window', async () => {
    const { app, page } = first;
    await expect(page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
    await expect(page).toHaveTitle('Spandeck');
    await expect(broken(page)).toHaveCount(0);
    expect(app.windows()).toHaveLength(1);
    const settings = await app.evaluate(({ app: main, BrowserWindow }) => ({
      name: main.getName(),
      windows: BrowserWindow.getAllWindows().length,
    }));
    expect(settings).toEqual({ name: 'Spandeck', windows: 1 });
  });
  await test.step('a second start on the same profile ends and leaves the first one running', async () => {
    const second = await startSecond(first.dataDir);
    expect(second).toEqual({ code: 0, text: expect.stringContaining('already open') });
    await expect(first.page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
  });
  await test.step('reports nothing after a normal end, only after a kill', async () => {
    const closed = first.app.process();
    await first.app.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'dark';
    });
    await first.close();
    // The next window uses this theme before the settings are read.
    const state = JSON.parse(readFileSync(join(first.dataDir, 'window.json'), 'utf8'));
    expect(state).toMatchObject({ theme: 'dark' });
    expect(closed.exitCode).toBe(0);
    const again = await launch();
    await expect(again.page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
    await expect(broken(again.page)).toHaveCount(0);
    await again.kill();
    await expect(broken((await launch()).page)).toBeVisible();
  });
});

test('the first minute in the sample workspace: a failed trace, a dataset of five answers, a checked file', async ({
  launch,
}) => {
  const { page, dataDir } = await launch();
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  const steps = page.getByRole('region', { name: 'First steps' });
  const button = (name: string) => steps.getByRole('button', { name });
  const home = () => page.keyboard.press('Control+1');
  await test.step('the slowest failed trace of the week', async () => {
    await expect(steps.getByText(/^\d+ spans, [1-9]\d* errors?$/)).toBeVisible();
    await expect(button('Open the trace')).toBeEnabled();
    await page.keyboard.press('1');
    await expect(page.getByRole('treegrid', { name: 'Spans of the trace as a tree' })).toBeVisible();
    await expect(page.getByRole('row', { name: /Failed/ }).first()).toBeVisible();
  });
  await test.step('five answers as items, each with inputs, before anything is sent', async () => {
    await home();
    await expect(steps.getByText('Done')).toHaveCount(1);
    await expect(button('Make a dataset')).toBeEnabled();
    await page.keyboard.press('2');
    await expect(page.getByRole('grid', { name: /Items/ })).toHaveAttribute('aria-rowcount', '6');
  });
  await test.step('the file of the sample service, kept in its own folder, is checked', async () => {
    await home();
    await expect(steps.getByText('Done')).toHaveCount(1);
    await page.keyboard.press('3');
    const upload = new UploadPage(page);
    await expect(upload.view).toContainText('bank_bad.csv');
    await expect(upload.view).toContainText(/4 bad rows/);
    await expect(upload.view).toContainText(/4 unusual/);
    expect(readdirSync(join(dataDir, 'sample'))).toContain('bank_bad.csv');
  });
  await test.step('unfinished work waits, and its step leads back to it', async () => {
    await home();
    await expect(page.getByRole('region', { name: 'Waiting for you' })).toContainText('bank_bad.csv');
    await expect(steps.getByText('Done')).toHaveCount(1);
    await expect(button('Continue')).toHaveCount(2);
    await page.keyboard.press('3');
    await expect(new UploadPage(page).view).toContainText('bank_bad.csv');
  });
});

test('a first start with a file and a link keeps both until a connection is open; a later start passes a file', async ({
  launch,
}, testInfo) => {
  const [first = '', second = ''] = ['first.csv', 'second.csv'].map((name) => testInfo.outputPath(name));
  for (const file of [first, second]) writeFileSync(file, churnCsv(20));
  const { page, dataDir } = await launch({ args: ['spandeck://my-jobs', first] });
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expect(page.getByRole('tab', { name: 'Jobs' })).toBeVisible();
  const upload = new UploadPage(page);
  await expect(upload.preview).toBeVisible();
  await expect(upload.view).toContainText('first.csv');
  await startSecond(dataDir, second);
  await expect(upload.view).toContainText('second.csv');
});

test('stays open after a failure in the background, reloads a crashed window with its tabs; two impatient Ctrl+C then end the app properly', async ({
  launch,
}) => {
  const launched = await launch();
  const { app, page, dataDir } = launched;
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  await openPlaceToStay(page, 'Requests');
  await expect(page.getByRole('tab', { name: 'Requests' })).toBeVisible();
  await test.step('follows a link from a second start, although this run started at the welcome page', async () => {
    await startSecond(dataDir, 'spandeck://my-jobs');
    await expect(page.getByRole('tab', { name: 'Jobs' })).toBeVisible();
  });
  await test.step('code in the page cannot navigate the window to another path of its own origin', async () => {
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript("location.assign('nowhere.html'), 0"),
    );
    const log = () => readFileSync(join(dataDir, 'logs', 'spandeck.log'), 'utf8');
    await expect.poll(log).toContain('navigation refused');
    // The main process is asked, as Playwright waits for the rejected navigation before it answers anything about the
    // page.
    await expect.poll(() => textOf(app)).toContain('Jobs');
  });
  await test.step('a failure of work that nobody awaits is logged and shown, and ends nothing', async () => {
    await app.evaluate(() => {
      setTimeout(() => void Promise.reject(new Error('on purpose')));
    });
    await expect.poll(() => textOf(app)).toContain('on purpose');
    const log = () => readFileSync(join(dataDir, 'logs', 'spandeck.log'), 'utf8');
    await expect.poll(log).toMatch(/"what":"background work".*"reason":"on purpose"/);
    await expect.poll(() => textOf(app)).toContain('Jobs');
  });
  await crash(launched);
  // The page cannot answer until it is reloaded.
  await expect(async () =>
    expect(await textOf(app)).toMatch(/The window crashed \(.+\) and was opened again/),
  ).toPass({ timeout: 60_000 });
  await expect.poll(() => textOf(app)).toContain('Requests');
  expect(readFileSync(join(dataDir, 'logs', 'spandeck.log'), 'utf8')).toContain('window crashed');

  // Windows has no signals.
  if (process.platform === 'win32') return;
  const main = app.process();
  const ended = endOf(main);
  main.kill('SIGINT');
  main.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, signal: null });
  // When a store is closed, its write-ahead log is merged into it.
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  const stores = files.filter((file) => /^(?:[a-z-]+|connections[\\/].+)\.db(?:-wal)?$/.test(file));
  expect(stores.length).toBeGreaterThan(2);
  expect(stores.filter((file) => file.endsWith('-wal'))).toEqual([]);
});
