/** A record for which no operation exists: found by its id among the stored rows of its list. */
import type { AppError } from '../../electron/shared/errors.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { textField } from '../lib/records.ts';
import { ListModel, type ListModelOptions } from './list-state.svelte.ts';

/** What a view of one record reads: a RecordModel, or a row of a list. */
export interface RecordLike {
  readonly connectionId: string;
  readonly phase: 'closed' | 'opening' | 'ready' | 'failed';
  readonly record: Record<string, unknown> | null;
  readonly freshness: Freshness | null;
  readonly error: AppError | null;
  readonly goneAtMs: number | null;
  refresh(): Promise<void>;
}

export class RowRecord implements RecordLike {
  readonly #list: ListModel;
  readonly #id: string;
  readonly record: Record<string, unknown> | null = $derived.by(
    () => this.#list.sample(100).find((row) => textField(row, 'id') === this.#id) ?? null,
  );

  constructor(options: ListModelOptions, id: string) {
    this.#list = new ListModel(options);
    this.#id = id;
    this.#list.setNarrow(id);
  }

  get connectionId(): string {
    return this.#list.connectionId;
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
  get goneAtMs(): null {
    return null;
  }

  async open(operation: string): Promise<void> {
    if (this.#list.query === null) await this.#list.open({ operation, path: {}, query: {} });
  }

  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  dispose(): void {
    this.#list.dispose();
  }
}
