import type { NetworkState as Network } from '../../electron/shared/model.ts';
import { client as realClient } from '../lib/client.ts';
import { InOrder } from './in-order.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

/** How each connection reaches its service, as main last said. */
export class NetworkState {
  #states = $state.raw<Readonly<Record<string, Network>>>({});
  readonly #answers = new Map<string, InOrder>();
  readonly #client: Client;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  listen(): void {
    this.#client.on('connections:network-changed', (state) => {
      this.#put(state, this.#answersOf(state.connectionId).ask());
    });
  }

  #answersOf(connectionId: string): InOrder {
    const known = this.#answers.get(connectionId) ?? new InOrder();
    this.#answers.set(connectionId, known);
    return known;
  }

  #put(state: Network, asked: number): void {
    if (!this.#answersOf(state.connectionId).holds(asked)) return;
    this.#states = { ...this.#states, [state.connectionId]: state };
  }

  of(connectionId: string | null): Network | null {
    return connectionId === null ? null : (this.#states[connectionId] ?? null);
  }

  phaseOf(connectionId: string | null): Network['state'] {
    return this.of(connectionId)?.state ?? 'unknown';
  }

  async load(connectionId: string): Promise<void> {
    const asked = this.#answersOf(connectionId).ask();
    this.#put(await this.#client.invoke('connections:get-network', { connectionId }), asked);
  }

  async setOffline(connectionId: string, isOffline: boolean): Promise<void> {
    const asked = this.#answersOf(connectionId).ask();
    this.#put(await this.#client.invoke('connections:set-offline', { connectionId, isOffline }), asked);
  }
}
