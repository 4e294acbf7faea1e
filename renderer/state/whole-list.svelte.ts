/** Rows of a list that is read completely, instead of only its visible part. */
import { textField } from '../lib/records.ts';
import type { ListModel, Row } from './list-state.svelte.ts';

/** The rows in order; null if the list is not complete, is being read, or has rows that are not loaded. */
export function wholeRows(list: Pick<ListModel, 'count' | 'freshness' | 'row'>): Row[] | null {
  const { count, freshness } = list;
  if (freshness?.isComplete !== true || freshness.refresh.phase === 'loading') return null;
  const rows = Array.from({ length: count }, (_, index) => list.row(index)).filter(
    (row) => row !== undefined,
  );
  return rows.length === count ? rows : null;
}

/** The rows of a list that were read, by id. A row that is missing from a later complete reading is removed. */
export class RowsById {
  #rows: ReadonlyMap<string, Row> = $state.raw(new Map());
  readonly #list: ListModel;
  readonly #most: number;

  /** `most`: maximum number of rows that are read. */
  constructor(list: ListModel, most: number) {
    this.#list = list;
    this.#most = most;
    list.onRows = (rows) => {
      this.#rows = new Map([...this.#rows, ...byId(rows)]);
    };
    list.onReadAgain = () => void this.#readAgain();
  }

  /** All rows read so far. Reactive. */
  get all(): Row[] {
    return [...this.#rows.values()];
  }

  async read(): Promise<void> {
    await this.#list.load(0, Math.min(this.#list.count, this.#most));
  }

  async #readAgain(): Promise<void> {
    await this.read();
    const rows = wholeRows(this.#list);
    if (rows !== null) this.#rows = new Map(byId(rows));
  }
}

const byId = (rows: readonly Row[]) => rows.map((row) => [textField(row, 'id'), row] as const);
