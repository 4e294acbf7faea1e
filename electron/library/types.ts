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

/** Selects the stored queries that a change affects: queries of one operation that match all given fields. */
export interface Invalidation {
  operation: string;
  /** Path parameters with the values that the query must have. */
  path?: Readonly<Record<string, string>>;
  /** A text in the query's parameters or body, e.g. an id. */
  mentions?: string;
  /** True if the records no longer exist at the service. Lists are only read again. */
  isGone?: boolean;
}

/** The offline library of one connection. Arguments are those of the `library:*` channels. */
export interface Library {
  /**
   * Returns stored data at once. If a refresh is due, it runs in the background and is reported by `onListChanged`.
   * Throws INVALID_ARGUMENT for an invalid query. An unreachable service is not an error; the freshness shows it.
   * Throws if the store cannot be read.
   */
  openList(
    /** `isClick`: whether a person requested it, so that it precedes other reads. */
    request: { viewId: string; query: ListQuery; refresh: RefreshMode; isClick?: boolean },
    /** Called right before the state is read. Events reported before are older than the state. */
    readsNow?: () => void,
  ): Promise<ListState>;
  /**
   * A window of stored rows, without a request. If the list is unsorted and unfiltered, `offset` is the position in the
   * service's order, and `matchingRows` includes rows that are not stored yet. Throws INVALID_ARGUMENT for an invalid
   * expression in `narrow`. In the form `message` there may be fewer rows than requested: continue at `nextOffset`, and
   * read a long row with `readRecord`.
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
  /** Every list that has stored rows, in the order in which the lists were first opened. */
  storedLists(): { query: ListQuery; shown: Generation }[];
  /** The query of every stored record of an operation, in no particular order. */
  storedRecords(operation: ListQuery['operation']): ListQuery[];
  /**
   * Fetches the rows around `offset` if they are not stored. If it is null, fetches the first page that was not read
   * yet.
   */
  fetchRows(request: { viewId: string; query: ListQuery; offset: number | null }): Promise<ListState>;
  /** Key of the stored data of a query. Throws like `openList`. */
  keyOf(query: ListQuery): string;
  /**
   * Reads a complete list or record for offline use. The rows that a view shows stay until the new reading is complete.
   * Sends no request if the stored data is complete and not older than `notBeforeMs`. Throws AppError; pages read until
   * then stay, and the reading resumes there if its `generationId` is passed again.
   */
  fetchAll(reading: FetchRequest): Promise<FullFetch>;
  /**
   * Called for the same list of spans with a later range. Adds the rows of the earlier list that are in that range, and
   * marks those that the service did not return. Null if nothing is stored of the later list.
   */
  carryIntoLater(earlier: ListQuery, later: ListQuery): Promise<Pick<FullFetch, 'rows' | 'sizeBytes'> | null>;
  /** Deletes replaced rows in the background. */
  sweep(): void;
  /**
   * With `message`, a record too long for a message between processes must be read with `readRecord`; otherwise the
   * record is complete.
   */
  openRecord(request: RecordRequest, form?: RecordForm): Promise<RecordState>;
  /**
   * Returns a part of the JSON of a long record or row, from a character on; null if a different answer is stored by
   * now.
   */
  readRecord(request: { textId: number; from: number }): string | null;
  /**
   * Called when something changed at the service. Affected stored data is read again: at once if a view has it open,
   * otherwise when it is next opened. A deleted record stays readable and is marked as gone.
   */
  invalidate(invalidations: readonly Invalidation[]): void;
  /** Called when a view was closed. Its reads are cancelled; received data stays. */
  release(viewId: string): void;
  /** Called when the service is reachable again. Fetches missing data of open views. */
  wake(): void;
  /**
   * Called when the service is unreachable. Pending reads fail, so that views show the reason. `wake` starts them
   * again.
   */
  suspend(error: AppError): void;
  /** Cancels every read and waits for the last write. */
  stop(): Promise<void>;
}

export interface ProfileRequest {
  query: ListQuery;
  narrow: string | null;
  /** Names of the fields; null for all fields of the stored rows. */
  fields: readonly string[] | null;
  filters: readonly ColumnFilter[];
}

export interface RowChoice {
  query: ListQuery;
  narrow: string | null;
  filters: readonly ColumnFilter[];
  sort: RowWindow['sort'];
  /** Ranges of indices in grid order, including both ends; null for all rows. */
  ranges: readonly { from: number; to: number }[] | null;
  /** State of the list when the rows were chosen; null if any state is accepted. */
  seen: Pick<Freshness, 'storedRows' | 'newestMs'> | null;
}

export interface ChosenRows {
  generation: Pick<Generation, 'id' | 'listId' | 'revision' | 'rowCount'>;
  /** Positions in grid order; null for all rows of the generation. */
  positions: Positions | null;
  count: number;
  /** True if some of the positions may have no stored row, because pages between others were not read. */
  mayHaveGaps: boolean;
  totalRows: number | null;
  /** True if no row of the list is missing. */
  isComplete: boolean;
  /** See `Freshness`. */
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
  /** A reading that was started earlier, to be resumed. */
  generationId: number | null;
  notBeforeMs: number;
  /** With `page`, one page or any stored data is enough. */
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
  /** See `Freshness`. */
  missingRows?: number | null;
  sizeBytes: number;
  /** Time at which its oldest page was read. */
  readAtMs: number | null;
}

export interface LibraryDeps {
  connectionId: string;
  store: LibraryStore;
  client: ServiceClient;
  clock: Clock;
  settings: () => Pick<Settings, 'pageRows' | 'staleAfterMs' | 'prefetchRows' | 'mostListBytes'>;
  /** Tabs of the window, even while it is closed. The data that they show is not evicted. */
  openTabIds: () => readonly string[];
  logger: Logger;
  /** Columns of lists, stored for profiles and column filters. */
  sidecars: Pick<Sidecars, 'profile' | 'positions'>;
  onListChanged: (state: ListState) => void;
  /** Called when one reading has stored a list completely. */
  onComplete?: (query: ListQuery, generation: Generation) => void;
  /** Called with a record in the form for messages. */
  onRecordChanged: (state: RecordState) => void;
}
