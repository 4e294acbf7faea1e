/**
 * Service data for the upload views: rows of a list (models, environments of a model) and one record (a model with its
 * schema). Stored content is shown at once; the main process refreshes it in the background and reports changes by
 * events.
 */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { Freshness, ListQuery, ListState, RowPage, RowWindow } from '../../electron/shared/model.ts';
import { client as realClient } from '../lib/client.ts';
import { hasSameRows } from '../lib/freshness.ts';
import { LatestRequest } from './newest.ts';
import { OpenAgain } from './open-again.ts';
import { OpenState } from './open-state.ts';
import { RecordModel } from './record-state.svelte.ts';
import { readRows } from './row-answers.ts';

/** Number of rows read at once. Other rows are found by typing a part of their name. */
const WINDOW_ROWS = 100;
type Client = Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;
let viewCount = 0;

function nextViewId(what: string): string {
  viewCount += 1;
  return `uploads-${what}-${viewCount}`;
}

export class LibraryRows {
  rows = $state.raw<Record<string, unknown>[]>([]);
  matchingRows = $state(0);
  freshness = $state.raw<Freshness | null>(null);
  error = $state.raw<AppError | null>(null);
  readonly #connectionId: string;
  readonly #client: Client;
  readonly #query: ListQuery;
  readonly #viewId: string;
  readonly #stopListening: () => void;
  readonly #openAgain: OpenAgain;
  #isOpen = false;
  readonly #open = new OpenState<ListState>(({ listKey }) => listKey);
  readonly #latest = new LatestRequest();
  #filter: string | null = null;

  constructor(
    connectionId: string,
    operation: string,
    path: Record<string, string> = {},
    client: Client = realClient,
    query: Record<string, string> = {},
  ) {
    this.#client = client;
    this.#connectionId = connectionId;
    this.#query = { operation, path, query };
    this.#viewId = nextViewId(operation);
    this.#openAgain = new OpenAgain(client, { connectionId, viewId: this.#viewId }, () => {
      if (this.#isOpen) void this.open();
    });
    this.#openAgain.opening();
    this.#stopListening = client.on('library:list-changed', (event, seq) => {
      if (event.connectionId !== connectionId || !this.#open.takes(event.state, seq)) return;
      this.freshness = event.state.freshness;
      void this.#read();
    });
  }

  /** Not derived, because a list that is opened in an effect can live longer than the effect. */
  get isLoading(): boolean {
    return this.error === null && (this.freshness === null || this.freshness.refresh.phase === 'loading');
  }

  /** Whether an answer is stored, even one without rows. */
  get isStored(): boolean {
    return this.freshness !== null && this.freshness.source !== 'none';
  }

  /** The error of the last read; null if it succeeded. */
  get failure(): AppError | null {
    const refresh = this.freshness?.refresh;
    return this.error ?? (refresh?.phase === 'failed' ? fromWire(refresh.error) : null);
  }

  /**
   * The reason why rows are missing or out of date; null if they are not. Being offline is no reason, as stored rows
   * are shown with their age.
   */
  get failureText(): string | null {
    const { failure, isStored } = this;
    if (failure === null) return null;
    if (failure.code !== 'OFFLINE') return isStored ? `Not refreshed. ${failure.message}` : failure.message;
    return isStored ? null : 'Not available offline.';
  }

  /** Opens the list, or opens it again after an error. Never throws: errors are in `error`. */
  async open(refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    this.error = null;
    this.#isOpen = true;
    const isLast = this.#latest.ask();
    try {
      const { value, seq } = await this.#client.ask('library:open-list', {
        connectionId: this.#connectionId,
        viewId: this.#viewId,
        query: this.#query,
        refresh,
        window: this.#window(),
      });
      const { state, page } = value;
      this.freshness = this.#open.opened(state, seq)?.freshness ?? this.freshness;
      // Rows for an earlier text, or from before an event, are read again.
      const isCurrent = isLast() && hasSameRows(this.freshness, state.freshness);
      await this.#read(isCurrent ? page : null);
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Filters the stored rows by this text. */
  async filter(text: string): Promise<void> {
    this.#filter = text.trim() === '' ? null : text.trim();
    await this.#read();
  }

  #window(): RowWindow {
    return { offset: 0, limit: WINDOW_ROWS, sort: null, narrow: this.#filter };
  }

  /** Reads the rows. `first`: rows that are already loaded. */
  async #read(first: RowPage | null = null): Promise<void> {
    // A late answer for an earlier text must not replace a newer one.
    const isLast = this.#latest.ask();
    try {
      const [connectionId, query] = [this.#connectionId, this.#query];
      const page = await readRows(this.#client, { connectionId, query, window: this.#window() }, first);
      if (!isLast()) return;
      this.rows = page.rows.map((row) => row.record);
      this.matchingRows = page.matchingRows;
    } catch (thrown) {
      if (isLast()) this.error = toAppError(thrown);
    }
  }

  dispose(): void {
    this.#stopListening();
    this.#openAgain.dispose();
    void release(this.#client, this.#connectionId, this.#viewId);
  }
}

export class LibraryRecord {
  readonly #model: RecordModel;
  readonly #query: ListQuery;
  constructor(connectionId: string, operation: string, path: Record<string, string>) {
    this.#query = { operation, path, query: {} };
    this.#model = new RecordModel({ connectionId, viewId: nextViewId(operation) });
  }

  get record(): Record<string, unknown> | null {
    return this.#model.record;
  }
  get freshness(): Freshness | null {
    return this.#model.freshness;
  }
  get error(): AppError | null {
    return this.#model.error;
  }

  /**
   * Whether nothing can be shown yet and an answer is in flight. Not derived, because a record that is opened in an
   * effect can live longer than the effect.
   */
  get isWaiting(): boolean {
    if (this.record !== null || this.error !== null) return false;
    return this.freshness === null || this.freshness.refresh.phase === 'loading';
  }

  async open(refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    this.#model.error = null;
    await this.#model.open(this.#query, refresh);
  }

  dispose(): void {
    this.#model.dispose();
  }
}

/** Cancels the pending reads of a view. Not awaited: an error is only logged to the console. */
async function release(client: Client, connectionId: string, viewId: string): Promise<void> {
  try {
    await client.invoke('library:release', { connectionId, viewId });
  } catch (thrown) {
    console.warn('a closed view was not released', toAppError(thrown).code);
  }
}

/** A text field of a record as the service sent it, or null if it is absent. */
export function textOf(record: Record<string, unknown> | null, field: string): string | null {
  const value = record?.[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The name of a referenced record, e.g. of the project. */
export function nameOf(record: Record<string, unknown>, field: string): string | null {
  const value = record[field];
  return typeof value === 'object' && value !== null
    ? textOf(value as Record<string, unknown>, 'name')
    : null;
}
