/**
 * The access keys of the tokens in use. A token is the secret of its own key, so the key is created when it is first
 * read, and exists as long as the service is running.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/ports.ts';
import type { ServiceSettings } from './settings.ts';
import type { JsonRecord } from './store.ts';

const DAY_MS = 86_400_000;
/** Number of shown last characters of a key (SERVICE.md F13). */
const SUFFIX_LENGTH = 6;

export class TokenKeys {
  readonly #clock: Clock;
  readonly #settings: ServiceSettings;
  /** Records by token; null if the key was deleted. */
  readonly #records = new Map<string, JsonRecord | null>();

  constructor(clock: Clock, settings: ServiceSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** The key of a token; null if it was deleted. `owner`: fields of a key that is created. */
  of(token: string, owner: JsonRecord): JsonRecord | null {
    const known = this.#records.get(token);
    if (known !== undefined) return known;
    const nowMs = this.#clock.nowMs();
    const digest = createHash('sha256').update(token).digest('base64url').slice(0, 12);
    const made = new Date(nowMs - DAY_MS).toISOString();
    const record: JsonRecord = {
      key_id: `fkh_${digest}`,
      name: 'Workbench',
      key_suffix: token.slice(-SUFFIX_LENGTH),
      created_at: made,
      updated_at: made,
      expires_at: new Date(nowMs + this.#settings.tokenDays * DAY_MS).toISOString(),
      last_used_at: new Date(nowMs).toISOString(),
      ...owner,
    };
    this.#records.set(token, record);
    return record;
  }

  /** Replaces the key of a token; null deletes the key. */
  set(token: string, record: JsonRecord | null): void {
    this.#records.set(token, record);
  }

  /** The token whose key has this id; null if there is none. Keys that nobody has read yet are unknown. */
  tokenOf(keyId: string): string | null {
    for (const [token, record] of this.#records) if (record?.['key_id'] === keyId) return token;
    return null;
  }

  /** Why a token is refused; null if it is accepted. */
  endOf(token: string): string | null {
    const record = this.#records.get(token);
    if (record === undefined) return null;
    if (record === null) return 'The access key of this token was deleted.';
    const endMs = Date.parse(String(record['expires_at']));
    return endMs > this.#clock.nowMs() ? null : 'The access token has expired.';
  }
}
