/** A list in memory for a grid's pane, sorted and filtered in the window. Created together with its view. */
import { untrack } from 'svelte';
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Freshness, RowWindow } from '../../electron/shared/model.ts';
import { sortRows } from '../lib/row-order.ts';
import { passes, profileRows } from '../lib/row-profiles.ts';
import { filterRows } from './filter-rows.ts';
import type { Row } from './list-state.svelte.ts';

interface ArrayListSource {
  rows: () => readonly Row[];
  freshness: () => Freshness | null;
  error: () => AppError | null;
  phase: () => 'closed' | 'opening' | 'ready' | 'failed';
}

/** Profiles of loaded rows, computed without the analysis process. */
class ArrayProfiles {
  readonly error = null;
  #fields = $state.raw<readonly string[]>([]);
  readonly #rows: () => readonly Row[];
  readonly #filters: () => readonly ColumnFilter[];
  readonly columns = $derived.by(() => {
    const profiles = profileRows(this.#rows(), this.#fields, this.#filters());
    return new Map(profiles.map((column) => [column.field, column]));
  });

  readonly #stored: () => readonly Row[];

  /** `rows`: the stored rows that match the text filter. */
  constructor(
    rows: () => readonly Row[],
    stored: () => readonly Row[],
    filters: () => readonly ColumnFilter[],
  ) {
    this.#rows = rows;
    this.#stored = stored;
    this.#filters = filters;
  }

  get about() {
    const { length } = this.#stored();
    const matchingRows = this.#rows().length;
    const whole = { isSample: false, preparation: null, isComplete: true };
    return { ...whole, storedRows: length, matchingRows, totalRows: length };
  }
  want(wish: { fields: readonly string[] } | null): void {
    const fields = wish?.fields ?? [];
    if (JSON.stringify(fields) !== JSON.stringify(this.#fields)) this.#fields = fields;
  }
  /** Does nothing: computing these profiles cannot fail. */
  again(): void {
    return;
  }
}

export class ArrayList {
  sort = $state.raw<RowWindow['sort']>(null);
  narrow = $state('');
  /** Filters set in column summaries: only rows that pass all of them are shown. */
  filters = $state.raw<readonly ColumnFilter[]>([]);
  readonly profiles: ArrayProfiles;
  readonly #source: ArrayListSource;
  textFilterError = $state.raw<AppError | null>(null);
  /** Rows that match the last valid text filter; null if there is no filter. */
  #found = $state.raw<readonly Row[] | null>(null);
  readonly #filtered: readonly Row[] = $derived.by(() => this.#found ?? this.#source.rows());
  readonly #shown: readonly Row[] = $derived.by(() => {
    const tests = this.filters.map(passes);
    const found = this.#filtered;
    const rows = tests.length === 0 ? found : found.filter((row) => tests.every((each) => each(row)));
    return this.sort === null ? rows : sortRows(rows, this.sort);
  });

  constructor(source: ArrayListSource) {
    this.#source = source;
    this.profiles = new ArrayProfiles(
      () => this.#filtered,
      () => source.rows(),
      () => this.filters,
    );
    $effect.pre(() => {
      const typed = this.narrow.trim();
      const rows = source.rows();
      return untrack(() => this.#findRows(rows, typed));
    });
  }

  /**
   * Filters the rows. The previous result stays until all rows are checked. Returns a function that cancels the search.
   */
  #findRows(rows: readonly Row[], typed: string): (() => void) | undefined {
    this.textFilterError = null;
    if (typed === '') {
      this.#found = null;
      return undefined;
    }
    try {
      return filterRows(rows, typed, (found) => {
        this.#found = found;
      });
    } catch (thrown) {
      this.textFilterError = toAppError(thrown);
      return undefined;
    }
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
  get count(): number {
    return this.#shown.length;
  }
  get matchingRows(): number {
    return this.#shown.length;
  }
  get isPlain(): boolean {
    return this.sort === null && this.narrow.trim() === '' && this.filters.length === 0;
  }

  setTextFilter(text: string): void {
    this.narrow = text;
  }
  setFilters(filters: readonly ColumnFilter[]): void {
    this.filters = filters;
  }
  setSort(sort: RowWindow['sort']): void {
    this.sort = sort;
  }
  row(index: number): Row | undefined {
    return this.#shown[index];
  }
  /** Does nothing, as all rows are loaded. */
  ensure(): void {
    return;
  }
  sample(most: number): Row[] {
    return this.#source.rows().slice(0, most);
  }
}
