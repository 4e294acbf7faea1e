/** A file whose rows become items of a dataset: where its columns go, and the resulting items. */
import type { ColumnReading } from '../../electron/shared/column-reading.ts';
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import { fromWire, toAppError } from '../../electron/shared/errors.ts';
import { knownKeys, suggestItemColumns } from '../../electron/shared/item-columns.ts';
import type { ItemColumn, ItemsCheck, ItemsPlan } from '../../electron/shared/items-model.ts';
import type {
  CellEdit,
  CellEdits,
  CheckedRow,
  FilePreview,
  OfferedFile,
  Repair,
  Replacement,
  RowStart,
} from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import {
  type RepairChoice,
  type ReplacementChoice,
  withCellEdit,
  withRepairs,
  withReplacements,
} from '../lib/repair-edits.ts';
import { CheckedRows } from './checked-rows.svelte.ts';
import { clock } from './clock.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import { LatestRequest } from './newest.ts';

const ITEMS_PER_REQUEST = 200;

/** Choices for values that do not fit; they can be undone. */
export type ItemValueEdits = Pick<ItemFile, 'repairs' | 'replacements' | 'cellEdits'>;

export class ItemFile {
  file = $state.raw<OfferedFile | null>(null);
  preview = $state.raw<FilePreview | null>(null);
  columns = $state.raw<readonly ItemColumn[]>([]);
  flattens = $state(false);
  onBadRow = $state<ItemsPlan['onBadRow']>('stop');
  /** Result for the whole file with the present columns; null until it was read. */
  check = $state.raw<ItemsCheck | null>(null);
  isChecking = $state(false);
  isReading = $state(false);
  /** The user's changes to the detected file format. */
  override = $state.raw<Partial<Dialect>>({});
  /** Repairs of values that do not fit, and replacements of single values. */
  repairs = $state.raw<readonly Repair[]>([]);
  replacements = $state.raw<readonly Replacement[]>([]);
  /** Edited cells. They apply only to the content of the file in which they were made. */
  cellEdits = $state.raw<CellEdits | null>(null);
  /** Single rows as the last check found them. */
  readonly rows = new CheckedRows((_, places) => this.#readRows(places));
  /** Identifies the last check. */
  checkId = $state('0');
  /**
   * The plan of the last check. It includes how to read the values of columns, as far as the whole file decided that.
   */
  #checked: ItemsPlan | null = null;
  error = $state.raw<AppError | null>(null);
  /** Id of the job that adds the items. */
  itemsId = $state<string | null>(null);
  #edits = 0;
  #edited: Readonly<Record<string, Partial<ItemColumn>>> = {};
  #schema: Record<string, unknown> | null = null;
  readonly #reading = new LatestRequest();
  readonly connectionId: string;
  readonly #dataset: { id: string; name: string };

  constructor(connectionId: string, dataset: { id: string; name: string }) {
    this.connectionId = connectionId;
    this.#dataset = dataset;
  }

  get plan(): ItemsPlan | null {
    const { file, preview, columns, flattens, onBadRow, repairs, replacements, cellEdits } = this;
    if (file === null || preview === null) return null;
    return {
      ...{ datasetId: this.#dataset.id, datasetName: this.#dataset.name },
      ...{ fileId: file.fileId, fileName: file.name, dialect: preview.dialect },
      ...{ columns: [...columns], flattens, onBadRow, itemsPerRequest: ITEMS_PER_REQUEST },
      ...(repairs.length === 0 ? {} : { repairs: [...repairs] }),
      ...(replacements.length === 0 ? {} : { replacements: [...replacements] }),
      ...(cellEdits === null ? {} : { cellEdits }),
    };
  }

  /** `schema`: the known part of the dataset's schema, for suggestions. */
  async take(file: OfferedFile, schema: Record<string, unknown> | null): Promise<void> {
    Object.assign(this, { file, preview: null, columns: [], check: null, error: null, itemsId: null });
    this.flattens = false;
    Object.assign(this, { override: {}, repairs: [], replacements: [], cellEdits: null });
    Object.assign(this.rows, { chosen: '', isFiltered: false });
    this.#edited = {};
    this.#schema = schema;
    if (file.error === null) await this.inspect();
    else this.error = fromWire(file.error);
  }

  /** Reads the start of the file, in the detected format with the user's changes. */
  async inspect(change: Partial<Dialect> = {}): Promise<void> {
    const { file } = this;
    if (file === null) return;
    this.override = { ...this.override, ...change };
    const isLast = this.#reading.ask();
    this.isReading = true;
    try {
      const dialect = Object.keys(this.override).length === 0 ? null : this.override;
      const preview = await client.invoke('uploads:inspect', {
        connectionId: this.connectionId,
        fileId: file.fileId,
        dialect,
      });
      if (!isLast()) return;
      this.preview = preview;
      // The user's choices for a column are kept if a column still has its name.
      this.columns = suggestItemColumns(preview.columns, knownKeys(this.#schema)).map((column) => ({
        ...column,
        ...this.#edited[column.source],
      }));
      this.isReading = false;
      await this.look();
    } catch (thrown) {
      if (!isLast()) return;
      this.check = null;
      this.error = toAppError(thrown);
    } finally {
      if (isLast()) this.isReading = false;
    }
  }

  /** Discards the user's changes to the detected format. */
  async guessAgain(): Promise<void> {
    this.override = {};
    await this.inspect();
  }

  edit(source: string, change: Partial<ItemColumn>): void {
    this.#edited = { ...this.#edited, [source]: { ...this.#edited[source], ...change } };
    this.columns = this.columns.map((column) =>
      column.source === source ? { ...column, ...change } : column,
    );
    void this.look();
  }

  readingOf(source: string): ColumnReading | null {
    return this.columns.find((column) => column.source === source)?.reading ?? null;
  }

  /** Sets how the values of a column are read; null: all values together decide. */
  setReading(source: string, reading: ColumnReading | null): void {
    const { [source]: edited, ...others } = this.#edited;
    const { reading: _before, ...rest } = edited ?? {};
    const change = reading === null ? rest : { ...rest, reading };
    this.#edited = { ...others, [source]: change };
    this.columns = this.columns.map((column) => {
      if (column.source !== source) return column;
      const { reading: _old, ...plain } = column;
      return reading === null ? plain : { ...plain, reading };
    });
    void this.look();
  }

  setRepairs(chosen: readonly RepairChoice[]): void {
    const { replacements, cellEdits } = this;
    this.putEdits({ repairs: withRepairs(this.repairs, chosen), replacements, cellEdits });
  }

  setReplacements(chosen: readonly ReplacementChoice[]): void {
    const replacements = withReplacements(this.replacements, chosen);
    const { repairs, cellEdits } = this;
    this.putEdits({ repairs, replacements, cellEdits });
  }

  /** Edits a cell in the content that was checked last; ignored if none was. */
  editCell(edit: CellEdit): void {
    const sha256 = this.check?.sha256;
    if (sha256 === undefined) return;
    const { repairs, replacements } = this;
    this.putEdits({ repairs, replacements, cellEdits: withCellEdit(this.cellEdits, sha256, edit) });
  }

  /** Replaces all choices for values at once, e.g. to undo a change. */
  putEdits({ repairs, replacements, cellEdits }: ItemValueEdits): void {
    this.repairs = repairs;
    this.replacements = replacements;
    this.cellEdits = cellEdits;
    void this.look();
  }

  async #readRows(places: RowStart[]): Promise<CheckedRow[]> {
    const { connectionId } = this;
    const plan = this.#checked;
    return plan === null ? [] : client.invoke('datasets:check-rows', { connectionId, plan, places });
  }

  /**
   * The reason why a text (null: no value) cannot replace a value of a column, as a sentence; null if it can. Rejects
   * with AppError.
   */
  async problemOf(source: string, text: string | null): Promise<string | null> {
    const { plan, connectionId } = this;
    if (plan === null) return null;
    return (await client.invoke('datasets:check-value', { connectionId, plan, source, text })).problem;
  }

  setFlattens(flattens: boolean): void {
    this.flattens = flattens;
    void this.look();
  }

  /** Reads the whole file as items, and repeats that if something changes meanwhile. Sends nothing. */
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
      // The answer is of the requested kind.
      const check = (await client.invoke('jobs:plan', { connectionId, kind: 'items', plan })) as ItemsCheck;
      this.#checked = { ...plan, columns: check.columns ?? plan.columns };
      this.checkId = String(Number(this.checkId) + 1);
      this.check = check;
      this.error = null;
    } catch (thrown) {
      this.check = null;
      this.error = toAppError(thrown);
    }
  }

  /** Starts after `graceMs`, until which it can be cancelled. Throws AppError. */
  async start(graceMs: number): Promise<void> {
    const { plan } = this;
    if (plan === null) return;
    const told = (this.check?.addedBefore ?? []).map(({ jobId }) => jobId);
    try {
      const startAtMs = graceMs === 0 ? null : clock.nowMs + graceMs;
      const job = await jobs.create('items', { items: plan, startsNow: true, told }, startAtMs);
      this.itemsId = job.itemsId;
    } catch (thrown) {
      // The same content was added meanwhile. A new check reports that before it is added again.
      if (toAppError(thrown).code === 'NEEDS_DECISION') await this.look();
      throw thrown;
    }
  }
}
