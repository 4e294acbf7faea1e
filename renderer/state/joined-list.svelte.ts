/**
 * A stored list that can also be sorted by data about its rows that comes from another source. Only stored rows are
 * sorted.
 */
import { sortRows } from '../lib/row-order.ts';
import { ListModel, type ListModelOptions, type Row } from './list-state.svelte.ts';

export interface Joined {
  /** Returns the value of a row for the field of a column; undefined if the list itself has the field. Reactive. */
  sortedBy: (field: string) => ((row: Row) => unknown) | undefined;
  /** A key that is unique among all rows. */
  keyOf: (row: Row) => string;
  /**
   * Whether the other data is available. Until then no rows are shown, as they would move while the user points at
   * them. Reactive.
   */
  isKnown: () => boolean;
  /** Whether the other data is complete and stable. Until then rows keep their positions. Reactive. */
  isRead: () => boolean;
  /** Whether the user is working with the rows, which then keep their positions. Reactive. */
  isInUse: () => boolean;
}

type Sort = ListModel['sort'];

interface Order {
  field: string;
  isDescending: boolean;
  /** Keys of the rows in order. */
  keys: readonly string[];
  /** Whether all rows were loaded. */
  isWhole: boolean;
}

export class JoinedList extends ListModel {
  readonly #joined: Joined;
  #chosen = $state.raw<Sort>(null);
  /** Incremented when the user requests the current order. */
  #asked = $state(0);
  /** The shown order. Not reactive, as it only affects how the next order is derived. */
  #taken: Order | null = null;

  /** The present order of the rows by the joined field; null if the list sorts itself. */
  readonly #now = $derived.by(() => {
    const chosen = this.#chosen;
    const sortedBy = chosen === null ? undefined : this.#joined.sortedBy(chosen.field);
    if (chosen === null || sortedBy === undefined) return null;
    const rows = Array.from({ length: this.matchingRows }, (_, place) => {
      const row = super.row(place);
      if (row === undefined) return { place, key: '', value: undefined };
      return { place, key: this.#joined.keyOf(row), value: sortedBy(row) };
    });
    const sorted = sortRows(rows, { field: 'value', isDescending: chosen.isDescending });
    const found = sorted.map(({ place, key }) => ({ place: Number(place), key: String(key) }));
    return { ...chosen, rows: found, isWhole: rows.every(({ key }) => key !== '') };
  });

  /** Positions of the rows in the shown order. */
  readonly #places = $derived.by(() => {
    void this.#asked;
    const now = this.#now;
    if (now === null) {
      this.#taken = null;
      return null;
    }
    const { field, isDescending, rows, isWhole } = now;
    const taken = this.#taken;
    const isSame = taken?.field === field && taken.isDescending === isDescending;
    const stays = isSame && taken.isWhole && (!this.#joined.isRead() || this.#joined.isInUse());
    if (!stays) {
      if (taken !== null || this.#joined.isKnown())
        this.#taken = { field, isDescending, isWhole, keys: rows.map(({ key }) => key) };
      return rows.map(({ place }) => place);
    }
    const placeOf = new Map(taken.keys.map((key, place) => [key, place]));
    // New rows are placed at the end.
    const rank = ({ key }: { key: string }) => placeOf.get(key) ?? rows.length + taken.keys.length;
    return rows.toSorted((a, b) => rank(a) - rank(b)).map(({ place }) => place);
  });

  constructor({ joined, ...options }: ListModelOptions & { joined: Joined }) {
    super(options);
    this.#joined = joined;
  }

  override get isPlain(): boolean {
    return this.#chosen === null && super.isPlain;
  }

  /** Whether the shown order differs from that of the present data. */
  get isOutOfOrder(): boolean {
    const [now, places] = [this.#now, this.#places];
    if (now === null || places === null || !this.#joined.isRead()) return false;
    return now.rows.some(({ place }, at) => place !== places[at]);
  }

  /** Applies the current order, even while the user is working with the rows. */
  sortAgain(): void {
    this.#taken = null;
    this.#asked += 1;
  }

  override setSort(sort: Sort): void {
    const isJoined = sort !== null && this.#joined.sortedBy(sort.field) !== undefined;
    this.#chosen = isJoined ? sort : null;
    super.setSort(isJoined ? null : sort);
    if (isJoined) this.ensure(0, this.matchingRows);
  }

  override row(index: number): Row | undefined {
    const places = this.#places;
    if (places === null) return super.row(index);
    if (!this.#joined.isKnown()) return undefined;
    const place = places[index];
    return place === undefined ? undefined : super.row(place);
  }

  /** All rows are needed, because any row can be at any position. */
  override ensure(first: number, end: number): void {
    if (this.#chosen === null) super.ensure(first, end);
    else super.ensure(0, Math.max(end, this.matchingRows));
  }

  override load(first: number, end: number): Promise<void> {
    return this.#chosen === null ? super.load(first, end) : super.load(0, this.matchingRows);
  }
}
