/**
 * Replaces the connections of `undici` for the product: its own requests and bodies are sent over the simulated network
 * instead of sockets.
 */
import { Dispatcher } from 'undici';
import { currentNetwork } from './network.ts';

export class Agent extends Dispatcher {
  readonly #proxy: string | null;

  constructor({ uri = null }: { uri?: string | null } = {}) {
    super();
    this.#proxy = uri;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    currentNetwork().send({ agent: this, proxy: this.#proxy, options, handler });
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    currentNetwork().cutAgent(this);
    return Promise.resolve();
  }
}

export { Agent as ProxyAgent };
export const buildConnector = (): never => {
  throw new Error('The simulation has no SOCKS proxy.');
};
