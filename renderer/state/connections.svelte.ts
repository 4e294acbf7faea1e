import type { ConnectionList } from '../../electron/shared/contract.ts';
import type { JobKindId } from '../../electron/shared/job-contract.ts';
import type { JobPhase } from '../../electron/shared/job-kinds/job-kind.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  ConnectionTest,
  KeychainStatus,
} from '../../electron/shared/model.ts';
import { client, type Numbered } from '../lib/client.ts';
import { DRAFT_PREFIX, readDraft } from '../lib/drafts.ts';
import { Newest } from './newest.ts';

/** Numbers of unfinished jobs, unsent changes and drafts of a connection. */
export interface Waiting {
  jobs: number;
  /** Changes in the outbox that the service does not have. */
  changes: number;
  /** Datasets in preparation, and forms with unsent input. */
  drafts: number;
}

const UNFINISHED: readonly JobPhase[] = ['ready', 'running', 'waiting', 'paused', 'needs-decision'];

async function countJobs(
  connectionId: string,
  kinds: JobKindId[] | null,
  states: readonly JobPhase[],
): Promise<number> {
  const page = { kinds, states: [...states], search: null, offset: 0, limit: 1 };
  return (await client.invoke('jobs:list', { connectionId, ...page })).total;
}

export class ConnectionsState {
  list = $state.raw<Connection[]>([]);
  activeId = $state<string | null>(null);
  isSampleRunning = $state(false);
  isKeychainWaiting = $state(false);
  keychain = $state.raw<KeychainStatus | null>(null);
  #updating = $state.raw<ConnectionList['updating']>([]);
  /** Called synchronously when a connection becomes active, so that nothing can happen in between. */
  onactivate: (connectionId: string | null) => void = () => undefined;
  #isListening = false;
  readonly #newest = new Newest();

  /**
   * Progress of migrating the stored data of the active connection to this version; null if there is nothing to
   * migrate.
   */
  readonly update = $derived(
    this.#updating.find(({ connectionId }) => connectionId === this.activeId) ?? null,
  );
  readonly active = $derived(this.list.find((connection) => connection.id === this.activeId) ?? null);

  async load(): Promise<void> {
    if (!this.#isListening) {
      this.#isListening = true;
      client.on('connections:changed', (list, seq) => this.#take(list, seq));
    }
    const { value, seq } = await client.ask('connections:list');
    this.#take(value, seq);
  }

  #setActive(connectionId: string | null): void {
    if (connectionId === this.activeId) return;
    this.activeId = connectionId;
    this.onactivate(connectionId);
  }

  #take(answer: ConnectionList, seq: number): void {
    if (!this.#newest.takes(seq)) return;
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

  /** If a newer value is known, it is a whole list that already includes the connection. */
  #put(connection: Connection, seq: number): void {
    if (this.#newest.isOlder(seq)) return;
    const others = this.list.filter((each) => each.id !== connection.id);
    this.list = [...others, connection].sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  activate(connectionId: string): Promise<Connection> {
    return this.#activate(client.ask('connections:activate', { connectionId }));
  }

  async #activate(answer: Promise<Numbered<Connection>>): Promise<Connection> {
    const { value, seq } = await answer;
    this.#put(value, seq);
    if (this.#newest.takes(seq)) this.#setActive(value.id);
    return value;
  }

  /** Returns the path that the user chose in a file dialog of the system; null if the dialog was cancelled. */
  chooseFile(kind: 'authorities' | 'certificate'): Promise<string | null> {
    return client.invoke('connections:choose-file', { kind });
  }

  test(draft: ConnectionDraft, token: string | null, secrets: ConnectionSecrets): Promise<ConnectionTest> {
    return client.invoke('connections:test', { draft, token, secrets });
  }

  /** Saves a connection. If `token` is null, the stored token is kept. */
  async save(draft: ConnectionDraft, token: string | null, secrets: ConnectionSecrets): Promise<Connection> {
    const { value, seq } = await client.ask('connections:save', { draft, token, secrets });
    this.#put(value, seq);
    return value;
  }

  /** The number of jobs that are paused if the address changes. */
  countUnfinished(connectionId: string): Promise<number> {
    return countJobs(connectionId, null, UNFINISHED);
  }

  /** Counts everything that waits in a connection and is lost with it. Rejects if it cannot be counted. */
  async countWaiting(connectionId: string): Promise<Waiting> {
    const [all, ofOutbox, changes, builds, layout] = await Promise.all([
      countJobs(connectionId, null, UNFINISHED),
      countJobs(connectionId, ['outbox'], UNFINISHED),
      // A change that the service refused waits for a person.
      countJobs(connectionId, ['outbox'], [...UNFINISHED, 'failed']),
      countJobs(connectionId, ['build'], ['draft']),
      client.invoke('layout:read', { connectionId }),
    ]);
    const forms = Object.entries(layout).filter(
      ([key, value]) => key.startsWith(DRAFT_PREFIX) && readDraft(key, value) !== null,
    );
    return { jobs: all - ofOutbox, changes, drafts: builds + forms.length };
  }

  /** Deletes a connection. Returns a list of the deleted data, one line per item. */
  async forget(connectionId: string): Promise<string[]> {
    const { value, seq } = await client.ask('connections:forget', { connectionId });
    if (this.#newest.takes(seq)) {
      this.list = this.list.filter((each) => each.id !== connectionId);
      if (this.activeId === connectionId) this.#setActive(this.list[0]?.id ?? null);
    }
    return value.removed;
  }

  openSample(): Promise<Connection> {
    return this.#activate(client.ask('connections:open-sample'));
  }
}
