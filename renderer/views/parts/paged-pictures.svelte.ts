/** What the pictures of a paged table are counted from: its rows, read once while the pictures are shown. */
import { type AppError, toAppError } from '../../../electron/shared/errors.ts';
import type { Row } from '../../lib/grid/columns.ts';
import type { PagedRows } from '../../state/uploads-paged.svelte.ts';

/** Rows that are counted between two frames; of more the first ones are drawn, as a sample. */
const MOST_COUNTED = 5_000;

export class PagedPictures {
  isShown = $state(false);
  rows = $state.raw<readonly Row[]>([]);
  /** Rows of the table; more than those counted where these are a sample. */
  total = $state(0);
  error = $state.raw<AppError | null>(null);
  #isReading = false;
  #isStale = false;

  /** Reads again; asked for meanwhile, once more afterwards. Never rejects: the failure is `error`. */
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
      if (rows.length > 0 && found.length < Math.min(total, MOST_COUNTED)) continue;
      this.rows = found;
      this.total = total;
      return;
    }
  }
}
