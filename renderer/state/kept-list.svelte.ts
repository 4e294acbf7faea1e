/** A stored list that shows only some of its rows. Only stored rows are considered. */
import { ListModel, type ListModelOptions, type Row } from './list-state.svelte.ts';

interface KeptListOptions extends ListModelOptions {
  /** Whether the row is shown. */
  keeps: (row: Row) => boolean;
}

export class KeptList extends ListModel {
  /** None, because profiles count all rows, including hidden ones. */
  override readonly profiles = null;
  /** Whether all rows are shown. */
  showsAll = $state(false);
  readonly #keeps: KeptListOptions['keeps'];
  /** Positions of the shown rows; null if all are shown. */
  readonly #places = $derived.by(() => {
    if (this.showsAll) return null;
    return Array.from({ length: this.whole }, (_, place) => place).filter((place) => {
      const row = super.row(place);
      return row !== undefined && this.#keeps(row);
    });
  });

  constructor({ keeps, ...options }: KeptListOptions) {
    super(options);
    this.#keeps = keeps;
  }

  override get count(): number {
    return this.#places?.length ?? super.count;
  }

  /** Also true if all rows are loaded but hidden. */
  override get isKnownEmpty(): boolean {
    if (super.isKnownEmpty) return true;
    const isSettled = this.phase === 'ready' && this.isPlain && this.freshness?.refresh.phase !== 'loading';
    return isSettled && this.count === 0 && this.whole > 0 && this.leftOut === this.whole;
  }

  /** Number of loaded rows that are hidden. */
  get leftOut(): number {
    const places = this.#places;
    if (places === null) return 0;
    return Array.from({ length: this.whole }, (_, place) => super.row(place)).filter(
      (row) => row !== undefined && !this.#keeps(row),
    ).length;
  }

  override row(index: number): Row | undefined {
    const places = this.#places;
    if (places === null) return super.row(index);
    const place = places[index];
    return place === undefined ? undefined : super.row(place);
  }

  /** All rows are needed, because any of them can be shown. */
  override ensure(first: number, end: number): void {
    if (this.#places === null) super.ensure(first, end);
    else super.ensure(0, Math.max(end, this.whole));
  }

  override load(first: number, end: number): Promise<void> {
    return this.#places === null ? super.load(first, end) : super.load(0, this.whole);
  }
}
