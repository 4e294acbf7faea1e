import type { ConnectionList } from '../../electron/shared/contract.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionTest,
  KeychainStatus,
} from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';

export class ConnectionsState {
  list = $state.raw<Connection[]>([]);
  activeId = $state<string | null>(null);
  isSampleRunning = $state(false);
  keychain = $state.raw<KeychainStatus | null>(null);
  #updating = $state.raw<ConnectionList['updating']>([]);

  /** How far the stored data of the active connection is brought to this version; null where that is done. */
  readonly update = $derived(
    this.#updating.find(({ connectionId }) => connectionId === this.activeId) ?? null,
  );
  readonly active = $derived(this.list.find((connection) => connection.id === this.activeId) ?? null);

  async load(): Promise<void> {
    this.#take(await client.invoke('connections:list'));
    client.on('connections:changed', (list) => this.#take(list));
  }

  #take(answer: ConnectionList): void {
    this.list = answer.connections;
    this.activeId = answer.activeId;
    this.isSampleRunning = answer.isSampleRunning;
    this.#updating = answer.updating;
  }

  async loadKeychain(): Promise<void> {
    this.keychain = await client.invoke('connections:get-keychain');
  }

  find(id: string): Connection | null {
    return this.list.find((connection) => connection.id === id) ?? null;
  }

  #put(connection: Connection): void {
    const others = this.list.filter((each) => each.id !== connection.id);
    this.list = [...others, connection].sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  async activate(connectionId: string): Promise<void> {
    this.#put(await client.invoke('connections:activate', { connectionId }));
    this.activeId = connectionId;
  }

  test(draft: ConnectionDraft, token: string | null): Promise<ConnectionTest> {
    return client.invoke('connections:test', { draft, token });
  }

  /** A null token keeps the one that is stored. */
  async save(draft: ConnectionDraft, token: string | null): Promise<Connection> {
    const connection = await client.invoke('connections:save', { draft, token });
    this.#put(connection);
    return connection;
  }

  /** Answers what was removed, one line each. */
  async forget(connectionId: string): Promise<string[]> {
    const { removed } = await client.invoke('connections:forget', { connectionId });
    this.list = this.list.filter((each) => each.id !== connectionId);
    if (this.activeId === connectionId) this.activeId = this.list[0]?.id ?? null;
    return removed;
  }

  async openSample(): Promise<Connection> {
    const connection = await client.invoke('connections:open-sample');
    this.#put(connection);
    this.activeId = connection.id;
    return connection;
  }
}
