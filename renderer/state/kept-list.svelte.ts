/** A stored list of which only some rows are shown: over the rows that are stored. */
import { ListModel, type ListModelOptions, type Row } from './list-state.svelte.ts';

interface KeptListOptions extends ListModelOptions {
  /** Is the row one of those that are shown? */
  keeps: (row: Row) => boolean;
}

export class KeptList extends ListModel {
  /** Profiles count all rows, also those that are not shown. */
  override readonly profiles = null;
  /** Shows every row after all. */
  showsAll = $state(false);
  readonly #keeps: KeptListOptions['keeps'];
  /** Places of the rows that are shown; null where all are. */
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

  /** Rows that were read and are not shown. */
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

  /** Any row may be one that is shown: all of them are needed. */
  override ensure(first: number, end: number): void {
    if (this.#places === null) super.ensure(first, end);
    else super.ensure(0, Math.max(end, this.whole));
  }

  override load(first: number, end: number): Promise<void> {
    return this.#places === null ? super.load(first, end) : super.load(0, this.whole);
  }
}
