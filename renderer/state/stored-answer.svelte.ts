/**
 * The answer to a question that changes: stored at once, the service's behind. What is shown stays until the next
 * question has an answer, and an answer always comes with the question it belongs to.
 */
import type { ListQuery } from '../../electron/shared/model.ts';
import type { RecordModel } from './record-state.svelte.ts';

interface ShownAnswer {
  record: Record<string, unknown>;
  query: ListQuery;
}

export class StoredAnswer {
  readonly record: RecordModel;
  /** The question whose state `record` holds; null while another is being opened. */
  #settled = $state.raw<ListQuery | null>(null);
  #before = $state.raw<ShownAnswer | null>(null);
  #asked = $state.raw<string | null>(null);

  readonly isLoading: boolean = $derived.by(
    () =>
      this.#asked !== null && (this.#settled === null || this.record.freshness?.refresh.phase === 'loading'),
  );
  /** What there is to show; null where nothing is stored and nothing is on its way. */
  readonly shown: ShownAnswer | null = $derived.by(() => {
    const { record } = this.record;
    if (this.#settled !== null && record !== null) return { record, query: this.#settled };
    return this.isLoading ? this.#before : null;
  });
  /** Why there is no answer, or no newer one. */
  readonly failure = $derived.by(() => {
    const refresh = this.record.freshness?.refresh;
    return this.record.error?.toWire() ?? (refresh?.phase === 'failed' ? refresh.error : null);
  });

  /** `lost`: nothing is stored for the question, and no answer came. */
  readonly reading: 'loading' | 'read' | 'lost' = $derived.by(() => {
    if (this.#asked === null || this.isLoading) return 'loading';
    if (this.shown !== null) return 'read';
    return this.failure === null ? 'loading' : 'lost';
  });

  constructor(record: RecordModel) {
    this.record = record;
  }

  /** Asks where the question is another one than before. */
  async ask(query: ListQuery, refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    const text = JSON.stringify(query);
    if (text === this.#asked) return;
    this.#before = this.shown;
    this.#asked = text;
    this.#settled = null;
    await this.record.open(query, refresh);
    if (this.#asked === text) this.#settled = query;
  }

  /** There is nothing to ask: nothing is shown either. */
  clear(): void {
    this.#asked = null;
    this.#settled = null;
    this.#before = null;
  }

  async refresh(): Promise<void> {
    if (this.#asked !== null) await this.record.refresh();
  }
}
