/**
 * Models of the service with the columns of a file. Stored schemas are used as they are; only those that are not stored
 * are requested, a few at a time.
 */
import { untrack } from 'svelte';
import { readModelFacts } from '../../electron/shared/upload-columns.ts';
import { type ModelMatch, modelMatches } from '../lib/model-match.ts';
import { RecordModel } from './record-state.svelte.ts';
import { LibraryRows, textOf } from './uploads-library.svelte.ts';

/** Maximum number of models to compare: others are found by their name. */
const MAX_MODELS = 40;
const AT_ONCE = 4;

interface Held {
  record: RecordModel;
  /** Whether its schema is known, or known to be out of reach. */
  isOver: boolean;
}

export class ModelProposals {
  readonly #connectionId: string;
  readonly #models: LibraryRows;
  /** By model id. */
  #held = $state.raw<ReadonlyMap<string, Held>>(new Map());
  readonly #viewId = `uploads-proposals-${crypto.randomUUID()}`;
  #isOpen = false;
  #isEnded = $state(false);

  constructor(connectionId: string) {
    this.#connectionId = connectionId;
    this.#models = new LibraryRows(connectionId, 'models.list');
  }

  /** In the order of the list. */
  readonly #listed = $derived.by(() =>
    this.#models.rows.slice(0, MAX_MODELS).flatMap((row) => {
      const id = textOf(row, 'id');
      return id === null ? [] : [{ id, name: textOf(row, 'name') ?? id }];
    }),
  );

  /** Whether every listed model was compared. Reactive. */
  readonly isWhole = $derived.by(
    () => !this.#models.isLoading && this.#listed.every(({ id }) => this.#held.get(id)?.isOver === true),
  );

  /** Whether more models exist than are compared. Reactive. */
  get leavesOut(): boolean {
    return this.#models.matchingRows > MAX_MODELS;
  }

  /** The best models, the best first. Reactive. */
  of(columns: Parameters<typeof modelMatches>[0]): ModelMatch[] {
    const known = this.#listed.map((model) => {
      const record = this.#held.get(model.id)?.record.record ?? null;
      return { ...model, schema: readModelFacts(record)?.columns.map(({ name }) => name) ?? [] };
    });
    return modelMatches(columns, known);
  }

  /** Reads the schemas of the listed models while they are wanted. Must be called during component initialization. */
  follow(isWanted: () => boolean): void {
    $effect(() => {
      if (isWanted()) untrack(() => this.#open());
    });
    $effect(() => {
      if (!isWanted()) return;
      const waiting = this.#listed.filter(({ id }) => !this.#held.has(id));
      const running = [...this.#held.values()].filter(({ isOver }) => !isOver).length;
      const next = waiting.slice(0, Math.max(0, AT_ONCE - running));
      untrack(() => {
        for (const { id } of next) void this.#read(id);
      });
    });
    $effect(() => () => this.#end());
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    void this.#models.open();
  }

  async #read(id: string): Promise<void> {
    const record = new RecordModel({ connectionId: this.#connectionId, viewId: `${this.#viewId}.${id}` });
    this.#held = new Map(this.#held).set(id, { record, isOver: false });
    const query = { operation: 'models.get', path: { model_id: id }, query: {} };
    await record.open(query, 'never');
    if (record.record === null && !this.#isEnded) await this.#ask(record, query);
    if (!this.#isEnded) this.#held = new Map(this.#held).set(id, { record, isOver: true });
  }

  /** Resolves with the answer, or its failure. */
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
