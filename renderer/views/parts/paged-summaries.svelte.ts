/** Data for the summaries of a paged table: its rows, which are read once while the summaries are shown. */
import { type AppError, toAppError } from '../../../electron/shared/errors.ts';
import type { Row } from '../../lib/grid/columns.ts';
import type { PagedRows } from '../../state/uploads-paged.svelte.ts';

/**
 * Maximum number of counted rows, which can be counted between two frames. If there are more, the first rows are a
 * sample.
 */
const MAX_COUNTED = 5_000;

export class PagedSummaries {
  isShown = $state(false);
  rows = $state.raw<readonly Row[]>([]);
  /** Number of rows in the table. It exceeds the number of counted rows if these are a sample. */
  total = $state(0);
  error = $state.raw<AppError | null>(null);
  #isReading = false;
  #isStale = false;

  /** Reads the rows. A call during a read causes one more read afterwards. Never rejects: errors are in `error`. */
  async read<T>(source: () => PagedRows<T>, valuesOf: (row: T) => Row): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isStale && this.isShown) {
        this.#isStale = false;
        await this.#readOnce(source(), valuesOf);
      }
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.#isReading = false;
    }
  }

  async #readOnce<T>(source: PagedRows<T>, valuesOf: (row: T) => Row): Promise<void> {
    const found: Row[] = [];
    for (;;) {
      const { rows, total } = await source.read(found.length);
      found.push(...rows.map(valuesOf));
      if (rows.length > 0 && found.length < Math.min(total, MAX_COUNTED)) continue;
      this.rows = found;
      this.total = total;
      return;
    }
  }
}
