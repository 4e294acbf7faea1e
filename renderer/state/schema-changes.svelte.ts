/** Fields whose type or coverage changed in new rows, as recorded on this computer. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ListedSchemaChange } from '../../electron/shared/schema-model.ts';
import { client as realClient } from '../lib/client.ts';

type Client = Pick<typeof realClient, 'act' | 'on'>;

export class SchemaChanges {
  /** Open changes first; both groups newest first. */
  list = $state.raw<readonly ListedSchemaChange[]>([]);
  error = $state.raw<AppError | null>(null);
  isLoaded = $state(false);
  readonly open: readonly ListedSchemaChange[] = $derived(this.list.filter(({ state }) => state === 'open'));
  readonly #connectionId: string;
  readonly #client: Client;
  readonly #stopListening: () => void;

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
    this.#stopListening = client.on('snapshots:changed', (changed) => {
      if (changed.connectionId === connectionId && changed.datasetId === null) void this.load();
    });
  }

  async load(): Promise<void> {
    try {
      const asked = { connectionId: this.#connectionId };
      this.#show((await this.#client.act('snapshots:ask', 'list-schema-changes', asked)).changes);
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Accepts the new schema as the known one. Throws AppError. */
  async accept({ changeId }: ListedSchemaChange): Promise<void> {
    const asked = { connectionId: this.#connectionId, changeId };
    this.#show((await this.#client.act('snapshots:ask', 'accept-schema-change', asked)).changes);
  }

  #show(changes: readonly ListedSchemaChange[]): void {
    this.list = changes.toSorted(
      (one, other) => Number(other.state === 'open') - Number(one.state === 'open'),
    );
    this.error = null;
    this.isLoaded = true;
  }

  dispose(): void {
    this.#stopListening();
  }
}
