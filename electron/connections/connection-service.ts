import { rm } from 'node:fs/promises';
import type { Clock, Random } from '../core/ports.ts';
import type { AppStore } from '../db/app-store.ts';
import type { Keychain } from '../platform/keychain.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { ConnectionList } from '../shared/contract.ts';
import { AppError } from '../shared/errors.ts';
import type { Connection, ConnectionDraft, KeychainStatus } from '../shared/model.ts';
import type { TokenVault } from './token-vault.ts';

export interface ConnectionService {
  list(): ConnectionList;
  get(connectionId: string): Connection;
  keychainStatus(): Promise<KeychainStatus>;
  /** Saves a new or changed connection; `token` replaces the stored one, null leaves it. */
  save(draft: ConnectionDraft, token: string | null, kind?: Connection['kind']): Promise<Connection>;
  activate(connectionId: string): Promise<Connection>;
  /** Removes the keychain entry, the connection's folder and its row. Answers what was removed. */
  forget(connectionId: string): Promise<{ removed: string[] }>;
  /** The token of a connection, read from the keychain on first need; null where there is none. */
  token(connectionId: string): Promise<string | null>;
}

export interface ConnectionServiceDeps {
  store: AppStore;
  keychain: Keychain;
  vault: TokenVault;
  paths: DataPaths;
  clock: Clock;
  random: Random;
  /** Checks and normalises a typed address; throws INVALID_ARGUMENT or INSECURE_URL. */
  parseBaseUrl: (typed: string, rules: { allowsPlainHttp: boolean }) => { href: string };
  /** Ends everything that runs for a connection before its files go, or before it is opened with new settings. */
  closeSession: (connectionId: string) => Promise<void>;
  /** Removes log files: they name hosts and paths. */
  clearLogs: () => Promise<void>;
  isSampleRunning: () => boolean;
  onChanged: (list: ConnectionList) => void;
}

export function createConnectionService(deps: ConnectionServiceDeps): ConnectionService {
  const { store, keychain, vault, clock } = deps;

  const list = (): ConnectionList => ({
    connections: store.listConnections(),
    activeId: store.readSettings().activeConnectionId,
    isSampleRunning: deps.isSampleRunning(),
  });
  const get = (connectionId: string): Connection => {
    const found = store.listConnections().find((connection) => connection.id === connectionId);
    if (found !== undefined) return found;
    throw new AppError('NOT_FOUND', 'This connection no longer exists. Choose another one.');
  };
  const changed = () => deps.onChanged(list());

  const service: ConnectionService = {
    list,
    get,
    keychainStatus: () => keychain.status(),

    save: async (draft, token, kind = 'service') => {
      const previous = store.listConnections().find((known) => known.id === draft.id) ?? null;
      const baseUrl = deps.parseBaseUrl(draft.baseUrl, { allowsPlainHttp: draft.allowsPlainHttp }).href;
      const id = draft.id ?? deps.random.uuid();
      const storesToken = await storeToken(deps, id, draft.tokenStorage, token, previous);
      const connection: Connection = {
        ...draft,
        id,
        baseUrl,
        kind: previous?.kind ?? kind,
        createdAtMs: previous?.createdAtMs ?? clock.nowMs(),
        tokenHint: storesToken ?? previous?.tokenHint ?? null,
      };
      await deps.closeSession(id);
      store.saveConnection(connection);
      changed();
      return connection;
    },

    activate: async (connectionId) => {
      const connection = get(connectionId);
      store.saveSettings({ activeConnectionId: connectionId });
      changed();
      return connection;
    },

    forget: async (connectionId) => {
      const connection = get(connectionId);
      await deps.closeSession(connectionId);
      const removed: string[] = [];
      if (connection.tokenStorage === 'keychain' && connection.tokenHint !== null) {
        await keychain.remove(connectionId);
        removed.push('token in the keychain');
      }
      vault.remove(connectionId);
      await rm(deps.paths.connectionDir(connectionId), { recursive: true, force: true });
      removed.push('stored pages, uploads and receipts');
      store.removeConnection(connectionId);
      if (store.readSettings().activeConnectionId === connectionId)
        store.saveSettings({ activeConnectionId: null });
      await deps.clearLogs();
      removed.push('logs');
      changed();
      return { removed };
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
  };
  return service;
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
