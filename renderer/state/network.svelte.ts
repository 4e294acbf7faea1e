import type { NetworkState as Network } from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';

/** How each connection reaches its service, as main last said. */
export class NetworkState {
  #states = $state.raw<Readonly<Record<string, Network>>>({});

  listen(): void {
    client.on('connections:network-changed', (state) => this.#put(state));
  }

  #put(state: Network): void {
    this.#states = { ...this.#states, [state.connectionId]: state };
  }

  of(connectionId: string | null): Network | null {
    return connectionId === null ? null : (this.#states[connectionId] ?? null);
  }

  phaseOf(connectionId: string | null): Network['state'] {
    return this.of(connectionId)?.state ?? 'unknown';
  }

  async load(connectionId: string): Promise<void> {
    this.#put(await client.invoke('connections:get-network', { connectionId }));
  }

  async setOffline(connectionId: string, isOffline: boolean): Promise<void> {
    this.#put(await client.invoke('connections:set-offline', { connectionId, isOffline }));
  }
}
