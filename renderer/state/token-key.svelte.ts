/** The access key of the active connection's token, and when it expires, found in the stored list of access keys. */
import type { JsonObject } from '../lib/records.ts';
import { expiryOf, keyInUse, type TokenExpiry } from '../lib/token-expiry.ts';
import type { ListModel } from './list-state.svelte.ts';

/** Maximum number of keys to read; a user usually has about five. */
const MAX_KEYS = 100;

export class TokenKey {
  readonly list: ListModel;
  readonly #lastFour: () => string;
  /** Last characters of the token for which the keys were read. */
  #readFor = '';
  /** The key of the token in use; null if the list does not show which one it is. */
  readonly key: JsonObject | null = $derived.by(() => keyInUse(this.list.sample(MAX_KEYS), this.#lastFour()));
  readonly expiry: TokenExpiry | null = $derived(expiryOf(this.key));

  /** `lastFour`: the last characters of the token; empty if unknown. */
  constructor(list: ListModel, lastFour: () => string) {
    this.list = list;
    this.#lastFour = lastFour;
  }

  /** Reads the keys if they are stale or the token has changed. Does nothing if the end of the token is unknown. */
  async open(): Promise<void> {
    const lastFour = this.#lastFour();
    if (lastFour === '') return;
    const isNew = this.#readFor !== '' && this.#readFor !== lastFour;
    this.#readFor = lastFour;
    await this.list.open(
      { operation: 'access-keys.list', path: {}, query: {} },
      isNew ? 'always' : 'if-stale',
    );
  }
}
