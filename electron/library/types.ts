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

export type RefreshMode = 'if-stale' | 'always' | 'never';

/** Stored questions that a change concerns: those of one operation, narrowed by what is given. */
export interface Touch {
  operation: string;
  /** Path parameters that the question must have with these values. */
  path?: Readonly<Record<string, string>>;
  /** Text that occurs in the question's parameters or body, e.g. an id. */
  mentions?: string;
  /** The records are gone at the service; lists are only read again. */
  isGone?: boolean;
}

/** The offline library of one connection. Arguments are those of the `library:*` channels. */
export interface Library {
  /**
   * What is stored of a list, at once; a refresh, where one is due, runs behind and is told by `onListChanged`.
   * Throws INVALID_ARGUMENT for a query that is none; a service that cannot be reached is not an error but a
   * freshness. Any failure to read the store throws.
   */
  openList(
    /** `isClick`: a person asked for it, so it goes before other reads. */
    request: { viewId: string; query: ListQuery; refresh: RefreshMode; isClick?: boolean },
    /** Called right before the state is read: events from before are older. */
    readsNow?: () => void,
  ): Promise<ListState>;
  /**
   * A window of stored rows, without a request. Unsorted and not narrowed, `offset` is the position in the
   * service's order, and `matchingRows` counts rows that are not here yet. Throws INVALID_ARGUMENT for a
   * broken expression in `narrow`. As a `message` there may be fewer rows than asked for: go on at `nextOffset`; a long row
   * is read by `readRecord`.
   */
  readRows(request: { query: ListQuery; window: RowWindow }, form?: RecordForm): Promise<RowPage>;
  /** Up to `limit` rows that are stored, from position `from` on, in the service's order; none where no more are. */
  readStored(query: ListQuery, from: number, limit: number): Promise<ListRow[]>;
  /**
   * The shape of the columns of a list, over the rows that are stored of it: those that `narrow` leaves. Null where
   * nothing is stored. Throws INVALID_ARGUMENT for a broken expression, DISK_FULL.
   */
  profile(request: ProfileRequest): Promise<ListProfile | null>;
  /**
   * Which of the stored rows a grid that is narrowed, filtered and sorted like this shows, in its order. Throws
   * NOT_STORED where there are none, CONFLICT where the list is not the one that was seen, and what `readRows` throws.
   */
  chooseRows(choice: RowChoice): Promise<ChosenRows>;
  /** Every list of which rows are stored, in the order in which they were first opened. */
  storedLists(): { query: ListQuery; shown: Generation }[];
  /** Fetches the rows around `offset` where they are not stored. */
  fetchRows(request: { viewId: string; query: ListQuery; offset: number }): Promise<ListState>;
  /** Names what is stored of a question. Throws as `openList` does. */
  keyOf(query: ListQuery): string;
  /**
   * Reads all of a list, or a record, as something to be kept: what a view sees stays until the new reading is whole.
   * Nothing is asked where what is stored is whole and not older than `notBeforeMs`. Throws AppError; pages read until
   * then stay, and the reading goes on from there where its `generationId` is given again.
   */
  readWhole(reading: WholeReading): Promise<WholeRead>;
  /** Deletes what was replaced, in the background. */
  sweep(): void;
  /** `message`: a record too long for a message between the processes is read by `readRecord`; else it is whole. */
  openRecord(request: RecordRequest, form?: RecordForm): Promise<RecordState>;
  /** A part of the JSON of a long record or row, from a character on; null where another answer is stored by now. */
  readRecord(request: { textId: number; from: number }): string | null;
  /**
   * Something changed at the service: what is stored and concerned is read again, at once where a view has it
   * open and when it is next opened where none has. A record that is gone stays readable and says so.
   */
  touch(touches: readonly Touch[]): void;
  /** The view closed: its reads are cancelled; what arrived stays. */
  release(viewId: string): void;
  /** The service answers again: what open views miss is fetched. */
  wake(): void;
  /** The service is gone: what waits for it ends as failed, so that views say why. `wake` begins anew. */
  suspend(error: AppError): void;
  /** Cancels every read and waits for the last write. */
  stop(): Promise<void>;
}

export interface ProfileRequest {
  query: ListQuery;
  narrow: string | null;
  /** Null: all that the stored rows have. */
  fields: readonly string[] | null;
  filters: readonly ColumnFilter[];
}

export interface RowChoice {
  query: ListQuery;
  narrow: string | null;
  filters: readonly ColumnFilter[];
  sort: RowWindow['sort'];
  /** Places in that order, both ends included; null: all. */
  ranges: readonly { from: number; to: number }[] | null;
  /** Of the list in which they were chosen; null: whichever is stored. */
  seen: Pick<Freshness, 'storedRows' | 'newestMs'> | null;
}

export interface ChosenRows {
  generation: Pick<Generation, 'id' | 'listId' | 'revision' | 'rowCount'>;
  /** In their order; null: all of the generation. */
  positions: Int32Array<ArrayBuffer> | null;
  count: number;
  totalRows: number | null;
  /** Nothing is missing of the list. */
  isComplete: boolean;
  /** As `Freshness` has it. */
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

export interface WholeReading {
  query: ListQuery;
  form: 'list' | 'record';
  /** A reading that was begun before. */
  generationId: number | null;
  notBeforeMs: number;
  /** `page`: one page is enough, and anything that is stored. */
  until: 'end' | 'page';
  /** Its requests go this way, at the priority of what nobody waits for. */
  client: ServiceClient;
  group: string;
  signal: AbortSignal;
  onProgress: (progress: { generationId: number; rows: number; totalRows: number | null }) => void;
}

export interface WholeRead {
  rows: number;
  totalRows: number | null;
  isComplete: boolean;
  /** As `Freshness` has it. */
  missingRows?: number | null;
  sizeBytes: number;
  /** Of its oldest page. */
  readAtMs: number | null;
}

export interface LibraryDeps {
  connectionId: string;
  store: LibraryStore;
  client: ServiceClient;
  clock: Clock;
  settings: () => Pick<Settings, 'pageRows' | 'staleAfterMs' | 'prefetchRows' | 'mostListBytes'>;
  /** Tabs of the window, also while it is closed: what they show is not removed. */
  openTabIds: () => readonly string[];
  logger: Logger;
  /** Columns of lists, for their profiles and for filters by them. */
  sidecars: Pick<Sidecars, 'profile' | 'positions'>;
  onListChanged: (state: ListState) => void;
  /** A list is stored whole, as one reading brought it. */
  onComplete?: (query: ListQuery, generation: Generation) => void;
  /** In the form of a message. */
  onRecordChanged: (state: RecordState) => void;
}
