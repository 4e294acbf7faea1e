/**
 * Rows that are too many to hold: pages are read as they come into sight. For bad rows and batches, whose
 * channels answer at most 200 at a time.
 */
import { untrack } from 'svelte';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

export const PAGE_ROWS = 100;
/** Pages kept; the least recently read goes first. */
const MOST_PAGES = 20;

export interface LoadedPage<T> {
  rows: T[];
  total: number;
}

export class PagedRows<T> {
  total = $state<number | null>(null);
  error = $state.raw<AppError | null>(null);
  #pages = $state.raw<ReadonlyMap<number, T[]>>(new Map());

  readonly #load: (offset: number, limit: number) => Promise<LoadedPage<T>>;
  readonly #asked = new Set<number>();
  #generation = 0;

  constructor(load: (offset: number, limit: number) => Promise<LoadedPage<T>>) {
    this.#load = load;
  }

  /** The row at this place, or undefined while it is not here. */
  at(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** All rows that are here, in order. */
  get loaded(): T[] {
    return [...this.#pages.keys()].sort((a, b) => a - b).flatMap((page) => this.#pages.get(page) ?? []);
  }

  /** Reads whatever of these rows is missing. */
  async want(first: number, last: number): Promise<void> {
    const pages: number[] = [];
    for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page += 1) {
      if (!this.#pages.has(page) && !this.#asked.has(page)) pages.push(page);
    }
    await Promise.all(pages.map((page) => this.#readPage(page)));
  }

  /** Reads again what is shown; what is there stays until the answer is. */
  reload(first = 0, last = PAGE_ROWS - 1): Promise<unknown> {
    // An effect that reloads must not depend on the rows that it replaces.
    return untrack(() => {
      this.#generation += 1;
      this.#asked.clear();
      this.error = null;
      const from = Math.floor(first / PAGE_ROWS);
      const to = Math.max(from, Math.floor(last / PAGE_ROWS));
      this.#pages = new Map([...this.#pages].filter(([page]) => page >= from && page <= to));
      return Promise.all(Array.from({ length: to - from + 1 }, (_, index) => this.#readPage(from + index)));
    });
  }

  async #readPage(page: number): Promise<void> {
    const generation = this.#generation;
    this.#asked.add(page);
    try {
      const { rows, total } = await this.#load(page * PAGE_ROWS, PAGE_ROWS);
      if (generation !== this.#generation) return;
      this.total = total;
      const kept = [...this.#pages].filter(([each]) => each !== page).slice(1 - MOST_PAGES);
      this.#pages = new Map([...kept, [page, rows]]);
    } catch (thrown) {
      if (generation === this.#generation) this.error = toAppError(thrown);
    } finally {
      if (generation === this.#generation) this.#asked.delete(page);
    }
  }
}
