/** The keychain entry of a connection's token. */
import type { AppStore } from '../db/app-store.ts';
import type { Connection } from '../shared/model.ts';
import { secretIn } from './keychain-entry.ts';
import type { TokenVault } from './token-vault.ts';

/** Whether the keychain has a token of this connection for an origin. */
export const hasEntry = ({ baseUrl, tokenStorage, tokenHint }: Connection, origin: string): boolean =>
  tokenStorage === 'keychain' && tokenHint !== null && new URL(baseUrl).origin === origin;
/** Describes a keychain entry, as it is saved with the connection. */
export const entryOf = (hint: Connection['tokenHint']): string => JSON.stringify(hint);

/**
 * The token in a keychain entry, if it is for this address. An entry of an earlier version does not name its address,
 * so its last characters must be those that were saved with the connection.
 */
export function tokenIn(entry: string | null, origin: string, { tokenHint }: Connection): string | null {
  const found = secretIn(entry, origin);
  if (found === null || tokenHint === null) return null;
  return found.isBound || found.secret.endsWith(tokenHint.lastFour) ? found.secret : null;
}

/**
 * Whether another process has replaced the entry that a held token comes from; false if the store cannot be read now,
 * because the token may still be valid.
 */
export function isReplaced(
  { store, vault }: { store: Pick<AppStore, 'findConnection'>; vault: TokenVault },
  connectionId: string,
  origin: string,
): boolean {
  try {
    const saved = store.findConnection(connectionId);
    return (
      saved !== null && hasEntry(saved, origin) && vault.isReplacedBy(connectionId, entryOf(saved.tokenHint))
    );
  } catch {
    return false;
  }
}
