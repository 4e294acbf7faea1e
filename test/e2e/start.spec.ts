/** Spandeck starts, says nothing wrong, runs once for each profile, and ends in order. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { findRuntime, ROOT } from '../../build/runtime.ts';
import { expect, test } from '../helpers/app.ts';

test('the first start shows the welcome in a window of its own', async ({ spandeck }) => {
  const { app, page } = spandeck;
  await expect(page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
  await expect(page).toHaveTitle('Spandeck');
  expect(app.windows()).toHaveLength(1);
  const settings = await app.evaluate(({ app: main, BrowserWindow }) => ({
    name: main.getName(),
    windows: BrowserWindow.getAllWindows().length,
  }));
  expect(settings).toEqual({ name: 'Spandeck', windows: 1 });
});

test('a second start on the same profile ends and leaves the first one running', async ({ spandeck }) => {
  const args = [ROOT, `--data-dir=${spandeck.dataDir}`];
  if (process.getuid?.() === 0) args.unshift('--no-sandbox');
  const second = spawn(findRuntime().executable, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  second.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => second.on('close', resolve));
  expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('already open') });
  await expect(spandeck.page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
});

test('a profile can be opened again after its window was closed; only one that was killed says so', async ({
  launch,
}) => {
  const broken = (page: Page) => page.getByText(/^The run of .* was not closed$/);
  for (let start = 0; start < 2; start += 1) {
    const { app, page, close } = await launch();
    await expect(page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
    await expect(broken(page)).toHaveCount(0);
    const main = app.process();
    await close();
    expect(main.exitCode).toBe(0);
  }
  const main = (await launch()).app.process();
  const ended = new Promise((resolve) => main.once('exit', resolve));
  main.kill('SIGKILL');
  await ended;
  const again = await launch();
  await expect(broken(again.page)).toBeVisible();
});

test('an impatient Ctrl+C, twice, ends the app in order: its stores are closed', async ({ launch }) => {
  test.skip(process.platform === 'win32', 'There are no signals.');
  const { app, page, dataDir } = await launch();
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  const main = app.process();
  const ended = new Promise((resolve) => main.once('exit', (code, signal) => resolve({ code, signal })));
  main.kill('SIGINT');
  main.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, signal: null });
  // A store that is closed has taken its write-ahead log in.
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  const stores = files.filter((file) => /^(?:[a-z-]+|connections[\\/].+)\.db(?:-wal)?$/.test(file));
  expect(stores.length).toBeGreaterThan(2);
  const left = stores.filter((file) => file.endsWith('-wal'));
  expect(left).toEqual([]);
});

test('a window that crashes is written down and loaded again, with its tabs, and says so', async ({
  launch,
}) => {
  const { app, page, dataDir } = await launch();
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  await page.getByRole('navigation').getByText('Traffic', { exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Traffic' })).toBeVisible();
  const session = await page.context().newCDPSession(page);
  // It never answers: who would is gone.
  void session.send('Page.crash').catch(() => undefined);
  // Playwright gives a crashed page up for good; main still knows it.
  const text = () =>
    app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      return window?.webContents.executeJavaScript(
        'document.documentElement.dataset.ready ? document.body.innerText : ""',
      );
    });
  // Until it is there again, nothing can be asked of it.
  await expect(async () =>
    expect(await text()).toContain('The window crashed (crashed) and was opened again'),
  ).toPass({ timeout: 20_000 });
  expect(await text()).toContain('Traffic');
  const log = readFileSync(join(dataDir, 'logs', 'spandeck.log'), 'utf8');
  expect(log).toContain('window crashed');
});
