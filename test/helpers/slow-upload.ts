/** An upload that is still running when a spec ends the application. */
import * as fs from 'node:fs';
import type { ElectronApplication, Page, TestInfo } from '@playwright/test';
import { churnCsv } from './make-files.ts';
import { ConnectionPage, WelcomePage } from './pages.ts';
import { expect, type TestService } from './product.ts';
import { dropFiles, UploadPage } from './upload-pages.ts';

const ROWS = 4_000;

/** Number of publish requests that the service received. */
export const publishes = (service: TestService): number =>
  service.now.report().operations['events.publish']?.requests ?? 0;

/** Starts an upload whose requests take 400 ms each, and waits for the first response. */
export async function beginUpload(page: Page, service: TestService, testInfo: TestInfo): Promise<UploadPage> {
  const source = testInfo.outputPath('bank_churn.csv');
  fs.writeFileSync(source, churnCsv(ROWS));
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const upload = new UploadPage(page);
  await dropFiles(page, [source]);
  await upload.checkFor('Bank churn', { batchRows: 100 });
  service.now.setFaults([
    { match: { operation: 'events.publish' }, action: { type: 'delay', delayMs: 400 } },
  ]);
  await upload.send(ROWS);
  await expect.poll(() => publishes(service)).toBeGreaterThan(1);
  return upload;
}

/** Answers system dialogs by the button with this name, and writes their texts to standard output. */
export async function answerQuestions(app: ElectronApplication, button: string): Promise<void> {
  await app.evaluate(({ dialog }, wanted) => {
    Object.assign(dialog, {
      showMessageBox: async (_window: unknown, of: { message: string; buttons: string[] }) => {
        process.stdout.write(`asked: ${of.message}\n`);
        return { response: of.buttons.indexOf(wanted), checkboxChecked: false };
      },
    });
  }, button);
}
