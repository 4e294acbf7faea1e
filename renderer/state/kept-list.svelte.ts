/** A subset of a stored list; only stored rows are considered. */
import { ListModel, type ListModelOptions, type Row } from './list-state.svelte.ts';

interface KeptListOptions extends ListModelOptions {
  /** Whether the row is shown. */
  keeps: (row: Row) => boolean;
}

export class KeptList extends ListModel {
  /** Profiles count all rows, including hidden ones. */
  override readonly profiles = null;
  /** Shows every row. */
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

  /** This is true even if all rows are loaded and hidden. */
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

  /** Any row can be a shown one, so all of them are needed. */
  override ensure(first: number, end: number): void {
    if (this.#places === null) super.ensure(first, end);
    else super.ensure(0, Math.max(end, this.whole));
  }

  override load(first: number, end: number): Promise<void> {
    return this.#places === null ? super.load(first, end) : super.load(0, this.whole);
  }
}
