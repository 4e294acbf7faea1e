/** Filters rows that are read page by page, checking all of them in chunks. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { LatestRequest } from './newest.ts';
import type { PagedRows } from './uploads-paged.svelte.ts';

export class FilteredRows<T> {
  /** Number of rows that passed so far. */
  count = $state(0);
  /** Number of rows checked so far, and number of all rows. */
  read = $state(0);
  total = $state<number | null>(null);
  isReading = $state(false);
  error = $state.raw<AppError | null>(null);
  readonly #latest = new LatestRequest();
  #found: T[] = [];

  /** Starts again from the first row and cancels an earlier pass. Never rejects: errors are in `error`. */
  async readAll(source: PagedRows<T>, passes: (row: T) => boolean): Promise<void> {
    const isLast = this.#latest.ask();
    const all: T[] = [];
    this.#found = all;
    Object.assign(this, { count: 0, read: 0, total: null, isReading: true, error: null });
    try {
      for (let offset = 0; ; ) {
        const { rows, total } = await source.read(offset);
        if (!isLast()) return;
        offset += rows.length;
        all.push(...rows.filter(passes));
        Object.assign(this, { count: all.length, read: offset, total });
        if (rows.length === 0 || offset >= total) break;
      }
    } catch (thrown) {
      if (isLast()) this.error = toAppError(thrown);
    } finally {
      if (isLast()) this.isReading = false;
    }
  }

  /** The row at this index among those that passed. */
  at(index: number): T | undefined {
    return index < this.count ? this.#found[index] : undefined;
  }

  stop(): void {
    this.#latest.ask();
    this.isReading = false;
  }
}
