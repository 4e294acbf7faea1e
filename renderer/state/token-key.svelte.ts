/** When the token of the active connection expires, by the stored list of access keys. */
import type { JsonObject } from '../lib/records.ts';
import { expiryOf, keyInUse, type TokenExpiry } from '../lib/token-expiry.ts';
import type { ListModel } from './list-state.svelte.ts';

/** A user has about five keys. */
const MAX_KEYS = 100;

export class TokenKey {
  readonly list: ListModel;
  readonly #lastFour: () => string;
  /** Last characters of the token with which the keys were read. */
  #readFor = '';
  /** The key of the token in use; null if the list does not say which one it is. */
  readonly key: JsonObject | null = $derived.by(() => keyInUse(this.list.sample(MAX_KEYS), this.#lastFour()));
  readonly expiry: TokenExpiry | null = $derived(expiryOf(this.key));

  /** `lastFour`: the last characters of the token; empty if they are not known. */
  constructor(list: ListModel, lastFour: () => string) {
    this.list = list;
    this.#lastFour = lastFour;
  }

  /** Reads the keys if they are stale or the token is another one, unless it is not known how the token ends. */
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
