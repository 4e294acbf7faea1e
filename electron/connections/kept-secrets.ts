/** A connection's secrets other than its token. They are stored in the same two places: the keychain and memory. */
import type { Keychain } from '../platform/keychain.ts';
import type { Connection, ConnectionDraft, ConnectionSecrets, SecretKind } from '../shared/model.ts';
import { secretIn } from './keychain-entry.ts';
import type { SecretChange } from './secret-changes.ts';
import type { TokenVault } from './token-vault.ts';

const KINDS: readonly SecretKind[] = ['proxy', 'certificate'];

interface Places {
  keychain: Pick<Keychain, 'read'>;
  vault: TokenVault;
  /** The connection as it is saved at present. Throws NOT_FOUND. */
  saved: (connectionId: string) => Connection;
}

/** Name of the keychain entry of a secret. The entry of a token is named by the id alone. */
const entryOf = (connectionId: string, kind: SecretKind): string => `${connectionId} ${kind}`;

/** The proxy or file for which a secret was entered; it is used for no other purpose. Null if there is neither. */
function purposeOf(draft: ConnectionDraft, kind: SecretKind): string | null {
  if (kind === 'certificate') return draft.clientCertFile ?? null;
  return draft.proxyUrl === null || draft.proxyUser === undefined
    ? null
    : `${draft.proxyUser} ${draft.proxyUrl}`;
}

const isSamePurpose = (draft: ConnectionDraft, previous: Connection | null, kind: SecretKind): boolean =>
  previous !== null &&
  purposeOf(draft, kind) !== null &&
  purposeOf(draft, kind) === purposeOf(previous, kind);

/** A secret of a connection; null if there is none. Throws the errors of the keychain. */
export async function readSecret(
  { keychain, vault, saved }: Places,
  connection: Connection,
  kind: SecretKind,
): Promise<string | null> {
  const purpose = purposeOf(connection, kind);
  if (purpose === null || connection.keptSecrets?.includes(kind) !== true) return null;
  const entry = entryOf(connection.id, kind);
  const held = vault.get(entry, purpose);
  if (held !== null || connection.tokenStorage !== 'keychain') return held;
  const found = secretIn(await keychain.read(entry), purpose);
  // An entry without a purpose may be for another proxy or file, and another process may have saved one in the
  // meantime.
  if (found?.isBound !== true || !isSamePurpose(saved(connection.id), connection, kind)) return null;
  vault.set(entry, found.secret, purpose);
  return found.secret;
}

/** The secret for a draft: the typed one, or else the stored one if it is for the same purpose. */
export async function secretFor(
  places: Places,
  draft: ConnectionDraft,
  typed: ConnectionSecrets,
  previous: Connection | null,
  kind: SecretKind,
): Promise<string | null> {
  if (typed[kind] !== undefined) return typed[kind];
  return previous !== null && isSamePurpose(draft, previous, kind)
    ? readSecret(places, previous, kind)
    : null;
}

/**
 * Plans the changes of stored secrets when a draft is saved. Typed ones are stored in the same place as the token,
 * others move with the token, and those for another proxy or file are removed. Has no side effects. Throws the errors
 * of the keychain.
 */
export async function planSecrets(
  places: Places,
  id: string,
  draft: ConnectionDraft,
  typed: ConnectionSecrets,
  previous: Connection | null,
): Promise<{ kept: Pick<Connection, 'keptSecrets'>; changes: SecretChange[] }> {
  const isMoved = previous !== null && previous.tokenStorage !== draft.tokenStorage;
  const wasInKeychain = previous?.tokenStorage === 'keychain';
  const kept: SecretKind[] = [];
  const changes: SecretChange[] = [];
  for (const kind of KINDS) {
    const key = entryOf(id, kind);
    const purpose = purposeOf(draft, kind);
    const hadOne = previous?.keptSecrets?.includes(kind) === true;
    const isSame = isSamePurpose(draft, previous, kind);
    const isNew = typed[kind] !== undefined && purpose !== null;
    const value =
      isNew || (hadOne && isMoved && isSame) ? await secretFor(places, draft, typed, previous, kind) : null;
    if (value !== null && purpose !== null) {
      kept.push(kind);
      changes.push({ key, value, purpose, isInKeychain: draft.tokenStorage === 'keychain' });
    } else if (hadOne && !isMoved && isSame) kept.push(kind);
    else if (hadOne) changes.push({ key, value: null, purpose: '', isInKeychain: wasInKeychain });
    // A secret that moves to memory is removed from the keychain.
    if (value !== null && isMoved && wasInKeychain && hadOne)
      changes.push({ key, value: null, purpose: '', isInKeychain: true, isHeld: true });
  }
  return { kept: kept.length === 0 ? {} : { keptSecrets: kept }, changes };
}

/** The changes that remove all secrets of a connection. */
export function removalOfSecrets({ id, keptSecrets = [], tokenStorage }: Connection): SecretChange[] {
  return keptSecrets.map((kind) => ({
    ...{ key: entryOf(id, kind), value: null, purpose: '' },
    isInKeychain: tokenStorage === 'keychain',
  }));
}
