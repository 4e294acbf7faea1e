import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../core/ports.ts';
import type { AppStore } from '../db/app-store.ts';
import type { Keychain } from '../platform/keychain.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { ConnectionList } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  KeychainStatus,
  SecretKind,
} from '../shared/model.ts';
import { readSecret, removeSecrets, secretFor, storeSecrets } from './kept-secrets.ts';
import type { TokenVault } from './token-vault.ts';

export interface ConnectionService {
  list(): ConnectionList;
  get(connectionId: string): Connection;
  keychainStatus(): Promise<KeychainStatus>;
  /**
   * Saves a new or changed connection; `token` replaces the stored one, null leaves it. Throws NO_TOKEN where the
   * stored one would go elsewhere than it was entered for. `secrets` that are absent stay, unless they were for
   * another proxy or another file.
   */
  save(
    draft: ConnectionDraft,
    token: string | null,
    more?: { kind?: Connection['kind']; secrets?: ConnectionSecrets },
  ): Promise<Connection>;
  /** Adds a pack that was opened. */
  addPack(connection: Connection): void;
  activate(connectionId: string): Promise<Connection>;
  /** Removes the keychain entry, the connection's folder and its row. Answers what was removed. */
  forget(connectionId: string): Promise<{ removed: string[] }>;
  /** Goes on with what a killed program was forgetting. Rejects where the keychain refuses: then the connection stays. */
  finishForgetting(): Promise<void>;
  /** The token of a connection, read from the keychain on first need; null where there is none. */
  token(connectionId: string): Promise<string | null>;
  /** The token a draft would be used with: the one typed, or the stored one under the rule of `save`. */
  tokenFor(draft: ConnectionDraft, typed: string | null): Promise<string | null>;
  /** A secret of a connection, read from the keychain on first need; null where there is none. */
  secret(connectionId: string, kind: SecretKind): Promise<string | null>;
  /** The one a draft would be used with: the one typed, or the stored one where it is for the same. */
  secretFor(draft: ConnectionDraft, typed: ConnectionSecrets, kind: SecretKind): Promise<string | null>;
}

/** An empty folder of this ending beside that of a connection: it is being forgotten. */
const FORGETTING = '.forgetting';

interface Address {
  href: string;
  /** What a token belongs to. */
  origin: string;
  isEncrypted: boolean;
}

interface ConnectionServiceDeps {
  store: AppStore;
  keychain: Keychain;
  vault: TokenVault;
  paths: DataPaths;
  clock: Clock;
  random: Random;
  /** Checks and normalises a typed address; throws INVALID_ARGUMENT or INSECURE_URL. */
  parseBaseUrl: (typed: string, rules: { allowsPlainHttp: boolean }) => Address;
  /** Ends everything that runs for a connection before its files go, or before it is opened with new settings. */
  closeSession: (connectionId: string) => Promise<void>;
  /** Removes log files: they name hosts and paths. */
  clearLogs: () => Promise<void>;
  /** Removes the readable copies of files that were made for a connection which is not there any more. Never rejects. */
  removeCopies: (connectionId: string) => Promise<void>;
  isSampleRunning: () => boolean;
  updating: () => ConnectionList['updating'];
  onChanged: (list: ConnectionList) => void;
}

export function createConnectionService(deps: ConnectionServiceDeps): ConnectionService {
  const { store, keychain, vault, clock } = deps;
  const forgetting = new Set<string>();

  // Nobody chose the one that a command made; where it is the only one, the window opens it.
  const [onlyOne = null, second = null] = store.listConnections();
  const activeIdOf = (connections: readonly Connection[]): string | null => {
    const chosen = store.readSettings().activeConnectionId;
    if (chosen !== null || onlyOne === null || second !== null) return chosen;
    return connections.some(({ id }) => id === onlyOne.id) ? onlyOne.id : null;
  };

  const list = (connections = store.listConnections()): ConnectionList => ({
    connections,
    activeId: activeIdOf(connections),
    isSampleRunning: deps.isSampleRunning(),
    updating: deps.updating(),
    isKeychainWaiting: keychain.isWaiting(),
  });
  const get = (connectionId: string): Connection => {
    const found = store.listConnections().find((connection) => connection.id === connectionId);
    // A view that asks once more while its connection goes would bring the files back.
    if (found !== undefined && !forgetting.has(connectionId)) return found;
    throw new AppError('NOT_FOUND', 'This connection no longer exists. Choose another one.');
  };
  const changed = () => deps.onChanged(list());
  const noteOf = (connectionId: string) => join(deps.paths.connectionsDir, `${connectionId}${FORGETTING}`);
  keychain.onWaiting(changed);

  const service: ConnectionService = {
    list: () => list(),
    get,
    keychainStatus: () => keychain.status(),

    save: async (draft, token, { kind = 'service', secrets = {} } = {}) => {
      const previous = store.listConnections().find((known) => known.id === draft.id) ?? null;
      checkDraft(deps, draft, token, previous);
      const baseUrl = deps.parseBaseUrl(draft.baseUrl, { allowsPlainHttp: draft.allowsPlainHttp }).href;
      const id = draft.id ?? deps.random.uuid();
      const storesToken = await storeToken(deps, id, draft.tokenStorage, token, previous);
      const keptSecrets = await storeSecrets(deps, id, draft, secrets, previous);
      const connection: Connection = {
        ...draft,
        // A pack stays one: only what it is called can be changed.
        ...(previous?.pack === undefined ? { baseUrl } : { ...packOf(previous), baseUrl: previous.baseUrl }),
        id,
        kind: previous?.kind ?? kind,
        createdAtMs: previous?.createdAtMs ?? clock.nowMs(),
        tokenHint: storesToken ?? previous?.tokenHint ?? null,
        ...keptSecrets,
      };
      await deps.closeSession(id);
      store.saveConnection(connection);
      changed();
      return connection;
    },

    addPack: (connection) => {
      store.saveConnection(connection);
      changed();
    },

    activate: async (connectionId) => {
      const connection = get(connectionId);
      store.saveSettings({ activeConnectionId: connectionId });
      changed();
      return connection;
    },

    forget: async (connectionId) => {
      const connection = get(connectionId);
      forgetting.add(connectionId);
      try {
        await Promise.all([
          // First of all, so that nobody is given the session any more.
          deps.closeSession(connectionId),
          // Where it cannot be made, as on a full disk, it goes without: only a kill needs it.
          mkdir(noteOf(connectionId), { recursive: true, mode: 0o700 }).catch(() => undefined),
        ]);
        vault.remove(connectionId);
        await rm(deps.paths.connectionDir(connectionId), { recursive: true, force: true });
        await deps.clearLogs();
        // Last, and before the row: where the keychain refuses, the connection stays to be forgotten again.
        const hadEntry = connection.tokenStorage === 'keychain' && connection.tokenHint !== null;
        if (hadEntry || connection.keptSecrets !== undefined) await removeEntries(deps, connection, hadEntry);
        store.removeConnection(connectionId);
        if (store.readSettings().activeConnectionId === connectionId)
          store.saveSettings({ activeConnectionId: store.listConnections()[0]?.id ?? null });
        // After the row: whatever ends the program here, the next start removes what is for no connection.
        await deps.removeCopies(connectionId);
        return {
          removed: [
            ...(hadEntry ? ['token in the keychain'] : []),
            ...(connection.keptSecrets?.includes('proxy') === true ? ['password of the proxy'] : []),
            ...(connection.keptSecrets?.includes('certificate') === true
              ? ['passphrase of the client certificate']
              : []),
            'stored pages, uploads and receipts',
            'readable copies of its files',
            'logs',
          ],
        };
      } finally {
        await rm(noteOf(connectionId), { recursive: true, force: true });
        forgetting.delete(connectionId);
        changed();
      }
    },

    finishForgetting: async () => {
      const names = await readdir(deps.paths.connectionsDir).catch(() => []);
      for (const name of names.filter((each) => each.endsWith(FORGETTING))) {
        const id = name.slice(0, -FORGETTING.length);
        if (store.listConnections().some((known) => known.id === id)) await service.forget(id);
        else await rm(noteOf(id), { recursive: true, force: true });
      }
    },

    token: async (connectionId) => {
      const held = vault.get(connectionId);
      if (held !== null) return held;
      const connection = get(connectionId);
      if (connection.tokenStorage !== 'keychain' || connection.tokenHint === null) return null;
      const stored = await keychain.read(connectionId);
      if (stored !== null) vault.set(connectionId, stored);
      return stored;
    },

    tokenFor: async (draft, typed) => {
      const previous = draft.id === null ? null : get(draft.id);
      checkDraft(deps, draft, typed, previous);
      return typed ?? (previous === null ? null : service.token(previous.id));
    },

    secret: (connectionId, kind) => readSecret(deps, get(connectionId), kind),
    secretFor: (draft, typed, kind) =>
      secretFor(deps, draft, typed, draft.id === null ? null : get(draft.id), kind),
  };
  return service;
}

/** What no form changes. */
function packOf({ pack, isReadOnly }: Connection): Partial<Connection> {
  return { isReadOnly, ...(pack === undefined ? {} : { pack }) };
}

async function removeEntries(
  deps: ConnectionServiceDeps,
  connection: Connection,
  hasToken: boolean,
): Promise<void> {
  try {
    await removeSecrets(deps, connection);
    if (hasToken) await deps.keychain.remove(connection.id);
  } catch (thrown) {
    const why = toAppError(thrown);
    throw new AppError(
      why.code,
      `The stored pages, uploads and logs of this connection are gone, but its token is still in the keychain. ${why.message}`,
      { nextStep: 'Unlock or start the keychain, then forget the connection again.' },
      thrown,
    );
  }
}

/** Throws INVALID_ARGUMENT where the token stands in another field, NO_TOKEN where the stored one would go elsewhere. */
function checkDraft(
  deps: ConnectionServiceDeps,
  draft: ConnectionDraft,
  token: string | null,
  previous: Connection | null,
): void {
  if (token !== null) {
    if (previous?.kind === 'pack') {
      throw new AppError('INVALID_ARGUMENT', 'A pack has no service, so it takes no token.');
    }
    const fields = { name: draft.name, 'base URL': draft.baseUrl, proxy: draft.proxyUrl };
    const held = Object.entries(fields).find(
      ([, text]) => text?.includes(token) === true && token.length >= 8,
    );
    if (held === undefined) return;
    throw new AppError(
      'INVALID_ARGUMENT',
      `The access token is in the ${held[0]} too, where it would be saved unencrypted. Remove it there.`,
    );
  }
  if (previous === null || (previous.tokenHint === null && deps.vault.get(previous.id) === null)) return;
  const next = deps.parseBaseUrl(draft.baseUrl, draft);
  const { origin } = deps.parseBaseUrl(previous.baseUrl, { allowsPlainHttp: true });
  // Whom a connection trusts decides who reads its token, as much as its address does.
  const isSameAuthority = draft.extraCaFile === null || draft.extraCaFile === previous.extraCaFile;
  const isSameProxy = next.isEncrypted || draft.proxyUrl === previous.proxyUrl;
  if (next.origin === origin && isSameAuthority && isSameProxy) return;
  const changed =
    next.origin !== origin
      ? `${origin}, and the base URL now names ${next.origin}`
      : `${origin} as it was set up, and ${isSameAuthority ? 'the proxy' : 'the certificate file'} has changed`;
  throw new AppError(
    'NO_TOKEN',
    `The stored token was entered for ${changed}. Enter the token again to use it there.`,
  );
}

/** Puts a new token where the draft says, and moves or removes an old one; answers the new hint. */
async function storeToken(
  { keychain, vault, clock }: ConnectionServiceDeps,
  id: string,
  storage: ConnectionDraft['tokenStorage'],
  token: string | null,
  previous: Connection | null,
): Promise<Connection['tokenHint']> {
  const isMoved = previous !== null && previous.tokenStorage !== storage;
  let value = token;
  if (value === null && isMoved) {
    value = vault.get(id) ?? (previous.tokenStorage === 'keychain' ? await keychain.read(id) : null);
  }
  if (value !== null && storage === 'keychain') await keychain.write(id, value);
  if (isMoved && previous.tokenStorage === 'keychain') await keychain.remove(id);
  if (value === null) return isMoved ? null : (previous?.tokenHint ?? null);
  vault.set(id, value);
  return { lastFour: value.length > 8 ? value.slice(-4) : '', savedAtMs: clock.nowMs() };
}
