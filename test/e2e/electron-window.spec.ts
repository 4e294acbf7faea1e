/** The window in Electron: quitting and closing while work is running, a page that hangs, the menu bar and its keys. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication } from '@playwright/test';
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { hasElectron, NEEDS_ELECTRON, startSpandeck } from '../helpers/second-start.ts';
import { answerQuestions, beginUpload, publishes } from '../helpers/slow-upload.ts';
import { UploadPage } from '../helpers/upload-pages.ts';

test.skip(() => !hasElectron(), NEEDS_ELECTRON);

const QUIT_MS = 2_000;

/** Clicks a menu item after a short delay, as the click may end the application before it can answer. */
const chooseFromMenu = (app: ElectronApplication, label: string): Promise<void> =>
  app.evaluate(({ Menu }, wanted) => {
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap(({ submenu }) => submenu?.items ?? []);
    const item = items.find((one) => one.label === wanted);
    if (item === undefined) throw new Error(`Expected "${wanted}" in the menu.`);
    setTimeout(() => item.click());
  }, label);

const isVisible = (app: ElectronApplication): Promise<boolean | undefined> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());

const linesOf = (text: string): { word: string; about: string }[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"word"'))
    .map((line) => JSON.parse(line) as { word: string; about: string });

test('asks once on quit during an upload, ends within two seconds without hiding the window, and continues at the next start', async ({
  launch,
  service,
}, testInfo) => {
  const { app, page, output, dataDir } = await launch();
  await beginUpload(page, service, testInfo);
  await answerQuestions(app, 'Quit');
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.on('hide', () => process.stdout.write('the window was hidden\n'));
  });
  const main = app.process();
  const ended = new Promise((resolve) => main.once('exit', resolve));
  await chooseFromMenu(app, 'Quit');
  await expect.poll(output).toContain('asked: ');
  const confirmedAt = performance.now();
  expect(await ended).toBe(0);
  // If the window were only hidden and not closed, the end would be delayed by ten seconds.
  expect(performance.now() - confirmedAt).toBeLessThan(QUIT_MS);
  expect(output().match(/asked: 1 job runs\. Quit all the same\?/g)).toHaveLength(1);
  expect(output()).not.toContain('the window was hidden');
  const log = fs.readFileSync(join(dataDir, 'logs', 'spandeck.log'), 'utf8');
  expect(log).toContain('"closed"');
  expect(log).not.toContain('not closed in order');

  service.now.setFaults([]);
  const again = await launch();
  await new Workbench(again.page).go('Uploads');
  const upload = new UploadPage(again.page);
  await upload.button(/^bank_churn.csv/).click();
  await upload.expectDone();
});

test('hides the window on close during an upload, continues the work, and shows the window at a second start', async ({
  launch,
  service,
}, testInfo) => {
  const { app, page, output, dataDir } = await launch();
  const upload = await beginUpload(page, service, testInfo);
  await answerQuestions(app, 'Go on in the background');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await expect.poll(() => isVisible(app)).toBe(false);
  expect(output()).toContain('asked: 1 job runs. Let the work go on without the window?');
  const before = publishes(service);
  await expect.poll(() => publishes(service)).toBeGreaterThan(before);
  const second = await startSpandeck({ dataDir }).ended;
  expect(second).toEqual({ code: 0, text: expect.stringContaining('already open') });
  await expect.poll(() => isVisible(app)).toBe(true);
  service.now.setFaults([]);
  await upload.expectDone();
  // Without running work, closing the window ends the application without a question.
  const ended = app.waitForEvent('close');
  await app.evaluate(({ BrowserWindow }) => void setTimeout(() => BrowserWindow.getAllWindows()[0]?.close()));
  await ended;
  expect(output().match(/asked: /g)).toHaveLength(1);
});

test('asks about a hanging page, and reloads it', async ({ service: _service }, testInfo) => {
  const script = join(import.meta.dirname, '../helpers/hang-window.cjs');
  const started = startSpandeck({ dataDir: testInfo.outputPath('data'), before: ['-r', script] });
  const { code, text } = await started.ended;
  const lines = linesOf(text);
  expect(lines.map(({ word }) => word)).toEqual(['asked', 'gone', 'back']);
  expect(lines[0]?.about).toBe('The window does not answer.');
  expect(lines[2]?.about).toMatch(/The window crashed \(.+\) and was opened again/);
  expect(code).toBe(0);
  const log = fs.readFileSync(testInfo.outputPath('data', 'logs', 'spandeck.log'), 'utf8');
  expect(log).toContain('window does not answer');
});

test('shows the menu bar, which opens views and whose keys zoom', async ({ spandeck }) => {
  const { app, page } = spandeck;
  await new WelcomePage(page).enterSample();
  expect(
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMenuBarVisible()),
  ).toBe(process.platform !== 'darwin');
  await chooseFromMenu(app, 'Go to uploads');
  await expect(new Workbench(page).tab('Uploads')).toBeVisible();
  const zoom = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomLevel());
  type Held = 'meta' | 'control' | 'shift';
  const held: Held = process.platform === 'darwin' ? 'meta' : 'control';
  /** Sends a key from the main process: keys pressed by Playwright reach only the page. */
  const press = (keyCode: string, ...modifiers: Held[]) =>
    app.evaluate(
      ({ BrowserWindow }, key) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        for (const type of ['rawKeyDown', 'keyUp'] as const) contents?.sendInputEvent({ type, ...key });
      },
      { keyCode, modifiers: [held, ...modifiers] },
    );
  expect(await zoom()).toBe(0);
  for (const [level, keyCode, ...modifiers] of [
    [0.5, '='],
    [1, 'numadd'],
    [0.5, '-'],
    [0, 'numsub'],
    [0.5, 'Plus', 'shift'],
    [0, '0'],
  ] as const) {
    await press(keyCode, ...modifiers);
    await expect.poll(zoom, `after ${keyCode}`).toBe(level);
  }
});
