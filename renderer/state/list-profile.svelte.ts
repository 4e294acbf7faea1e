/** Profiles of the columns of one list: asked for the columns in view, one question at a time. */
import type { ColumnFilter, ColumnProfile, ListProfile } from '../../electron/shared/analysis-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { client as realClient } from '../lib/client.ts';

/** What profiles are wanted of. */
export interface ProfileWish {
  /** Null where the rows are no stored list. */
  query: ListQuery | null;
  narrow: string | null;
  filters: readonly ColumnFilter[];
  fields: readonly string[];
  /** Changes with the rows that are stored. */
  rows: string;
  /** More rows are on their way: what was counted stays until all of them are here. */
  isLoading: boolean;
}

type StoredWish = ProfileWish & { query: ListQuery };
const isOfStored = (wish: ProfileWish): wish is StoredWish => wish.query !== null;

/** What a list's pane needs of profiles, wherever they are made. */
export type ProfiledList = Pick<ListProfiles, 'about' | 'columns' | 'error' | 'want' | 'again'>;

export class ListProfiles {
  /** The newest answer without its columns; null until there is one, and where nothing is stored. */
  about = $state.raw<Omit<ListProfile, 'columns'> | null>(null);
  /** By field. */
  columns = $state.raw<ReadonlyMap<string, ColumnProfile>>(new Map());
  error = $state.raw<AppError | null>(null);

  #wish: ProfileWish | null = null;
  /** What the columns at hand were counted over, and the fields that were asked for: some have no column. */
  #answered: { wish: ProfileWish; fields: ReadonlySet<string> } | null = null;
  #isUnderWay = false;
  #stopListening: (() => void) | null = null;
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke' | 'on'>;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke' | 'on'>) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /** Says what is in view. The newest wish is the next question; null: nothing is looked at any more. */
  want(wish: ProfileWish | null): void {
    this.#wish = wish;
    if (wish === null) {
      this.#stopListening?.();
      this.#stopListening = null;
      return;
    }
    this.#stopListening ??= this.#client.on('library:profile-changed', ({ connectionId }) => {
      // After a failure a person tries again.
      if (connectionId === this.#connectionId && this.error === null && this.about?.isSample !== false)
        this.again();
    });
    void this.#ask();
  }

  /** Asks once more for all that is in view. */
  again(): void {
    this.#answered = null;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
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
    this.#isUnderWay = false;
  }

  /** The fields to ask for next; null where everything in view is here. */
  #next(): { wish: StoredWish; fields: readonly string[]; isMore: boolean } | null {
    const wish = this.#wish;
    if (wish === null || !isOfStored(wish) || wish.fields.length === 0) return null;
    const answered = this.#answered;
    if (answered === null || !isSameQuestion(answered.wish, wish))
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

function isSameQuestion(a: ProfileWish, b: ProfileWish): boolean {
  return (
    JSON.stringify([a.query, a.narrow, a.filters]) === JSON.stringify([b.query, b.narrow, b.filters]) &&
    (a.rows === b.rows || b.isLoading)
  );
}
