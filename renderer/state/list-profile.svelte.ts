/** Profiles of the columns of a list: queried for the visible columns, one query at a time. */
import type { ColumnFilter, ColumnProfile, ListProfile } from '../../electron/shared/analysis-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { client as realClient } from '../lib/client.ts';

/** The rows to profile. */
export interface ProfileWish {
  /** Null if the rows are not a stored list. */
  query: ListQuery | null;
  narrow: string | null;
  filters: readonly ColumnFilter[];
  fields: readonly string[];
  /** Changes with the stored rows. */
  rows: string;
  /** More rows are loading: the existing counts stay until all of them are loaded. */
  isLoading: boolean;
}

type StoredWish = ProfileWish & { query: ListQuery };
const isOfStored = (wish: ProfileWish): wish is StoredWish => wish.query !== null;

/** The part of profiles that a list's pane needs, wherever they are computed. */
export type ProfiledList = Pick<ListProfiles, 'about' | 'columns' | 'error' | 'want' | 'again'>;

export class ListProfiles {
  /** The newest answer without its columns; null until there is one, and if nothing is stored. */
  about = $state.raw<Omit<ListProfile, 'columns'> | null>(null);
  /** By field. */
  columns = $state.raw<ReadonlyMap<string, ColumnProfile>>(new Map());
  error = $state.raw<AppError | null>(null);
  /** A query is in flight: the present counts answer an earlier one, if any. */
  isAsking = $state(false);

  #wish: ProfileWish | null = null;
  /** The rows that the columns were counted over, and the requested fields: some have no column. */
  #answered: { wish: ProfileWish; fields: ReadonlySet<string> } | null = null;
  #stopListening: (() => void) | null = null;
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke' | 'on'>;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke' | 'on'>) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /** The rows of the newest answer, also if none of them are stored; null before the first one. */
  get answered(): ProfileWish | null {
    return this.#answered?.wish ?? null;
  }

  /** Sets the visible columns. The newest request is the next query; null: nothing is visible. */
  want(wish: ProfileWish | null): void {
    this.#wish = wish;
    if (wish === null) {
      this.#stopListening?.();
      this.#stopListening = null;
      return;
    }
    this.#stopListening ??= this.#client.on('library:profile-changed', ({ connectionId }) => {
      // After a failure the user can retry.
      if (connectionId === this.#connectionId && this.error === null && this.about?.isSample !== false)
        this.again();
    });
    void this.#ask();
  }

  /** Queries everything visible again. */
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

  /** The fields to query next; null if all visible ones are loaded. */
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
