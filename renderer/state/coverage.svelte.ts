/** A dataset against production, and the reading of the catalog that it rests on. */
import { ENTITY_TYPES } from '../../electron/shared/catalog-entity.ts';
import { type Coverage, USUAL_FILL } from '../../electron/shared/coverage-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { client as realClient } from '../lib/client.ts';
import type { Basket } from './basket.svelte.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

export class DatasetCoverage {
  readonly connectionId: string;
  readonly datasetId: string;
  readonly #viewId: string;
  readonly #client: Client;
  found = $state.raw<Coverage | null>(null);
  error = $state.raw<AppError | null>(null);
  isMeasuring = $state(false);
  /** Lists of the catalog that are being read. */
  reading = $state(0);
  /** Keys of the dimensions that count; null: those that are of use. */
  dimensions = $state.raw<readonly string[] | null>(null);
  spanType = $state<string | null>(null);
  size = $state(USUAL_FILL);
  /** Answers to earlier questions are not shown. */
  #asked = 0;
  readonly #underWay = new Set<string>();
  #views = 0;
  #stopListening: (() => void) | null = null;

  constructor(connectionId: string, datasetId: string, viewId: string, client: Client = realClient) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
    this.#viewId = viewId;
    this.#client = client;
  }

  /** Nothing is sent by it. */
  async measure(applicationId: string, buildId: string | null): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    this.isMeasuring = true;
    const { connectionId, datasetId, spanType, size } = this;
    const dimensions = this.dimensions === null ? null : [...this.dimensions];
    try {
      const question = { connectionId, datasetId, applicationId, buildId, dimensions, spanType, size };
      const found = await this.#client.invoke('datasets:coverage', question);
      if (mine !== this.#asked) return;
      this.found = found;
      this.error = null;
    } catch (problem) {
      if (mine === this.#asked) this.error = toAppError(problem);
    } finally {
      if (mine === this.#asked) this.isMeasuring = false;
    }
  }

  /** The names of every entity type, one list each. Throws AppError. */
  readCatalog(applicationId: string): Promise<void> {
    return this.#read(
      ENTITY_TYPES.map((entityType) => ({
        operation: 'catalog.list',
        path: { application_id: applicationId },
        query: { entity_type: entityType },
      })),
    );
  }

  /** The values of these attributes, one list each. Throws AppError. */
  readValues(applicationId: string, names: readonly string[]): Promise<void> {
    return this.#read(
      names.map((name) => ({
        operation: 'catalog.values',
        path: { application_id: applicationId },
        query: { entity_type: 'attribute', name },
      })),
    );
  }

  async #read(queries: readonly ListQuery[]): Promise<void> {
    this.#stopListening ??= this.#client.on('library:list-changed', ({ connectionId, state }) => {
      if (connectionId === this.connectionId && state.freshness.refresh.phase !== 'loading')
        this.#end(state.listKey);
    });
    for (const query of queries) {
      this.#views += 1;
      const viewId = `${this.#viewId}.${this.#views}`;
      const asked = { connectionId: this.connectionId, viewId, query, refresh: 'if-stale' } as const;
      const { state } = await this.#client.invoke('library:open-list', asked);
      if (state.freshness.refresh.phase !== 'loading') continue;
      this.#underWay.add(state.listKey);
      this.reading = this.#underWay.size;
    }
  }

  #end(listKey: string): void {
    this.#underWay.delete(listKey);
    this.reading = this.#underWay.size;
  }

  /** What is proposed, into the basket. Answers how many came. Throws AppError. */
  async pick(basket: Basket): Promise<{ added: number; missing: number }> {
    const result = { added: 0, missing: 0 };
    for (const { query, spans } of this.found?.fill.picks ?? []) {
      const rows = spans.map(({ position, ...row }) => ({ row, position }));
      const { added, missing } = await basket.toggle(query, rows);
      result.added += added;
      result.missing += missing;
    }
    return result;
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    for (let view = 1; view <= this.#views; view += 1) {
      void this.#client.invoke('library:release', {
        connectionId: this.connectionId,
        viewId: `${this.#viewId}.${view}`,
      });
    }
    this.#views = 0;
  }
}
