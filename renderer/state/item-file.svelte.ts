/** A file whose rows are to become items of a dataset: where its columns go, and what comes of that. */
import type { AppError } from '../../electron/shared/errors.ts';
import { fromWire, toAppError } from '../../electron/shared/errors.ts';
import { knownKeys, suggestItemColumns } from '../../electron/shared/item-columns.ts';
import type { ItemColumn, ItemsCheck, ItemsPlan } from '../../electron/shared/items-model.ts';
import type { FilePreview, OfferedFile } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';

const ITEMS_PER_REQUEST = 200;

export class ItemFile {
  file = $state.raw<OfferedFile | null>(null);
  preview = $state.raw<FilePreview | null>(null);
  columns = $state.raw<readonly ItemColumn[]>([]);
  flattens = $state(false);
  onBadRow = $state<ItemsPlan['onBadRow']>('stop');
  /** What the whole file adds, as the columns go now; null until it was read. */
  check = $state.raw<ItemsCheck | null>(null);
  isChecking = $state(false);
  error = $state.raw<AppError | null>(null);
  /** The job that adds them. */
  itemsId = $state<string | null>(null);
  #edits = 0;
  readonly connectionId: string;
  readonly #dataset: { id: string; name: string };

  constructor(connectionId: string, dataset: { id: string; name: string }) {
    this.connectionId = connectionId;
    this.#dataset = dataset;
  }

  get plan(): ItemsPlan | null {
    const { file, preview, columns, flattens, onBadRow } = this;
    if (file === null || preview === null) return null;
    return {
      ...{ datasetId: this.#dataset.id, datasetName: this.#dataset.name },
      ...{ fileId: file.fileId, fileName: file.name, dialect: preview.dialect },
      ...{ columns: [...columns], flattens, onBadRow, itemsPerRequest: ITEMS_PER_REQUEST },
    };
  }

  /** `schema`: of the dataset, as far as it is known. */
  async take(file: OfferedFile, schema: Record<string, unknown> | null): Promise<void> {
    const { fileId } = file;
    Object.assign(this, { file, preview: null, columns: [], check: null, error: null, itemsId: null });
    try {
      if (file.error !== null) throw fromWire(file.error);
      const preview = await client.invoke('uploads:inspect', { fileId, dialect: null });
      if (this.file?.fileId !== fileId) return;
      this.preview = preview;
      this.columns = suggestItemColumns(preview.columns, knownKeys(schema));
      this.flattens = false;
      await this.look();
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  edit(source: string, change: Partial<ItemColumn>): void {
    this.columns = this.columns.map((column) =>
      column.source === source ? { ...column, ...change } : column,
    );
    void this.look();
  }

  setFlattens(flattens: boolean): void {
    this.flattens = flattens;
    void this.look();
  }

  /** Reads the whole file as items; again where something changed meanwhile. Sends nothing. */
  async look(): Promise<void> {
    this.#edits += 1;
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      for (let seen = -1; seen !== this.#edits; ) {
        seen = this.#edits;
        await this.#lookOnce();
      }
    } finally {
      this.isChecking = false;
    }
  }

  async #lookOnce(): Promise<void> {
    const { plan, connectionId } = this;
    if (plan === null) return;
    try {
      // The answer is of the kind that was asked for.
      this.check = (await client.invoke('jobs:plan', { connectionId, kind: 'items', plan })) as ItemsCheck;
      this.error = null;
    } catch (thrown) {
      this.check = null;
      this.error = toAppError(thrown);
    }
  }

  /** Begins; throws AppError. */
  async start(): Promise<void> {
    const { plan } = this;
    if (plan === null) return;
    const job = await jobs.create('items', { items: plan, startsNow: true });
    this.itemsId = job.itemsId;
  }
}
