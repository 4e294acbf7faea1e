/**
 * What the upload views read of the library: rows of a list (models, environments of a model) and one record
 * (a model with its schema). Stored content shows at once; main refreshes it behind and says so by event.
 */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Freshness, ListQuery, ListState } from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';
import { NewestState } from './newest-state.ts';
import { RecordModel } from './record-state.svelte.ts';
import { readRows } from './row-answers.ts';

/** Rows read into the window at once; more are found by typing part of a name. */
const WINDOW_ROWS = 100;
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
  readonly isLoading = $derived(
    this.error === null && (this.freshness === null || this.freshness.refresh.phase === 'loading'),
  );

  readonly #connectionId: string;
  readonly #query: ListQuery;
  readonly #viewId: string;
  readonly #stopListening: () => void;
  readonly #told = new NewestState<ListState>(({ listKey }) => listKey);
  #narrow: string | null = null;
  #reads = 0;

  constructor(connectionId: string, operation: string, path: Record<string, string> = {}) {
    this.#connectionId = connectionId;
    this.#query = { operation, path, query: {} };
    this.#viewId = nextViewId(operation);
    this.#stopListening = client.on('library:list-changed', (event) => {
      if (event.connectionId !== connectionId || !this.#told.takes(event.state)) return;
      this.freshness = event.state.freshness;
      void this.#read();
    });
  }

  /** Opens the list, or opens it again after a failure. Never throws: the failure is `error`. */
  async open(refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    this.error = null;
    try {
      const state = await client.invoke('library:open-list', {
        connectionId: this.#connectionId,
        viewId: this.#viewId,
        query: this.#query,
        refresh,
      });
      this.freshness = this.#told.opened(state)?.freshness ?? this.freshness;
      await this.#read();
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Narrows the stored rows to those that hold this text. */
  async narrow(text: string): Promise<void> {
    this.#narrow = text.trim() === '' ? null : text.trim();
    await this.#read();
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    try {
      const page = await readRows(client, {
        connectionId: this.#connectionId,
        query: this.#query,
        window: { offset: 0, limit: WINDOW_ROWS, sort: null, narrow: this.#narrow },
      });
      // A slower answer to an earlier text must not replace a newer one.
      if (read !== this.#reads) return;
      this.rows = page.rows.map((row) => row.record);
      this.matchingRows = page.matchingRows;
    } catch (thrown) {
      if (read === this.#reads) this.error = toAppError(thrown);
    }
  }

  dispose(): void {
    this.#stopListening();
    void release(this.#connectionId, this.#viewId);
  }
}

export class LibraryRecord {
  readonly #model: RecordModel;
  readonly #query: ListQuery;
  /** Nothing to show yet, and an answer is on its way. */
  readonly isWaiting = $derived.by(
    () =>
      this.record === null &&
      this.error === null &&
      (this.freshness === null || this.freshness.refresh.phase === 'loading'),
  );

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

  async open(refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    this.#model.error = null;
    await this.#model.open(this.#query, refresh);
  }

  dispose(): void {
    this.#model.dispose();
  }
}

/** Ends a view's waiting reads. Nobody waits for this, so a failure is only worth a line in the console. */
async function release(connectionId: string, viewId: string): Promise<void> {
  try {
    await client.invoke('library:release', { connectionId, viewId });
  } catch (thrown) {
    console.warn('a closed view was not released', toAppError(thrown).code);
  }
}

/** A text field of a record as the service sent it, or null where it holds none. */
export function textOf(record: Record<string, unknown> | null, field: string): string | null {
  const value = record?.[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The name of what a record refers to, e.g. its project. */
export function nameOf(record: Record<string, unknown>, field: string): string | null {
  const value = record[field];
  return typeof value === 'object' && value !== null
    ? textOf(value as Record<string, unknown>, 'name')
    : null;
}
