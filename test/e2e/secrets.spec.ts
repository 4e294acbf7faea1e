/** After a complete run of the product, the token is only in the keychain and in the memory of the main process. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Page } from '@playwright/test';
import keytar from 'keytar';
import { secretIn } from '../../electron/connections/keychain-entry.ts';
import { findInFiles, holdsText } from '../helpers/find-text.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { answerSaveDialog, dropFiles, UploadPage } from '../helpers/upload-pages.ts';

const RECORDER = path.join(import.meta.dirname, '../helpers/ipc-recorder.cjs');

declare global {
  var ipcRecord: readonly string[];
}

/** The page's JavaScript heap after garbage collection, as a DevTools snapshot. */
async function heapOf(page: Page): Promise<string> {
  const client = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  client.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await client.send('HeapProfiler.enable');
  await client.send('HeapProfiler.collectGarbage');
  await client.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await client.detach();
  return chunks.join('');
}

/** Command lines of all processes on this computer. */
function commandLines(): Buffer {
  if (process.platform !== 'linux') return Buffer.alloc(0);
  const lines = fs.readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      return [fs.readFileSync(`/proc/${entry}/cmdline`)];
    } catch {
      // The process ended after it was listed.
      return [];
    }
  });
  return Buffer.concat(lines);
}

/** Types the token, has it rejected and then accepted, and saves the connection. */
async function connect(page: Page, service: TestService): Promise<void> {
  await new WelcomePage(page).connect.click();
  const form = new ConnectionPage(page);
  await form.fill({ name: 'Test service', baseUrl: service.baseUrl, token: service.token });
  service.now.setFaults([{ times: 2, action: { type: 'status', status: 401 } }]);
  await form.test.click();
  await expect(form.result).toContainText('Token not accepted');
  service.now.setFaults([]);
  await form.test.click();
  await expect(form.result).toContainText('Connected');
  await form.connect.click();
  await new Workbench(page).leaveStart();
}

/** Reads lists, values and items, and the messages of a view when the service fails or rejects a request. */
async function browse(page: Page, service: TestService): Promise<void> {
  const bench = new Workbench(page);
  await bench.row('Applications', 'Support assistant').dblclick();
  await expect(bench.rowAt(/^Entities of/, 1)).toBeVisible();
  await bench.go('Datasets');
  await bench.row('Datasets', 'Support answers, golden set').dblclick();
  await expect(bench.rowAt(/^Items of/, 1)).toBeVisible();
  await bench.go('Datasets');
  await expect(bench.row('Datasets', 'Support answers, golden set')).toBeVisible();
  service.now.setFaults([
    { match: { operation: 'datasets.list' }, times: 1, action: { type: 'status', status: 401 } },
    { match: { operation: 'attributes.list' }, action: { type: 'status', status: 500 } },
  ]);
  await page.keyboard.press('Control+r');
  await expect(bench.status).toContainText('token not accepted');
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  await bench.view.getByText('Details', { exact: true }).click();
  await bench.view.getByRole('button', { name: 'Copy details' }).click();
  await bench.go('Attributes');
  await expect(bench.view.getByRole('alert')).toBeVisible();
  service.now.setFaults([]);
  await bench.view.getByRole('button', { name: 'Try again' }).click();
  await bench.expectAge(/live/);
}

async function upload(page: Page, file: string): Promise<void> {
  fs.writeFileSync(file, churnCsv(1_500));
  const page_ = new UploadPage(page);
  await dropFiles(page, [file]);
  await page_.checkFor('Bank churn');
  await page_.send(1_500);
  await page_.expectDone();
}

test('leaves no token in any file, message, memory, command line or output after a complete run', async ({
  launch,
  service,
}, testInfo) => {
  const token = service.token;
  const { app, page, dataDir, output, close } = await launch({ requires: [RECORDER] });
  await connect(page, service);
  await browse(page, service);
  await upload(page, testInfo.outputPath('bank_churn.csv'));
  const receipts = testInfo.outputPath('receipts.csv');
  await answerSaveDialog(app, receipts);
  await new UploadPage(page).button('Save receipts').click();
  await expect(page.getByText('Saved receipts.csv')).toBeVisible();
  const bench = new Workbench(page);
  await bench.go('Requests');
  await expect(bench.rowAt(/./, 1).first()).toContainText('/v3/');
  await bench.fromConnectionMenu('Edit this connection…');
  const form = new ConnectionPage(page);
  await expect(form.form).toContainText(`••••${token.slice(-4)}`);

  const messages = await app.evaluate(() => [...globalThis.ipcRecord]);
  const holding = messages
    .filter((message) => message.includes(token))
    .map((message) => message.split(' ', 2).join(' '));
  expect(messages.filter((message) => message.startsWith('to-page')).length).toBeGreaterThan(50);
  // The token was sent only from its field to the main process: twice to test it and once to save it.
  expect(holding).toEqual([
    'to-main connections:test',
    'to-main connections:test',
    'to-main connections:save',
  ]);
  expect(await app.evaluate(({ clipboard }) => clipboard.readText())).not.toContain(token);

  const heap = await heapOf(page);
  expect(heap).toContain('Support answers, golden set');
  expect(heap.includes(token)).toBe(false);
  expect(holdsText(commandLines(), [token])).toBe(false);
  expect(findInFiles(dataDir, [token])).toEqual([]);
  const id = fs.readdirSync(path.join(dataDir, 'connections'))[0] ?? '';
  await close();
  expect(findInFiles(dataDir, [token])).toEqual([]);
  expect(output()).not.toContain(token);
  expect(fs.readFileSync(receipts, 'utf8')).not.toContain(token);
  // The keychain contains the token.
  const entry = await keytar.getPassword('Spandeck', id);
  expect(secretIn(entry, service.baseUrl)).toEqual({ secret: token, isBound: true });
  await keytar.deletePassword('Spandeck', id);
});
