/**
 * The process of the window is killed repeatedly, and each time the window is restored with its tabs and unsent input.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { ElectronApplication } from '@playwright/test';
import { filesBelow, ifThere } from '../helpers/find-text.ts';
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { killRenderers } from '../helpers/renderer-processes.ts';

/** `npm run soak` uses 100. */
const KILLS = Number(process.env['WINDOW_KILLS'] ?? 3);
/** Generous for a busy computer, as the actual time is logged. */
const BACK_MS = 60_000;

/**
 * Runs a script in the window. Playwright cannot use a page any more once its process has ended, but the main process
 * can.
 */
const inWindow = (app: ElectronApplication, script: string): Promise<unknown> =>
  app.evaluate(
    ({ BrowserWindow }, code) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(code),
    script,
  );

/** A request that is sent while the process is replaced may never be answered, so it is repeated. */
const ANSWER_MS = 500;
const answered = <T>(question: Promise<T>): Promise<T> =>
  Promise.race([
    question,
    setTimeout(ANSWER_MS).then((): never => {
      throw new Error(`Expected an answer of the window in ${ANSWER_MS} ms.`);
    }),
  ]);

const NAME_FIELD = `[...document.querySelectorAll('main input')].find(({ labels }) => labels?.[0]?.innerText.startsWith('Name'))`;
/** Tabs and content of the field, null until the window is restored. */
const LOOK = `(() => {
  const field = ${NAME_FIELD};
  if (document.documentElement.dataset.ready === undefined || document.documentElement.dataset.old || !field) return null;
  return { name: field.value, tabs: [...document.querySelectorAll('[role=tab]')].map((tab) => tab.innerText.trim()) };
})()`;
const typeIn = (text: string) => `(() => {
  document.documentElement.dataset.old = 'yes';
  const field = ${NAME_FIELD};
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event('input', { bubbles: true }));
})()`;

test('restores a window with its tabs and unsent forms each time its process is killed', async ({
  launch,
}, testInfo) => {
  test.skip(process.platform !== 'linux', 'Processes are found by /proc.');
  testInfo.setTimeout(testInfo.timeout + KILLS * BACK_MS);
  const { app, page, dataDir } = await launch();
  await new WelcomePage(page).enterSample();
  const bench = new Workbench(page);
  await openPlaceToStay(page, 'Requests');
  await openPlace(page, 'Baselines');
  await bench.view.getByRole('button', { name: 'New baseline' }).first().click();
  await bench.view.getByRole('textbox', { name: 'Name' }).fill('typed at first');
  const kept = () =>
    filesBelow(dataDir)
      .filter((file) => file.endsWith('layout.json'))
      .map((file) => ifThere(() => readFileSync(file, 'utf8')) ?? '')
      .join('\n');
  const pid = app.process().pid ?? 0;
  const backMs: number[] = [];
  const keptMs: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const text = `typed before kill ${kill}`;
    await inWindow(app, typeIn(text));
    const typedAt = performance.now();
    await expect.poll(kept, { intervals: [50] }).toContain(text);
    keptMs.push(performance.now() - typedAt);
    const killedAt = performance.now();
    expect(killRenderers(pid)).toBeGreaterThan(0);
    await expect(async () => {
      const seen = await answered(inWindow(app, LOOK));
      expect(seen).toMatchObject({ name: text });
      expect(JSON.stringify(seen)).toContain('Requests');
    }).toPass({ timeout: BACK_MS, intervals: [50] });
    backMs.push(performance.now() - killedAt);
  }
  const median = (times: readonly number[]) =>
    Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
  const facts = [backMs, keptMs].map(
    (times) => `median ${median(times)} ms, longest ${Math.round(Math.max(...times))} ms`,
  );
  testInfo.annotations.push({
    type: 'times',
    description: `${KILLS} kills: back ${facts[0]}; kept ${facts[1]}`,
  });
  process.stdout.write(`${KILLS} kills: back ${facts[0]}; what was typed was kept after ${facts[1]}\n`);
  expect(app.process().exitCode).toBeNull();
});
