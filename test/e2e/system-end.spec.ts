/** The system ends the application: nobody can answer a question during a log-out, a restart or a shutdown. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication } from '@playwright/test';
import { Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { answerQuestions, beginUpload } from '../helpers/slow-upload.ts';
import { UploadPage } from '../helpers/upload-pages.ts';

/** Each sends its event after a short delay, as the event may end the application before it can answer. */
const WAYS = {
  shutdown: (app: ElectronApplication) =>
    app.evaluate(({ powerMonitor }) => {
      const event = { preventDefault: () => process.stdout.write('the system waits\n') };
      setTimeout(() => powerMonitor.emit('shutdown', event));
    }),
  'session-end': (app: ElectronApplication) =>
    app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      setTimeout(() => window?.emit('session-end', { reasons: ['shutdown'] }));
    }),
};

test('ends in order and without a question at a shutdown during an upload, and continues at the next start', async ({
  launch,
  service,
}, testInfo) => {
  const first = await launch();
  await beginUpload(first.page, service, testInfo);
  const log = join(first.dataDir, 'logs', 'spandeck.log');
  const closedTimes = () => fs.readFileSync(log, 'utf8').match(/"closed"/g)?.length;
  let { app, page, output } = first;
  for (const [index, way] of (['shutdown', 'session-end'] as const).entries()) {
    await test.step(way, async () => {
      await answerQuestions(app, 'Cancel');
      const main = app.process();
      const ended = new Promise((resolve) => main.once('exit', resolve));
      await WAYS[way](app);
      expect(await ended).toBe(0);
      expect(output()).not.toContain('asked: ');
      if (way === 'shutdown') await expect.poll(output).toContain('the system waits');
      expect(closedTimes()).toBe(index + 1);
      ({ app, page, output } = await launch());
      await expect(page.getByRole('button', { name: /^Connection: / })).toBeVisible();
      await expect(page.getByText(/^The run of .* was not closed$/)).toHaveCount(0);
    });
  }
  service.now.setFaults([]);
  await new Workbench(page).go('Uploads');
  const upload = new UploadPage(page);
  await upload.button(/^bank_churn.csv/).click();
  await upload.expectDone();
});
