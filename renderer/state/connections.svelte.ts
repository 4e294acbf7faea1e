import type { ConnectionList } from '../../electron/shared/contract.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionTest,
  KeychainStatus,
} from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';
import { InOrder } from './in-order.ts';

export class ConnectionsState {
  list = $state.raw<Connection[]>([]);
  activeId = $state<string | null>(null);
  isSampleRunning = $state(false);
  isKeychainWaiting = $state(false);
  keychain = $state.raw<KeychainStatus | null>(null);
  #updating = $state.raw<ConnectionList['updating']>([]);
  /** Told in the same step, whoever chose the other connection: nothing can happen in between. */
  onactivate: (connectionId: string | null) => void = () => undefined;
  #isListening = false;
  readonly #answers = new InOrder();

  /** How far the stored data of the active connection is brought to this version; null where that is done. */
  readonly update = $derived(
    this.#updating.find(({ connectionId }) => connectionId === this.activeId) ?? null,
  );
  readonly active = $derived(this.list.find((connection) => connection.id === this.activeId) ?? null);

  async load(): Promise<void> {
    if (!this.#isListening) {
      this.#isListening = true;
      client.on('connections:changed', (list) => this.#take(list, this.#answers.ask()));
    }
    const asked = this.#answers.ask();
    this.#take(await client.invoke('connections:list'), asked);
  }

  #setActive(connectionId: string | null): void {
    if (connectionId === this.activeId) return;
    this.activeId = connectionId;
    this.onactivate(connectionId);
  }

  #take(answer: ConnectionList, asked: number): void {
    if (!this.#answers.holds(asked)) return;
    this.list = answer.connections;
    this.isSampleRunning = answer.isSampleRunning;
    this.isKeychainWaiting = answer.isKeychainWaiting;
    this.#updating = answer.updating;
    this.#setActive(answer.activeId);
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

  activate(connectionId: string): Promise<Connection> {
    return this.#activate(() => client.invoke('connections:activate', { connectionId }));
  }

  async #activate(ask: () => Promise<Connection>): Promise<Connection> {
    const asked = this.#answers.ask();
    const connection = await ask();
    this.#put(connection);
    if (this.#answers.holds(asked)) this.#setActive(connection.id);
    return connection;
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
    if (this.activeId === connectionId) this.#setActive(this.list[0]?.id ?? null);
    return removed;
  }

  openSample(): Promise<Connection> {
    return this.#activate(() => client.invoke('connections:open-sample'));
  }
}
