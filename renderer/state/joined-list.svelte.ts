/** A stored list that is also sorted by what is known of its rows from elsewhere: over the rows that are stored. */
import { sortRows } from '../lib/row-order.ts';
import { ListModel, type ListModelOptions, type Row } from './list-state.svelte.ts';

export interface Joined {
  /** Value of a row by the field of a column; undefined where that field is the list's own. Reactive. */
  sortedBy: (field: string) => ((row: Row) => unknown) | undefined;
  /** Unlike that of all other rows. */
  keyOf: (row: Row) => string;
  /** Is what is known from elsewhere here? Until then no row stands anywhere: it would move under the pointer. Reactive. */
  isKnown: () => boolean;
  /** Is it whole, and not about to change? Until then rows stay where they are. Reactive. */
  isRead: () => boolean;
  /** Is a person at the rows? Meanwhile they stay where they are. Reactive. */
  isInUse: () => boolean;
}

type Sort = ListModel['sort'];

interface Order {
  field: string;
  isDescending: boolean;
  /** Keys of the rows in this order. */
  keys: readonly string[];
  /** Were all rows at hand? */
  isWhole: boolean;
}

export class JoinedList extends ListModel {
  readonly #joined: Joined;
  #chosen = $state.raw<Sort>(null);
  /** Counts up where the order is to be that of now. */
  #asked = $state(0);
  /** The order that rows stand in. Not reactive: only how the next one follows from it. */
  #taken: Order | null = null;

  /** Places of the rows in the order of the joined field; null where the list sorts itself. */
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

  /** The places as rows stand by now. */
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
    // A row that is new stands at the end.
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

  /** The rows stand in an order from before what is known by now. */
  get isOutOfOrder(): boolean {
    const [now, places] = [this.#now, this.#places];
    if (now === null || places === null || !this.#joined.isRead()) return false;
    return now.rows.some(({ place }, at) => place !== places[at]);
  }

  /** The order of now, whoever is at the rows. */
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

  /** Any row may stand anywhere: all of them are needed. */
  override ensure(first: number, end: number): void {
    if (this.#chosen === null) super.ensure(first, end);
    else super.ensure(0, Math.max(end, this.matchingRows));
  }

  override load(first: number, end: number): Promise<void> {
    return this.#chosen === null ? super.load(first, end) : super.load(0, this.matchingRows);
  }
}
