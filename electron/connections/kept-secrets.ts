/** What is kept beside the token of a connection, in the same two places: the keychain and one variable. */
import type { Keychain } from '../platform/keychain.ts';
import type { Connection, ConnectionDraft, ConnectionSecrets, SecretKind } from '../shared/model.ts';
import type { TokenVault } from './token-vault.ts';

const KINDS: readonly SecretKind[] = ['proxy', 'certificate'];

interface Places {
  keychain: Pick<Keychain, 'read' | 'write' | 'remove'>;
  vault: TokenVault;
}

/** The entry of the keychain, beside that of the token, which is the id alone. */
const entryOf = (connectionId: string, kind: SecretKind): string => `${connectionId} ${kind}`;

/** What a secret was entered for; it is given to nothing else. Null where there is nothing. */
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

/** The secret of a connection; null where there is none. Throws what the keychain throws. */
export async function readSecret(
  { keychain, vault }: Places,
  connection: Connection,
  kind: SecretKind,
): Promise<string | null> {
  if (connection.keptSecrets?.includes(kind) !== true) return null;
  const entry = entryOf(connection.id, kind);
  const held = vault.get(entry);
  if (held !== null || connection.tokenStorage !== 'keychain') return held;
  const stored = await keychain.read(entry);
  if (stored !== null) vault.set(entry, stored);
  return stored;
}

/** The secret that a draft would be used with: the one typed, else the stored one, if it is for the same. */
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
 * Puts what was typed where the draft keeps its token, moves what stays, and removes what was for something else.
 * Answers which are there now. Throws what the keychain throws; nothing is removed before everything is written.
 */
export async function storeSecrets(
  places: Places,
  id: string,
  draft: ConnectionDraft,
  typed: ConnectionSecrets,
  previous: Connection | null,
): Promise<Pick<Connection, 'keptSecrets'>> {
  const { keychain, vault } = places;
  const isMoved = previous !== null && previous.tokenStorage !== draft.tokenStorage;
  const kept: SecretKind[] = [];
  const dropped: SecretKind[] = [];
  for (const kind of KINDS) {
    const hadOne = previous?.keptSecrets?.includes(kind) === true;
    const isNew = typed[kind] !== undefined && purposeOf(draft, kind) !== null;
    const value =
      isNew || (hadOne && isMoved && isSamePurpose(draft, previous, kind))
        ? await secretFor(places, draft, typed, previous, kind)
        : null;
    if (value !== null) {
      if (draft.tokenStorage === 'keychain') await keychain.write(entryOf(id, kind), value);
      vault.set(entryOf(id, kind), value);
    }
    const isThere = value !== null || (hadOne && !isMoved && isSamePurpose(draft, previous, kind));
    if (isThere) kept.push(kind);
    else if (hadOne) dropped.push(kind);
  }
  for (const kind of dropped) vault.remove(entryOf(id, kind));
  const leaves = isMoved ? (previous.keptSecrets ?? []) : dropped;
  if (previous?.tokenStorage === 'keychain') {
    for (const kind of leaves) await keychain.remove(entryOf(id, kind));
  }
  return kept.length === 0 ? {} : { keptSecrets: kept };
}

/** Removes all of a connection. Throws what the keychain throws. */
export async function removeSecrets({ keychain, vault }: Places, connection: Connection): Promise<void> {
  for (const kind of connection.keptSecrets ?? []) {
    vault.remove(entryOf(connection.id, kind));
    if (connection.tokenStorage === 'keychain') await keychain.remove(entryOf(connection.id, kind));
  }
}
