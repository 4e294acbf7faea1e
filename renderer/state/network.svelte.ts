import type { NetworkState as Network } from '../../electron/shared/model.ts';
import { client as realClient } from '../lib/client.ts';
import { Newest } from './newest.ts';

type Client = Pick<typeof realClient, 'ask' | 'on'>;

/** Network state of each connection, as last reported by the main process. */
export class NetworkState {
  #states = $state.raw<Readonly<Record<string, Network>>>({});
  readonly #newest = new Newest();
  readonly #client: Client;
  /** Called when the token of a connection is accepted after a rejection. */
  onaccepted: ((connectionId: string) => void) | null = null;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  listen(): void {
    this.#client.on('connections:network-changed', (state, seq) => this.#put(state, seq));
  }

  #put(state: Network, seq: number): void {
    if (!this.#newest.takes(seq, state.connectionId)) return;
    const wasRefused = this.phaseOf(state.connectionId) === 'unauthorized';
    this.#states = { ...this.#states, [state.connectionId]: state };
    if (wasRefused && (state.state === 'online' || state.state === 'unknown'))
      this.onaccepted?.(state.connectionId);
  }

  of(connectionId: string | null): Network | null {
    return connectionId === null ? null : (this.#states[connectionId] ?? null);
  }

  phaseOf(connectionId: string | null): Network['state'] {
    return this.of(connectionId)?.state ?? 'unknown';
  }

  async load(connectionId: string): Promise<void> {
    const { value, seq } = await this.#client.ask('connections:get-network', { connectionId });
    this.#put(value, seq);
  }

  async setOffline(connectionId: string, isOffline: boolean): Promise<void> {
    const { value, seq } = await this.#client.ask('connections:set-offline', { connectionId, isOffline });
    this.#put(value, seq);
  }
}
