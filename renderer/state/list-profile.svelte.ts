/** Profiles of the columns of a list. They are queried for the visible columns, one query at a time. */
import type { ColumnFilter, ColumnProfile, ListProfile } from '../../electron/shared/analysis-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { client as realClient } from '../lib/client.ts';

/** The rows to profile. */
export interface ProfileWish {
  /** The stored list; null if the rows are not one. */
  query: ListQuery | null;
  narrow: string | null;
  filters: readonly ColumnFilter[];
  fields: readonly string[];
  /** Identifies the state of the stored rows. */
  rows: string;
  /** Whether more rows are loading. Until they are loaded, the present counts stay. */
  isLoading: boolean;
}

type StoredWish = ProfileWish & { query: ListQuery };
const isOfStored = (wish: ProfileWish): wish is StoredWish => wish.query !== null;

/** The part of the profiles that a list's pane needs, whichever process computes them. */
export type ProfiledList = Pick<ListProfiles, 'about' | 'columns' | 'error' | 'want' | 'again'>;

export class ListProfiles {
  /** The newest answer without its columns; null before the first answer, and if nothing is stored. */
  about = $state.raw<Omit<ListProfile, 'columns'> | null>(null);
  /** Profiles by field. */
  columns = $state.raw<ReadonlyMap<string, ColumnProfile>>(new Map());
  error = $state.raw<AppError | null>(null);
  /** Whether a query is in flight. Until its answer arrives, the counts are those of an earlier query. */
  isAsking = $state(false);

  #wish: ProfileWish | null = null;
  /** The rows that the columns were counted over, and the requested fields, which include fields without a profile. */
  #answered: { wish: ProfileWish; fields: ReadonlySet<string> } | null = null;
  #stopListening: (() => void) | null = null;
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke' | 'on'>;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke' | 'on'>) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /** The rows of the newest answer, even if none of them is stored; null before the first answer. */
  get answered(): ProfileWish | null {
    return this.#answered?.wish ?? null;
  }

  /** Sets the columns to profile; null if none is visible. Only the newest request is queried next. */
  want(wish: ProfileWish | null): void {
    this.#wish = wish;
    if (wish === null) {
      this.#stopListening?.();
      this.#stopListening = null;
      return;
    }
    this.#stopListening ??= this.#client.on('library:profile-changed', ({ connectionId }) => {
      // An error is shown, so that the user can retry.
      if (connectionId === this.#connectionId && this.error === null && this.about?.isSample !== false)
        this.again();
    });
    void this.#ask();
  }

  /** Queries all visible columns again. */
  again(): void {
    this.#answered = null;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const { wish, fields, isMore } = next;
      try {
        const { query, narrow, filters } = wish;
        const profile = await this.#client.invoke('library:profile', {
          connectionId: this.#connectionId,
          query,
          narrow,
          fields: [...fields],
          filters: [...filters],
        });
        this.#keep(profile, isMore);
        this.error = null;
      } catch (thrown) {
        this.error = toAppError(thrown);
      }
      const before = isMore ? (this.#answered?.fields ?? []) : [];
      this.#answered = { wish, fields: new Set([...before, ...fields]) };
    }
    this.isAsking = false;
  }

  /** The fields to query next; null if all visible columns have a profile. */
  #next(): { wish: StoredWish; fields: readonly string[]; isMore: boolean } | null {
    const wish = this.#wish;
    if (wish === null || !isOfStored(wish) || wish.fields.length === 0) return null;
    const answered = this.#answered;
    if (answered === null || !isSameWish(answered.wish, wish))
      return { wish, fields: wish.fields, isMore: false };
    const fields = wish.fields.filter((field) => !answered.fields.has(field));
    return fields.length === 0 ? null : { wish, fields, isMore: true };
  }

  #keep(profile: ListProfile | null, isMore: boolean): void {
    if (profile === null) {
      this.about = null;
      this.columns = new Map();
      return;
    }
    const { columns, ...about } = profile;
    const asked = columns.map((column) => [column.field, column] as const);
    this.columns = new Map([...(isMore ? this.columns : []), ...asked]);
    this.about = about;
  }
}

function isSameWish(a: ProfileWish, b: ProfileWish): boolean {
  return (
    JSON.stringify([a.query, a.narrow, a.filters]) === JSON.stringify([b.query, b.narrow, b.filters]) &&
    (a.rows === b.rows || b.isLoading)
  );
}
