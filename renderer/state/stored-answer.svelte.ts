/**
 * The answer to a changing query: first from the cache, then from the service. The present answer stays until there is
 * one for the next query. Each answer is paired with its query.
 */
import type { ListQuery } from '../../electron/shared/model.ts';
import type { RecordModel } from './record-state.svelte.ts';

interface ShownAnswer {
  record: Record<string, unknown>;
  query: ListQuery;
}

export class StoredAnswer {
  readonly record: RecordModel;
  /** The query that `record` belongs to; null while another one is being opened. */
  #settled = $state.raw<ListQuery | null>(null);
  #before = $state.raw<ShownAnswer | null>(null);
  #asked = $state.raw<string | null>(null);

  readonly isLoading: boolean = $derived.by(
    () =>
      this.#asked !== null && (this.#settled === null || this.record.freshness?.refresh.phase === 'loading'),
  );
  /** The answer to show; null if nothing is stored and nothing is in flight. */
  readonly shown: ShownAnswer | null = $derived.by(() => {
    const { record } = this.record;
    if (this.#settled !== null && record !== null) return { record, query: this.#settled };
    return this.isLoading ? this.#before : null;
  });
  /** The error of reading or refreshing the answer; null if there is none. */
  readonly failure = $derived.by(() => {
    const refresh = this.record.freshness?.refresh;
    return this.record.error?.toWire() ?? (refresh?.phase === 'failed' ? refresh.error : null);
  });

  /** `lost`: nothing is stored for the query, and no answer arrived. */
  readonly reading: 'loading' | 'read' | 'lost' = $derived.by(() => {
    if (this.#asked === null || this.isLoading) return 'loading';
    if (this.shown !== null) return 'read';
    return this.failure === null ? 'loading' : 'lost';
  });

  constructor(record: RecordModel) {
    this.record = record;
  }

  /** Requests the answer if the query changed. */
  async ask(query: ListQuery, refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    const text = JSON.stringify(query);
    if (text === this.#asked) return;
    this.#before = this.shown;
    this.#asked = text;
    this.#settled = null;
    await this.record.open(query, refresh);
    if (this.#asked === text) this.#settled = query;
  }

  /** Whether this query was requested last. */
  isFor(query: ListQuery): boolean {
    return JSON.stringify(query) === this.#asked;
  }

  /** To be called when there is no query, so that nothing is shown. */
  clear(): void {
    this.#asked = null;
    this.#settled = null;
    this.#before = null;
  }

  async refresh(): Promise<void> {
    if (this.#asked !== null) await this.record.refresh();
  }
}
