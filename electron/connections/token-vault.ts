import { createHash } from 'node:crypto';

/**
 * The one variable that holds tokens while the program runs. A token enters from the input field or the
 * keychain and leaves only as the Authorization header of its own connection.
 */
export class TokenVault {
  readonly #tokens = new Map<string, string>();
  readonly #onToken: (token: string) => void;

  /** `onToken` hears of each token once, so that the log can mask it. */
  constructor(onToken: (token: string) => void) {
    this.#onToken = onToken;
  }

  set(connectionId: string, token: string): void {
    this.#onToken(token);
    this.#tokens.set(connectionId, token);
  }

  get(connectionId: string): string | null {
    return this.#tokens.get(connectionId) ?? null;
  }

  remove(connectionId: string): void {
    this.#tokens.delete(connectionId);
  }

  /** Never the token: not in a log, not in JSON. */
  toJSON(): string {
    return '[tokens]';
  }
}

/**
 * Names a token without holding it: budgets are counted per token (SERVICE.md S5 rule 2), and the counters live
 * in a file. 64 bits of a one-way hash.
 */
export function tokenId(token: string): string {
  return createHash('sha256').update('spandeck budget\n').update(token).digest('hex').slice(0, 16);
}
