/** A file with spans to review: its content, and how its spans are added to a basket. */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import { namesSpans, type SpanFileCheck } from '../../electron/shared/span-file.ts';
import type { FilePreview, OfferedFile } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { app } from './app.svelte.ts';
import type { Basket } from './basket.svelte.ts';

class SpanFile {
  isOpen = $state(false);
  file = $state.raw<OfferedFile | null>(null);
  /** Basket of the application that the spans belong to. */
  basket = $state.raw<Basket | null>(null);
  check = $state.raw<SpanFileCheck | null>(null);
  error = $state.raw<AppError | null>(null);
  /** Whether the spans are added to the current basket instead of a new one. */
  intoCurrent = $state(false);
  #connectionId = '';
  #dialect: FilePreview['dialect'] | null = null;

  constructor() {
    app.whenLeft(() => {
      this.isOpen = false;
    });
  }

  /** Asks the user for a file. */
  async choose(connectionId: string, basket: Basket, intoCurrent: boolean): Promise<void> {
    const [file] = await client.invoke('uploads:choose-files');
    if (file === undefined) return;
    this.#show(file, connectionId, basket, intoCurrent);
    await this.read();
  }

  /**
   * Accepts a dropped file. Returns false if its columns identify no spans, so that the file can be used for something
   * else.
   */
  async drop(dropped: File, connectionId: string, basket: Basket): Promise<boolean> {
    const [file] = await client.offerFiles([dropped]);
    if (file === undefined || file.error !== null) return false;
    const preview = await client.invoke('uploads:inspect', {
      connectionId,
      fileId: file.fileId,
      dialect: null,
    });
    if (!namesSpans(preview.columns.map(({ name }) => name))) return false;
    this.#show(file, connectionId, basket, basket.build !== null && basket.count === 0);
    this.#dialect = preview.dialect;
    await this.read();
    return true;
  }

  #show(file: OfferedFile, connectionId: string, basket: Basket, intoCurrent: boolean): void {
    Object.assign(this, { file, basket, intoCurrent, check: null, error: null, isOpen: true });
    this.#connectionId = connectionId;
    this.#dialect = null;
  }

  /** Reads the whole file without picking anything. */
  async read(): Promise<void> {
    const { file } = this;
    if (file === null) return;
    const { fileId } = file;
    this.error = null;
    try {
      if (file.error !== null) throw fromWire(file.error);
      this.#dialect ??= (
        await client.invoke('uploads:inspect', { connectionId: this.#connectionId, fileId, dialect: null })
      ).dialect;
      const asked = { connectionId: this.#connectionId, fileId, dialect: this.#dialect };
      const check = await client.act('builds:read', 'check-file', asked);
      if (this.file?.fileId === fileId) this.check = check;
    } catch (thrown) {
      if (this.file?.fileId === fileId) this.error = toAppError(thrown);
    }
  }

  /** The source from which a basket picks; null until the file was read. */
  get source() {
    const { file, check } = this;
    if (file === null || check === null || this.#dialect === null) return null;
    const name = file.name.slice(0, 1_000);
    return { kind: 'file' as const, fileId: file.fileId, dialect: this.#dialect, name, rows: check.rows };
  }
}

export const spanFile = new SpanFile();
