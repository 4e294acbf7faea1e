/** A record for which there is no read operation: it is found by its id among the stored rows of its list. */
import type { AppError } from '../../electron/shared/errors.ts';
import { goneAtOf } from '../../electron/shared/gone-field.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { textField } from '../lib/records.ts';
import { ListModel, type ListModelOptions } from './list-state.svelte.ts';
import type { RecordModel } from './record-state.svelte.ts';

/** The interface of a record that a view needs: that of a RecordModel or of a list row. */
export interface RecordLike {
  readonly connectionId: string;
  readonly viewId: string;
  readonly phase: 'closed' | 'opening' | 'ready' | 'failed';
  readonly record: Record<string, unknown> | null;
  readonly freshness: Freshness | null;
  readonly error: AppError | null;
  readonly goneAtMs: number | null;
  /** Whether the record is only a list row, so that fields can be missing. */
  readonly isRow?: boolean;
  refresh(): Promise<void>;
}

export class RowRecord implements RecordLike {
  readonly #list: ListModel;
  readonly #id: string;
  readonly #idField: string;
  readonly record: Record<string, unknown> | null = $derived.by(
    () => this.#list.sample(100).find((row) => textField(row, this.#idField) === this.#id) ?? null,
  );

  constructor(options: ListModelOptions, id: string, idField = 'id') {
    this.#idField = idField;
    this.#list = new ListModel(options);
    this.#id = id;
    this.#list.setTextFilter(id);
  }

  get connectionId(): string {
    return this.#list.connectionId;
  }
  get viewId(): string {
    return this.#list.viewId;
  }
  get phase(): RecordLike['phase'] {
    return this.#list.phase;
  }
  get freshness(): Freshness | null {
    return this.#list.freshness;
  }
  get error(): AppError | null {
    return this.#list.error;
  }
  get goneAtMs(): number | null {
    return this.record === null ? null : goneAtOf(this.record);
  }

  /** `never`: uses stored content and sends no request. */
  async open(operation: string, refresh: 'if-stale' | 'never' = 'if-stale'): Promise<void> {
    if (this.#list.query === null) await this.#list.open({ operation, path: {}, query: {} }, refresh);
  }

  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  dispose(): void {
    this.#list.dispose();
  }
}

/** A record; until it is loaded, its row in a stored list. */
export class RecordOrRow implements RecordLike {
  readonly #record: RecordModel;
  readonly #row: RowRecord;

  constructor(record: RecordModel, row: RowRecord) {
    this.#record = record;
    this.#row = row;
  }

  get #shown(): RecordLike {
    return this.isRow ? this.#row : this.#record;
  }
  get isRow(): boolean {
    return this.#record.record === null && this.#record.phase !== 'opening' && this.#row.record !== null;
  }
  get connectionId(): string {
    return this.#record.connectionId;
  }
  get viewId(): string {
    return this.#record.viewId;
  }
  get phase(): RecordLike['phase'] {
    return this.#shown.phase;
  }
  get record(): Record<string, unknown> | null {
    return this.#shown.record;
  }
  /** The age of the row together with the refresh state of the record. */
  get freshness(): Freshness | null {
    const [own, row] = [this.#record.freshness, this.#row.freshness];
    return this.isRow && row !== null && own !== null ? { ...row, refresh: own.refresh } : own;
  }
  get error(): AppError | null {
    return this.#record.error;
  }
  get goneAtMs(): number | null {
    return this.#shown.goneAtMs;
  }

  refresh(): Promise<void> {
    return this.#record.refresh();
  }
}
