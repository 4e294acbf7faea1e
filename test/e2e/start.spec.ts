/** Spandeck starts, says nothing wrong, runs once for each profile, and ends in order. */
import { spawn } from 'node:child_process';
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

test('a profile can be opened again after its window was closed', async ({ launch }) => {
  for (let start = 0; start < 2; start += 1) {
    const { app, page, close } = await launch();
    await expect(page.getByRole('heading', { name: 'Spandeck' })).toBeVisible();
    const main = app.process();
    await close();
    expect(main.exitCode).toBe(0);
  }
});
