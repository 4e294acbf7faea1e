/** A stored list that is also sorted by what is known of its rows from elsewhere: over the rows that are stored. */
import { sortRows } from '../lib/row-order.ts';
import { ListModel, type ListModelOptions, type Row } from './list-state.svelte.ts';

interface JoinedListOptions extends ListModelOptions {
  /** Value of a row by the field of a column; undefined where that field is the list's own. Reactive. */
  joined: (field: string) => ((row: Row) => unknown) | undefined;
  /** Is what is known from elsewhere here? Until then no row stands anywhere: it would move under the pointer. Reactive. */
  isKnown?: () => boolean;
}

type Sort = ListModel['sort'];

export class JoinedList extends ListModel {
  readonly #joined: JoinedListOptions['joined'];
  readonly #isKnown: () => boolean;
  #chosen = $state.raw<Sort>(null);
  /** Places of the rows in the order of the joined field; null where the list sorts itself. */
  readonly #order = $derived.by(() => {
    const chosen = this.#chosen;
    const joined = chosen === null ? undefined : this.#joined(chosen.field);
    if (chosen === null || joined === undefined) return null;
    const places = Array.from({ length: this.matchingRows }, (_, place) => {
      const row = super.row(place);
      return { place, value: row === undefined ? undefined : joined(row) };
    });
    return sortRows(places, { field: 'value', isDescending: chosen.isDescending }).map(({ place }) =>
      Number(place),
    );
  });

  constructor({ joined, isKnown = () => true, ...options }: JoinedListOptions) {
    super(options);
    this.#joined = joined;
    this.#isKnown = isKnown;
  }

  override get isPlain(): boolean {
    return this.#chosen === null && super.isPlain;
  }

  override setSort(sort: Sort): void {
    const isJoined = sort !== null && this.#joined(sort.field) !== undefined;
    this.#chosen = isJoined ? sort : null;
    super.setSort(isJoined ? null : sort);
    if (isJoined) this.ensure(0, this.matchingRows);
  }

  override row(index: number): Row | undefined {
    const order = this.#order;
    if (order === null) return super.row(index);
    if (!this.#isKnown()) return undefined;
    const place = order[index];
    return place === undefined ? undefined : super.row(place);
  }

  /** Any row may stand anywhere: all of them are needed. */
  override ensure(first: number, end: number): void {
    if (this.#chosen === null) super.ensure(first, end);
    else super.ensure(0, Math.max(end, this.matchingRows));
  }

  override load(first: number, end: number): Promise<void> {
    return this.#chosen === null ? super.load(first, end) : super.load(0, this.matchingRows);
  }
}
