/** Versions of the datasets in a list, read from the snapshots on this computer without a request. */
import { SvelteMap } from 'svelte/reactivity';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Snapshot } from '../../electron/shared/snapshot-model.ts';
import { client as realClient } from '../lib/client.ts';

type Client = Pick<typeof realClient, 'act' | 'on'>;

/** `versions`: the readable ones, newest first. `damaged`: number of unreadable ones. */
type KnownVersions =
  | { versions: readonly Snapshot[]; damaged: number; error: null }
  | { versions: null; damaged: null; error: AppError };

export class DatasetVersions {
  readonly #connectionId: string;
  readonly #client: Client;
  readonly #known = new SvelteMap<string, KnownVersions>();
  readonly #asked = new Set<string>();
  readonly #stopListening: () => void;

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
    this.#stopListening = client.on('snapshots:changed', (changed) => {
      const { datasetId } = changed;
      if (changed.connectionId === connectionId && datasetId !== null && this.#asked.has(datasetId))
        void this.#read(datasetId);
    });
  }

  /** The versions of a dataset; undefined until they are read. Reactive. */
  of(datasetId: string): KnownVersions | undefined {
    return this.#known.get(datasetId);
  }

  /** Reads the versions of a dataset once; later changes are followed. */
  show(datasetId: string): void {
    if (datasetId === '' || this.#asked.has(datasetId)) return;
    this.#asked.add(datasetId);
    void this.#read(datasetId);
  }

  stop(): void {
    this.#stopListening();
  }

  async #read(datasetId: string): Promise<void> {
    try {
      const asked = { connectionId: this.#connectionId, datasetId };
      const { snapshots, damaged } = await this.#client.act('snapshots:ask', 'list', asked);
      this.#known.set(datasetId, { versions: snapshots, damaged: damaged.length, error: null });
    } catch (thrown) {
      this.#known.set(datasetId, { versions: null, damaged: null, error: toAppError(thrown) });
    }
  }
}
