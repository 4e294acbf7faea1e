/** Compares a dataset with production, and reads the catalog lists that the comparison needs. */
import { ENTITY_TYPES } from '../../electron/shared/catalog-entity.ts';
import { type Coverage, MAX_FILL, USUAL_FILL } from '../../electron/shared/coverage-model.ts';
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { ListQuery, ListState } from '../../electron/shared/model.ts';
import { client as realClient } from '../lib/client.ts';
import { LatestRequest, Newest } from './newest.ts';
import { OpenAgain } from './open-again.ts';

type Client = Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;

export class DatasetCoverage {
  readonly connectionId: string;
  readonly datasetId: string;
  readonly #viewId: string;
  readonly #client: Client;
  found = $state.raw<Coverage | null>(null);
  error = $state.raw<AppError | null>(null);
  isMeasuring = $state(false);
  /** Number of catalog lists being read. */
  reading = $state(0);
  /** Error of reading one of these lists; null if none failed. */
  readError = $state.raw<AppError | null>(null);
  /** Keys of the dimensions to compare; null for the most useful ones. */
  dimensions = $state.raw<readonly string[] | null>(null);
  spanType = $state<string | null>(null);
  size = $state(USUAL_FILL);
  readonly isSized = $derived(Number.isInteger(this.size) && this.size >= 1 && this.size <= MAX_FILL);
  readonly #measurement = new LatestRequest();
  readonly #newest = new Newest();
  readonly #underWay = new Set<string>();
  #latest: readonly ListQuery[] = [];
  #views = 0;
  #stopListening: (() => void) | null = null;
  readonly #openAgain: OpenAgain;

  constructor(connectionId: string, datasetId: string, viewId: string, client: Client = realClient) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
    this.#viewId = viewId;
    this.#client = client;
    this.#openAgain = new OpenAgain(client, { connectionId, viewId }, () => void this.#reopen());
  }

  /** Compares with the stored data, without a request to the service. */
  async measure(applicationId: string, buildId: string | null): Promise<void> {
    this.isMeasuring = true;
    const { connectionId, datasetId, dimensions, spanType, size } = this;
    const counted = dimensions === null ? null : [...dimensions];
    const of = { connectionId, datasetId, applicationId, buildId };
    await this.#measurement.run(
      () => this.#client.invoke('datasets:coverage', { ...of, dimensions: counted, spanType, size }),
      (found) => {
        this.found = found;
        this.error = null;
        this.isMeasuring = false;
      },
      (thrown) => {
        this.error = toAppError(thrown);
        this.isMeasuring = false;
      },
    );
  }

  /** Reads the names of every entity type, with one list per type. Throws AppError. */
  readCatalog(applicationId: string): Promise<void> {
    return this.#read(
      ENTITY_TYPES.map((entityType) => ({
        operation: 'catalog.list',
        path: { application_id: applicationId },
        query: { entity_type: entityType },
      })),
    );
  }

  /** Reads the values of the given attributes, with one list per attribute. Throws AppError. */
  readValues(applicationId: string, names: readonly string[]): Promise<void> {
    return this.#read(
      names.map((name) => ({
        operation: 'catalog.values',
        path: { application_id: applicationId },
        query: { entity_type: 'attribute', name },
      })),
    );
  }

  /** Repeats the last read after an error. Throws AppError. */
  readAgain(): Promise<void> {
    return this.#read(this.#latest);
  }

  /** Reads the lists again that a closed session was reading. */
  async #reopen(): Promise<void> {
    if (this.#underWay.size === 0) return;
    this.#underWay.clear();
    try {
      await this.readAgain();
    } catch (thrown) {
      this.readError = toAppError(thrown);
    }
  }

  async #read(queries: readonly ListQuery[]): Promise<void> {
    this.#latest = queries;
    this.readError = null;
    this.#openAgain.opening();
    this.#stopListening ??= this.#client.on('library:list-changed', ({ state }, seq) => {
      if (this.#newest.takes(seq, state.listKey) && this.#underWay.has(state.listKey)) this.#follow(state);
    });
    for (const query of queries) {
      this.#views += 1;
      const viewId = `${this.#viewId}.${this.#views}`;
      const asked = { connectionId: this.connectionId, viewId, query, refresh: 'if-stale' } as const;
      const { value, seq } = await this.#client.ask('library:open-list', asked);
      if (this.#newest.takes(seq, value.state.listKey)) this.#follow(value.state);
    }
  }

  #follow({ listKey, freshness: { refresh } }: ListState): void {
    if (refresh.phase === 'failed') this.readError = fromWire(refresh.error);
    if (refresh.phase === 'loading') this.#underWay.add(listKey);
    else this.#underWay.delete(listKey);
    this.reading = this.#underWay.size;
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    this.#openAgain.dispose();
    for (let view = 1; view <= this.#views; view += 1) {
      void this.#client.invoke('library:release', {
        connectionId: this.connectionId,
        viewId: `${this.#viewId}.${view}`,
      });
    }
    this.#views = 0;
  }
}
