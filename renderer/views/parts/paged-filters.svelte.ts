/** Filters of a paged table, which are set in the row menu and in the column summaries. */
import type { ColumnFilter, ColumnProfile } from '../../../electron/shared/analysis-model.ts';
import { ColumnSummaries } from '../../components/grid/column-summaries.svelte.ts';
import { type CellPlace, quoteCell, type RowAct } from '../../components/grid/row-menu.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import { passes, profileRows } from '../../lib/row-profiles.ts';
import { FilteredRows } from '../../state/filtered-rows.svelte.ts';
import type { PagedRows } from '../../state/uploads-paged.svelte.ts';
import { PagedSummaries } from './paged-summaries.svelte.ts';

export interface PagedColumn {
  id: string;
  title: string;
  width: string;
  isNumber?: boolean;
  /** Whether the values are unique per row, so that a summary is useless. */
  isPlain?: boolean;
  /** Formats a number of `measures`. */
  write?: (value: unknown) => string;
  /** Width in pixels of the table below which the column is hidden. */
  fromWidth?: number;
}

/** A cell value to include or exclude. */
interface Rule {
  field: string;
  value: unknown;
  excludes: boolean;
  text: string;
}

interface Table<T> {
  readonly rows: PagedRows<T>;
  readonly columns: readonly PagedColumn[];
  record: (row: T) => Row;
  measures: (row: T) => Row;
  /** Called when other rows are shown, from the first one on. */
  onchange: () => void;
}

export class PagedFilterState<T> {
  rules = $state.raw<readonly Rule[]>([]);
  filters = $state.raw<readonly ColumnFilter[]>([]);
  readonly found = new FilteredRows<T>();
  readonly counted = new PagedSummaries();
  readonly isFiltered = $derived(this.rules.length + this.filters.length > 0);
  readonly #table: Table<T>;
  /** Columns with a summary. */
  readonly summarized = $derived.by(() => this.#table.columns.flatMap(summarized));
  readonly profiles = $derived.by(() => this.#profiles());
  readonly summaries: ColumnSummaries;

  /** `table` is reactive, as its parts can change. */
  constructor(table: Table<T>) {
    this.#table = table;
    const own = () => this;
    this.summaries = new ColumnSummaries(
      {
        get arranged() {
          return own().summarized.map((column) => ({ column }));
        },
        columnIndex: 0,
        sortField: ({ id }) => id,
      },
      {
        get columns() {
          return own().profiles;
        },
        get filters() {
          return own().filters;
        },
        get isSample() {
          return own().counted.rows.length < own().counted.total;
        },
        setFilters: (next) => this.filter(this.rules, next),
        see: () => undefined,
      },
    );
  }

  /** Number of rows to show; null while unknown. */
  get total(): number | null {
    return this.isFiltered ? this.found.count : this.#table.rows.total;
  }

  at(index: number): T | undefined {
    return this.isFiltered ? this.found.at(index) : this.#table.rows.at(index);
  }

  filter(rules: readonly Rule[], filters = this.filters): void {
    this.rules = rules;
    this.filters = filters;
    this.#table.onchange();
    if (this.isFiltered) void this.readFound();
    else this.found.stop();
  }

  readFound(): Promise<void> {
    const tests = this.filters.map(passes);
    return this.found.readAll(this.#table.rows, (row) => {
      if (!this.#fits(this.#table.record(row))) return false;
      const values = tests.length === 0 ? {} : this.#valuesOf(row);
      return tests.every((test) => test(values));
    });
  }

  /** Counts the summaries again, if they are shown. */
  count(): Promise<void> {
    return this.counted.read(
      () => this.#table.rows,
      (row) => this.#valuesOf(row),
    );
  }

  /** Menu items that filter for rows with the value of a cell, or without it. */
  actsOn(place: CellPlace, field: string): RowAct[] {
    const value: unknown = place.row[field] ?? null;
    if (typeof value === 'object' && value !== null) return [];
    const what = value === null || value === '' ? 'empty' : quoteCell(place);
    return [false, true].map((excludes) => {
      const text = `${place.column.title} is ${excludes ? 'not ' : ''}${what}`;
      const run = () => this.filter([...this.rules, { field, value, excludes, text }]);
      return { title: `All rows: ${text}`, run };
    });
  }

  readonly #fits = (whole: Row): boolean =>
    this.rules.every(({ field, value, excludes }) => ((whole[field] ?? null) === value) !== excludes);

  #valuesOf(row: T): Row {
    return { ...this.#table.record(row), ...this.#table.measures(row) };
  }

  #profiles(): ReadonlyMap<string, ColumnProfile> {
    if (!this.counted.isShown) return new Map();
    const rows = this.rules.length === 0 ? this.counted.rows : this.counted.rows.filter(this.#fits);
    const fields = this.summarized.map(({ id }) => id);
    return new Map(profileRows(rows, fields, this.filters).map((profile) => [profile.field, profile]));
  }
}

function summarized({ id, title, isNumber, isPlain, write }: PagedColumn): Column[] {
  if (isPlain === true) return [];
  const kind = isNumber === true ? 'number' : 'text';
  return [{ id, title, kind, width: 0, get: (row) => row[id], ...(write === undefined ? {} : { write }) }];
}
