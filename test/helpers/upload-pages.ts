/** A file in the window: it is dropped or chosen, mapped, checked and sent; and its job afterwards. */
import * as fs from 'node:fs';
import type { ElectronApplication, Locator, Page } from '@playwright/test';
import type { UploadJob } from '../../electron/shared/upload-model.ts';
import { expect } from './app.ts';
import { startNow } from './pages.ts';

/** Drops files on the window as the operating system does, with real paths. */
export async function dropFiles(page: Page, files: readonly string[]): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  const move = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    client.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  await move('dragEnter');
  // Drops the files as a user does: once the window accepts them, while the pointer moves. An earlier drop may be
  // ignored.
  await expect(async () => {
    await move('dragOver');
    await expect(page.getByText('Nothing is sent until you review it and confirm.')).toBeVisible({
      timeout: 1_000,
    });
  }).toPass({ timeout: 60_000 });
  const asks = await page.getByText('You choose whether it is events, items or spans.').isVisible();
  const prepare = page.getByRole('dialog').getByRole('button', { name: 'Prepare upload' });
  await page.removeLocatorHandler(prepare);
  await move('dragOver');
  await move('drop');
  await client.detach();
  // A folder is prepared without asking.
  if (files.some((file) => fs.statSync(file).isDirectory())) return;
  if (asks) await prepare.click();
  // The view can change between reading its words and the drop.
  else await page.addLocatorHandler(prepare, () => prepare.click(), { times: 1 });
}

/** Makes the next open dialog of the system return these files. */
export async function answerOpenDialog(
  app: ElectronApplication,
  filePaths: readonly string[],
): Promise<void> {
  await app.evaluate(
    ({ dialog }, paths) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: paths });
    },
    [...filePaths],
  );
}

/** Makes save dialogs of the system return this file from now on. */
export async function answerSaveDialog(app: ElectronApplication, filePath: string): Promise<void> {
  await app.evaluate(({ dialog }, file) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: file });
  }, filePath);
}

/** Jobs of the active connection, as the main process knows them. */
export async function jobsOf(page: Page): Promise<UploadJob[]> {
  const jobs = await page.evaluate(async () => {
    const list = await window.spandeck?.invoke('connections:list', undefined);
    const connectionId = (list as { value: { activeId: string } }).value.activeId;
    const all = { states: null, search: null, offset: 0, limit: 100 };
    const answer = await window.spandeck?.invoke('jobs:list', { connectionId, kinds: ['upload'], ...all });
    return (answer as { value: { jobs: { own: unknown }[] } }).value.jobs.map(({ own }) => own);
  });
  return jobs as UploadJob[];
}

export interface Receipt {
  readonly row: number;
  /** Empty if the user decided about a batch without an answer. */
  readonly eventId: string;
}

/** Reads a receipts file whose ids contain no commas and quotes. */
export function readReceipts(file: string): Receipt[] {
  const [head = '', ...lines] = fs.readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return { row: Number(cells[names.indexOf('row')]), eventId: cells[names.indexOf('event_id')] ?? '' };
  });
}

export class UploadPage {
  readonly view: Locator;
  readonly model: Locator;
  readonly columns: Locator;
  readonly preview: Locator;
  readonly result: Locator;
  readonly badRows: Locator;
  readonly progress: Locator;
  readonly alert: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.view = page.getByRole('main');
    this.model = this.view.getByRole('combobox', { name: 'Model' });
    this.columns = this.view.getByRole('region', { name: 'Columns', exact: true });
    this.preview = this.view.getByRole('region', { name: 'Preview' });
    this.result = this.view.getByRole('region', { name: 'Result' });
    this.badRows = this.view.getByRole('grid', { name: 'Bad rows' });
    this.progress = this.view.getByRole('region', { name: 'Progress' });
    this.alert = this.view.getByRole('alert');
  }

  button(name: string | RegExp): Locator {
    return this.view.getByRole('button', { name });
  }

  batch(number: number): Locator {
    return this.view.getByRole('article', { name: `Batch ${number}`, exact: true });
  }

  async chooseModel(name: string): Promise<void> {
    await this.model.click();
    // The field may contain a proposed model.
    await this.model.fill(name);
    await this.#page.getByRole('option', { name }).click();
    await expect(this.model).toHaveValue(name);
  }

  /**
   * Shows the columns of the file and their fields, as the rows are shown when the check of a file with problems ends.
   */
  async showColumns(): Promise<void> {
    await expect(this.result).toBeVisible();
    await this.view.getByRole('radio', { name: /^Columns/ }).check();
    await expect(this.columns.getByRole('table')).toBeVisible();
  }

  /** Shows the options of the mapping: environment, action, bad rows, and rows per request. */
  async showOptions(): Promise<void> {
    const options = this.button('Options');
    if ((await options.getAttribute('aria-expanded')) !== 'true') await options.click();
  }

  /** Goes from the file to the result of the check of the whole file. */
  async checkFor(model: string, options: { batchRows?: number } = {}): Promise<void> {
    await this.button('Next: columns').click();
    await this.chooseModel(model);
    if (options.batchRows !== undefined) {
      await this.showOptions();
      await this.view.getByRole('textbox', { name: 'Rows per request' }).fill(String(options.batchRows));
      await this.view.getByRole('textbox', { name: 'Rows per request' }).blur();
    }
    await expect(this.result).toBeVisible();
  }

  async send(rows: number): Promise<void> {
    await this.button('Next: send').click();
    await this.button(`Send ${rows.toLocaleString('en-US')} rows`).click();
    await this.startNow();
  }

  /** Presses the button that sends. Does not wait until the start can no longer be cancelled. */
  async startNow(): Promise<void> {
    await expect(this.progress).toBeVisible();
    await startNow(this.view);
  }

  async expectDone(): Promise<void> {
    await expect(this.view.getByText('Done', { exact: true })).toBeVisible({ timeout: 120_000 });
  }
}
