/**
 * Reads pages of rows when they become visible, if all rows would not fit in memory. For bad rows and batches, whose
 * channels return at most 200 rows at a time.
 */
import { untrack } from 'svelte';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { LatestRequest } from './newest.ts';

const PAGE_ROWS = 100;
/** Maximum number of cached pages; the one read longest ago is evicted first. */
const MAX_PAGES = 20;

interface LoadedPage<T> {
  rows: T[];
  total: number;
}

export class PagedRows<T> {
  total = $state<number | null>(null);
  error = $state.raw<AppError | null>(null);
  #pages = $state.raw<ReadonlyMap<number, T[]>>(new Map());

  readonly #load: (offset: number, limit: number) => Promise<LoadedPage<T>>;
  readonly #asked = new Set<number>();
  readonly #latest = new Map<number, LatestRequest>();
  /** First and last visible row. */
  #range = { first: 0, last: PAGE_ROWS - 1 };
  #isReloading = false;
  #isChangedSince = false;

  constructor(load: (offset: number, limit: number) => Promise<LoadedPage<T>>) {
    this.#load = load;
  }

  /** Reads the page that starts at `offset`, without caching it. */
  read(offset: number): Promise<LoadedPage<T>> {
    return this.#load(offset, PAGE_ROWS);
  }

  /** The row at this index; undefined while it is not loaded. */
  at(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** All loaded rows in order. */
  get loaded(): T[] {
    return [...this.#pages.keys()].sort((a, b) => a - b).flatMap((page) => this.#pages.get(page) ?? []);
  }

  /** Sets the visible rows, and reads those that are missing. */
  async want(first: number, last: number): Promise<void> {
    this.#range = { first, last };
    const missing = this.#pagesInSight().filter((page) => !this.#pages.has(page) && !this.#asked.has(page));
    await Promise.all(missing.map((page) => this.#readPage(page)));
  }

  /**
   * Reads the visible rows again. The present ones stay until the answer arrives. Changes that come faster than answers
   * are combined.
   */
  async reload(): Promise<void> {
    this.#isChangedSince = true;
    if (this.#isReloading) return;
    this.#isReloading = true;
    while (this.#isChangedSince) {
      this.#isChangedSince = false;
      const inSight = this.#pagesInSight();
      // An effect that reloads must not depend on the rows that it replaces.
      untrack(() => {
        this.error = null;
        this.#pages = new Map([...this.#pages].filter(([page]) => inSight.includes(page)));
      });
      await Promise.all(inSight.map((page) => this.#readPage(page)));
    }
    this.#isReloading = false;
  }

  #pagesInSight(): number[] {
    const from = Math.max(0, Math.floor(this.#range.first / PAGE_ROWS));
    const to = Math.max(from, Math.floor(this.#range.last / PAGE_ROWS));
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  }

  /** Reads a page. Never rejects: errors are in `error`. */
  async #readPage(page: number): Promise<void> {
    this.#asked.add(page);
    const latest = this.#latest.get(page) ?? new LatestRequest();
    this.#latest.set(page, latest);
    const isLast = latest.ask();
    try {
      const { rows, total } = await this.#load(page * PAGE_ROWS, PAGE_ROWS);
      if (!isLast()) return;
      this.total = total;
      const kept = [...this.#pages].filter(([each]) => each !== page).slice(1 - MAX_PAGES);
      this.#pages = new Map([...kept, [page, rows]]);
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.#asked.delete(page);
    }
  }
}
