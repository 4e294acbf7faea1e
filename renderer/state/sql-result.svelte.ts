/** The rows of a query result for a grid, and the profiles of its columns. */
import type { ColumnFilter, ColumnProfile } from '../../electron/shared/analysis-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { SqlAnswers, SqlRequest, SqlResult, SqlWindow } from '../../electron/shared/sql-model.ts';
import { rowOf } from '../lib/sql/result.ts';

type Act = SqlRequest['act'];
export type AskedSql<A extends Act> = Omit<Extract<SqlRequest, { act: A }>, 'connectionId'> & { act: A };
type AskSql = <A extends Act>(request: AskedSql<A>) => Promise<SqlAnswers[A]>;

type Row = Record<string, unknown>;

const PAGE_ROWS = 200;
/** Maximum number of cached pages; others are read again when they become visible. */
const MAX_PAGES = 50;

export class SqlRowsState {
  readonly about: SqlResult;
  /** The SQL that was run. Exporting the result runs it again without the row limit. */
  readonly sql: string;
  /** Number of rows that pass the filters. */
  count = $state(0);
  filters = $state.raw<readonly ColumnFilter[]>([]);
  sort = $state.raw<SqlWindow['sort']>(null);
  columns = $state.raw<ReadonlyMap<string, ColumnProfile>>(new Map());
  error = $state.raw<AppError | null>(null);
  /** False, because profiles cover all rows of the result. */
  readonly isSample = false;
  readonly phase = 'ready';

  readonly #ask: AskSql;
  readonly #runId: string;
  #pages = $state.raw<ReadonlyMap<number, readonly Row[]>>(new Map());
  readonly #loading = new Map<number, Promise<void>>();
  #fields: readonly string[] = [];
  /** Incremented when other rows are shown, so that older answers are ignored. */
  #run = 0;

  constructor(ask: AskSql, runId: string, sql: string, about: SqlResult) {
    this.#ask = ask;
    this.#runId = runId;
    this.sql = sql;
    this.about = about;
    this.count = about.rows;
  }

  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  ensure(first: number, end: number): void {
    void this.load(first, end);
  }

  async load(first: number, end: number): Promise<void> {
    const pages: Promise<void>[] = [];
    const last = Math.min(end, this.count) - 1;
    for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page += 1)
      if (!this.#pages.has(page)) pages.push(this.#loading.get(page) ?? this.#load(page));
    await Promise.all(pages);
  }

  setFilters(filters: readonly ColumnFilter[]): void {
    this.filters = filters;
    this.#restart();
    void this.#profile(this.#fields);
  }

  setSort(sort: SqlWindow['sort']): void {
    if (JSON.stringify(sort) === JSON.stringify(this.sort)) return;
    this.sort = sort;
    this.#restart();
  }

  see(fields: readonly string[]): void {
    const missing = fields.filter((field) => !this.#fields.includes(field));
    this.#fields = [...this.#fields, ...missing];
    if (missing.length > 0) void this.#profile(missing);
  }

  /** Tries again after an error. */
  again(): void {
    this.error = null;
    this.#restart();
    void this.#profile(this.#fields);
  }

  #restart(): void {
    this.#run += 1;
    this.#loading.clear();
    // The present rows stay until those of the new query are loaded.
    void this.#load(0, true);
  }

  async #load(page: number, isFirst = false): Promise<void> {
    const run = this.#run;
    const window = {
      offset: page * PAGE_ROWS,
      limit: PAGE_ROWS,
      sort: this.sort,
      filters: [...this.filters],
    };
    const loading = this.#ask({ act: 'rows', runId: this.#runId, window }).then(
      ({ rows, matchingRows }) => {
        if (run !== this.#run) return;
        this.#loading.delete(page);
        this.error = null;
        this.count = matchingRows;
        const kept = isFirst ? [] : [...this.#pages].slice(1 - MAX_PAGES);
        this.#pages = new Map([...kept, [page, rows.map((row) => rowOf(this.about.columns, row))]]);
      },
      (thrown: unknown) => {
        if (run === this.#run) this.error = toAppError(thrown);
      },
    );
    this.#loading.set(page, loading);
    await loading;
  }

  async #profile(fields: readonly string[]): Promise<void> {
    const { filters } = this;
    if (fields.length === 0) return;
    try {
      const act = 'profile';
      const asked = { runId: this.#runId, fields: [...fields], filters: [...filters] };
      const profiles = await this.#ask({ act, ...asked });
      if (filters !== this.filters) return;
      this.columns = new Map([...this.columns, ...profiles.map((each) => [each.field, each] as const)]);
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }
}
