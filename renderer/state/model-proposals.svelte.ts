/**
 * Finds models that have the columns of a file. Stored schemas are used unchanged; only missing ones are requested, a
 * few at a time.
 */
import { untrack } from 'svelte';
import { readModelFacts } from '../../electron/shared/upload-columns.ts';
import { client as realClient } from '../lib/client.ts';
import { bestMatches, type ModelMatch, modelMatch } from '../lib/model-match.ts';
import { RecordModel } from './record-state.svelte.ts';
import { LibraryRows, textOf } from './uploads-library.svelte.ts';

/** Maximum number of models to compare. Other models can be found by name. */
const MAX_MODELS = 40;
const AT_ONCE = 4;

type Client = Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;
type Columns = Parameters<typeof modelMatch>[0];

interface Held {
  record: RecordModel;
  /** Whether the schema is known, or known to be unavailable. */
  isOver: boolean;
}

interface Compared {
  columns: Columns;
  record: Record<string, unknown> | null;
  name: string;
  match: ModelMatch | null;
}

export class ModelProposals {
  readonly #connectionId: string;
  readonly #client: Client;
  readonly #models: LibraryRows;
  /** By model id. */
  #held = $state.raw<ReadonlyMap<string, Held>>(new Map());
  readonly #viewId = `uploads-proposals-${crypto.randomUUID()}`;
  /** Results by model id, so that one more answer does not compare all models again. */
  readonly #compared = new Map<string, Compared>();
  #isOpen = false;
  #isEnded = $state(false);

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
    this.#models = new LibraryRows(connectionId, 'models.list', {}, client);
  }

  /** In the order of the list. */
  readonly #listed = $derived.by(() =>
    this.#models.rows.slice(0, MAX_MODELS).flatMap((row) => {
      const id = textOf(row, 'id');
      return id === null ? [] : [{ id, name: textOf(row, 'name') ?? id }];
    }),
  );

  /** Whether every listed model was compared, or its columns cannot be read. Reactive. */
  readonly isWhole = $derived.by(
    () => !this.#models.isLoading && this.#listed.every(({ id }) => this.#held.get(id)?.isOver === true),
  );

  /**
   * Whether the columns of all models of the service are known. Only then does a single match rule out other models.
   * Reactive.
   */
  get coversAll(): boolean {
    const { error, freshness } = this.#models;
    if (!this.isWhole || error !== null || freshness?.isComplete !== true) return false;
    if (freshness.storedRows !== this.#listed.length) return false;
    return this.#listed.every(({ id }) => {
      const record = this.#held.get(id)?.record;
      return record !== undefined && (record.record !== null || record.goneAtMs !== null);
    });
  }

  /** The models that match best, best first. Reactive. */
  of(columns: Columns): ModelMatch[] {
    return bestMatches(this.#listed.map((model) => this.#matchOf(columns, model)));
  }

  #matchOf(columns: Columns, { id, name }: { id: string; name: string }): ModelMatch | null {
    const record = this.#held.get(id)?.record.record ?? null;
    const known = this.#compared.get(id);
    if (known?.columns === columns && known.record === record && known.name === name) return known.match;
    const schema = readModelFacts(record)?.columns.map((column) => column.name) ?? [];
    const match = modelMatch(columns, { id, name, schema });
    this.#compared.set(id, { columns, record, name, match });
    return match;
  }

  /**
   * Reads the schemas of the listed models while `isWanted` returns true. Must be called during component
   * initialization.
   */
  follow(isWanted: () => boolean): void {
    $effect(() => {
      if (isWanted()) untrack(() => this.open());
    });
    $effect(() => {
      if (isWanted()) this.readNext();
    });
    $effect(() => () => this.#end());
  }

  /** Reads the list of models, once. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    void this.#models.open();
  }

  /** Starts to read further schemas, as many as may be read at the same time. Reactive. */
  readNext(): void {
    const waiting = this.#listed.filter(({ id }) => !this.#held.has(id));
    const running = [...this.#held.values()].filter(({ isOver }) => !isOver).length;
    const next = waiting.slice(0, Math.max(0, AT_ONCE - running));
    untrack(() => {
      for (const { id } of next) void this.#read(id);
    });
  }

  async #read(id: string): Promise<void> {
    const record = new RecordModel({
      connectionId: this.#connectionId,
      viewId: `${this.#viewId}.${id}`,
      client: this.#client,
    });
    this.#held = new Map(this.#held).set(id, { record, isOver: false });
    const query = { operation: 'models.get', path: { model_id: id }, query: {} };
    await record.open(query, 'never');
    if (record.record === null && !this.#isEnded) await this.#ask(record, query);
    if (!this.#isEnded) this.#held = new Map(this.#held).set(id, { record, isOver: true });
  }

  /** Requests a schema. Resolves when it arrived or the request failed. */
  async #ask(record: RecordModel, query: Parameters<RecordModel['open']>[0]): Promise<void> {
    await record.open(query, 'if-stale');
    if (!record.isAwaited) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = $effect.root(() => {
      $effect(() => {
        if (!record.isAwaited || this.#isEnded) resolve();
      });
    });
    await promise;
    stop();
  }

  /** Cancels pending requests. */
  #end(): void {
    this.#isEnded = true;
    this.#models.dispose();
    for (const { record } of this.#held.values()) record.dispose();
    this.#held = new Map();
  }
}
