import type { Sidecars } from '../analysis/sidecars.ts';
import type { ServiceClient } from '../api/types.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import type { LibraryStore } from '../db/library-store.ts';
import type { ColumnFilter, ListProfile } from '../shared/analysis-model.ts';
import type { AppError } from '../shared/errors.ts';
import type {
  Freshness,
  ListQuery,
  ListRow,
  ListState,
  RecordState,
  RowPage,
  RowWindow,
} from '../shared/model.ts';
import type { Settings } from '../shared/settings.ts';
import type { Positions } from './positions.ts';

export type RefreshMode = 'if-stale' | 'always' | 'never';

/** Selects the stored queries affected by a change: those of one operation that match all given fields. */
export interface Invalidation {
  operation: string;
  /** Path parameters that the query must have, with these values. */
  path?: Readonly<Record<string, string>>;
  /** Text contained in the query's parameters or body, e.g. an id. */
  mentions?: string;
  /** The records are gone at the service; lists are only read again. */
  isGone?: boolean;
}

/** The offline library of one connection. Arguments are those of the `library:*` channels. */
export interface Library {
  /**
   * Returns stored data at once; if a refresh is due, it runs in the background and is reported by `onListChanged`.
   * Throws INVALID_ARGUMENT for an invalid query; an unreachable service is not an error but a freshness. Throws any
   * failure to read the store.
   */
  openList(
    /** `isClick`: a person requested it, so it precedes other reads. */
    request: { viewId: string; query: ListQuery; refresh: RefreshMode; isClick?: boolean },
    /** Called right before the state is read: earlier events are older than the state. */
    readsNow?: () => void,
  ): Promise<ListState>;
  /**
   * A window of stored rows, without a request. Unsorted and unfiltered, `offset` is the position in the service's
   * order, and `matchingRows` includes rows that are not stored yet. Throws INVALID_ARGUMENT for an invalid expression
   * in `narrow`. In the form `message` there may be fewer rows than requested: continue at `nextOffset`; read a long
   * row with `readRecord`.
   */
  readRows(request: { query: ListQuery; window: RowWindow }, form?: RecordForm): Promise<RowPage>;
  /** Up to `limit` stored rows from position `from` on, in the service's order; empty at the end. */
  readStored(query: ListQuery, from: number, limit: number): Promise<ListRow[]>;
  /**
   * Column statistics of a list over its stored rows that match `narrow`. Null if nothing is stored. Throws
   * INVALID_ARGUMENT for an invalid expression, DISK_FULL.
   */
  profile(request: ProfileRequest): Promise<ListProfile | null>;
  /**
   * The stored rows that a grid with this filter and sorting shows, in its order. Throws NOT_STORED if there are none,
   * CONFLICT if the list is not the one that was seen, and the errors of `readRows`.
   */
  chooseRows(choice: RowChoice): Promise<ChosenRows>;
  /** Every list with stored rows, in the order they were first opened. */
  storedLists(): { query: ListQuery; shown: Generation }[];
  /** The query of every stored record of an operation, in no particular order. */
  storedRecords(operation: ListQuery['operation']): ListQuery[];
  /** Fetches the rows around `offset` if they are not stored; null: the first page that is not read yet. */
  fetchRows(request: { viewId: string; query: ListQuery; offset: number | null }): Promise<ListState>;
  /** Key of a query's stored data. Throws as `openList` does. */
  keyOf(query: ListQuery): string;
  /**
   * Reads a complete list or record for offline use: the rows that a view sees stay until the new reading is complete.
   * Sends no request if the stored data is complete and not older than `notBeforeMs`. Throws AppError; pages read until
   * then stay, and the reading resumes there if its `generationId` is passed again.
   */
  fetchAll(reading: FetchRequest): Promise<FullFetch>;
  /**
   * For the same list of spans with a later range: takes over the rows of the earlier one that are in that range, and
   * marks those that the service did not return. Null if nothing is stored of the later one.
   */
  carryIntoLater(earlier: ListQuery, later: ListQuery): Promise<Pick<FullFetch, 'rows' | 'sizeBytes'> | null>;
  /** Deletes replaced rows in the background. */
  sweep(): void;
  /**
   * `message`: a record too long for a message between processes must be read with `readRecord`; else it is complete.
   */
  openRecord(request: RecordRequest, form?: RecordForm): Promise<RecordState>;
  /** A part of the JSON of a long record or row, from a character on; null if another answer is stored by now. */
  readRecord(request: { textId: number; from: number }): string | null;
  /**
   * Something changed at the service: affected stored data is read again, at once if a view has it open, else when it
   * is next opened. A deleted record stays readable and is marked as gone.
   */
  invalidate(invalidations: readonly Invalidation[]): void;
  /** The view was closed: its reads are cancelled; received data stays. */
  release(viewId: string): void;
  /** The service is reachable again: fetches missing data of open views. */
  wake(): void;
  /** The service is unreachable: pending reads fail, so that views show the reason. `wake` starts again. */
  suspend(error: AppError): void;
  /** Cancels every read and waits for the last write. */
  stop(): Promise<void>;
}

export interface ProfileRequest {
  query: ListQuery;
  narrow: string | null;
  /** Null: all fields of the stored rows. */
  fields: readonly string[] | null;
  filters: readonly ColumnFilter[];
}

export interface RowChoice {
  query: ListQuery;
  narrow: string | null;
  filters: readonly ColumnFilter[];
  sort: RowWindow['sort'];
  /** Index ranges in that order, inclusive on both sides; null: all. */
  ranges: readonly { from: number; to: number }[] | null;
  /** State of the list in which the rows were chosen; null: any state. */
  seen: Pick<Freshness, 'storedRows' | 'newestMs'> | null;
}

export interface ChosenRows {
  generation: Pick<Generation, 'id' | 'listId' | 'revision' | 'rowCount'>;
  /** In grid order; null: all of the generation. */
  positions: Positions | null;
  count: number;
  totalRows: number | null;
  /** No row of the list is missing. */
  isComplete: boolean;
  /** The same as in `Freshness`. */
  missingRows?: number | null;
  oldestMs: number | null;
  newestMs: number | null;
}

export interface RecordRequest {
  viewId: string;
  query: ListQuery;
  refresh: RefreshMode;
}
export type RecordForm = 'whole' | 'message';

export interface FetchRequest {
  query: ListQuery;
  form: 'list' | 'record';
  /** A reading that was begun earlier. */
  generationId: number | null;
  notBeforeMs: number;
  /** `page`: one page is enough, or any stored data. */
  until: 'end' | 'page';
  /** Client for its requests, at the lowest priority. */
  client: ServiceClient;
  group: string;
  signal: AbortSignal;
  onProgress: (progress: { generationId: number; rows: number; totalRows: number | null }) => void;
}

export interface FullFetch {
  rows: number;
  totalRows: number | null;
  isComplete: boolean;
  /** The same as in `Freshness`. */
  missingRows?: number | null;
  sizeBytes: number;
  /** Time of its oldest page. */
  readAtMs: number | null;
}

export interface LibraryDeps {
  connectionId: string;
  store: LibraryStore;
  client: ServiceClient;
  clock: Clock;
  settings: () => Pick<Settings, 'pageRows' | 'staleAfterMs' | 'prefetchRows' | 'mostListBytes'>;
  /** Tabs of the window, even while it is closed: the data they show is not evicted. */
  openTabIds: () => readonly string[];
  logger: Logger;
  /** Columns of lists, for profiles and column filters. */
  sidecars: Pick<Sidecars, 'profile' | 'positions'>;
  onListChanged: (state: ListState) => void;
  /** A list was stored completely by one reading. */
  onComplete?: (query: ListQuery, generation: Generation) => void;
  /** In the form for messages. */
  onRecordChanged: (state: RecordState) => void;
}
