/** Rows that are all here, as a grid's pane reads a list: sorted and narrowed in place. */
import { AppError } from '../../electron/shared/errors.ts';
import type { Freshness, RowWindow } from '../../electron/shared/model.ts';
import { narrowRows, sortRows } from '../lib/row-order.ts';
import type { Row } from './list-state.svelte.ts';

export interface ArrayListSource {
  rows: () => readonly Row[];
  freshness: () => Freshness | null;
  error: () => AppError | null;
  phase: () => 'closed' | 'opening' | 'ready' | 'failed';
}

export class ArrayList {
  sort = $state.raw<RowWindow['sort']>(null);
  narrow = $state('');
  readonly #source: ArrayListSource;
  readonly #narrowed: { rows: readonly Row[]; problem: string | null } = $derived.by(() =>
    narrowRows(this.#source.rows(), this.narrow.trim()),
  );
  readonly #shown: readonly Row[] = $derived.by(() =>
    this.sort === null ? this.#narrowed.rows : sortRows(this.#narrowed.rows, this.sort),
  );

  constructor(source: ArrayListSource) {
    this.#source = source;
  }

  get phase(): 'closed' | 'opening' | 'ready' | 'failed' {
    return this.#source.phase();
  }
  get freshness(): Freshness | null {
    const freshness = this.#source.freshness();
    const { length } = this.#source.rows();
    return freshness === null
      ? null
      : { ...freshness, storedRows: length, totalRows: length, isComplete: true };
  }
  get error(): AppError | null {
    return this.#source.error();
  }
  get narrowError(): AppError | null {
    const { problem } = this.#narrowed;
    return problem === null ? null : new AppError('INVALID_ARGUMENT', problem);
  }
  get count(): number {
    return this.#shown.length;
  }
  get matchingRows(): number {
    return this.#shown.length;
  }
  get isPlain(): boolean {
    return this.sort === null && this.narrow.trim() === '';
  }

  setNarrow(text: string): void {
    this.narrow = text;
  }
  setSort(sort: RowWindow['sort']): void {
    this.sort = sort;
  }
  row(index: number): Row | undefined {
    return this.#shown[index];
  }
  /** Everything is here. */
  ensure(): void {
    return;
  }
  sample(most: number): Row[] {
    return this.#source.rows().slice(0, most);
  }
}
