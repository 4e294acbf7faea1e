import { createHash } from 'node:crypto';

interface Held {
  secret: string;
  purpose: string;
  /** Describes the keychain entry that it comes from, as saved with the connection; null if it comes from elsewhere. */
  entry: string | null;
}

/**
 * The only variable that holds tokens and other secrets while the program runs. A secret comes from the input field or
 * the keychain together with its purpose (for a token: the origin it was entered for), and is returned for no other
 * purpose.
 */
export class TokenVault {
  readonly #held = new Map<string, Held>();
  readonly #onSecret: (secret: string) => void;

  /** `onSecret` is called once for each secret, so that the log can mask the secret. */
  constructor(onSecret: (secret: string) => void) {
    this.#onSecret = onSecret;
  }

  set(key: string, secret: string, purpose: string, entry: string | null = null): void {
    this.#onSecret(secret);
    this.#held.set(key, { secret, purpose, entry });
  }

  /** Whether the secret comes from a keychain entry that another process has replaced by this one. */
  isReplacedBy(key: string, entry: string): boolean {
    const known = this.#held.get(key)?.entry ?? null;
    return known !== null && known !== entry;
  }

  /** The secret, if it was entered for this purpose; null otherwise. */
  get(key: string, purpose: string): string | null {
    const held = this.#held.get(key);
    return held?.purpose === purpose ? held.secret : null;
  }

  remove(key: string): void {
    this.#held.delete(key);
  }

  /** Keeps tokens out of logs and JSON. */
  toJSON(): string {
    return '[tokens]';
  }
}

/**
 * Identifies a token without revealing it, by 64 bits of a one-way hash. Budgets are counted per token (SERVICE.md S5
 * rule 2), and the counters are stored in a file.
 */
export function tokenId(token: string): string {
  return createHash('sha256').update('spandeck budget\n').update(token).digest('hex').slice(0, 16);
}
