import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../core/ports.ts';
import { Queues } from '../core/queues.ts';
import type { AppStore } from '../db/app-store.ts';
import type { Keychain } from '../platform/keychain.ts';
import type { DataPaths } from '../platform/paths.ts';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import type { ConnectionList } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  KeychainStatus,
  SecretKind,
} from '../shared/model.ts';
import { keepFormerAddress, moveOf } from './former-address.ts';
import { planSecrets, readSecret, removalOfSecrets, secretFor } from './kept-secrets.ts';
import { changeKeychain, changeVault, type SecretChange } from './secret-changes.ts';
import { entryOf, hasEntry, isReplaced, tokenIn } from './token-entry.ts';
import type { TokenVault } from './token-vault.ts';

export interface ConnectionService {
  list(): ConnectionList;
  get(connectionId: string): Connection;
  keychainStatus(): Promise<KeychainStatus>;
  /**
   * Saves a new or changed connection; `token` replaces the stored one, null keeps it. Throws NO_TOKEN if the stored
   * token would be sent to another origin than the one it was entered for. Stored secrets that are absent in `secrets`
   * are kept, unless they were for another proxy or another file.
   */
  save(
    draft: ConnectionDraft,
    token: string | null,
    more?: { kind?: Connection['kind']; secrets?: ConnectionSecrets },
  ): Promise<Connection>;
  /** Adds the connection of an opened pack. */
  addPack(connection: Connection): void;
  activate(connectionId: string): Promise<Connection>;
  /** Removes the keychain entry, the folder and the row of a connection. Returns descriptions of what was removed. */
  forget(connectionId: string): Promise<{ removed: string[] }>;
  /** Completes removals that a killed program had begun. Rejects if the keychain refuses; the connection then stays. */
  finishForgetting(): Promise<void>;
  /** Cancels a removal that a killed program had begun, because the connection is used again. */
  keep(connectionId: string): Promise<void>;
  /**
   * The token for the present address of `connection`, read from the keychain when it is first needed; null if there is
   * none, or if another address was saved in the meantime.
   */
  token(connection: Pick<Connection, 'id' | 'baseUrl'>): Promise<string | null>;
  /** The token for a draft: the typed one, or else the stored one if `save` would allow it. */
  tokenFor(draft: ConnectionDraft, typed: string | null): Promise<string | null>;
  /**
   * A secret for the proxy or file that `connection` names, read from the keychain when it is first needed; null if
   * there is none.
   */
  secret(connection: Connection, kind: SecretKind): Promise<string | null>;
  /**
   * The token in memory for the address of `connection`; null if there is none, or if it was entered for another
   * address.
   */
  heldToken(connection: Pick<Connection, 'id' | 'baseUrl'>): string | null;
  /** Uses `token` for the saved address of a connection in this process, without storing it. Throws NOT_FOUND. */
  holdToken(connectionId: string, token: string): void;
  /** A secret for a draft: the typed one, or else the stored one if it is for the same purpose. */
  secretFor(draft: ConnectionDraft, typed: ConnectionSecrets, kind: SecretKind): Promise<string | null>;
}

/** Suffix of an empty folder next to that of a connection, which marks a removal in progress. */
const FORGETTING = '.forgetting';

interface Address {
  href: string;
  /** The origin that a token belongs to. */
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
  /**
   * Runs `work` after all activity of the connection has ended, and before any can begin, in this process or in all
   * processes. The latter throws CONFLICT and does nothing while another process has the connection open.
   */
  whileClosed: <T>(
    connectionId: string,
    work: () => Promise<T>,
    of: 'this process' | 'every process',
  ) => Promise<T>;
  /** Called when the token of a connection became known, before it is used. */
  onTokenKnown: (connectionId: string) => void;
  /** Called after only the name or the colour was changed, while the session of the connection may be in use. */
  onRelabelled: (connection: Connection) => void;
  /** Called after the connection was removed everywhere. */
  onForgotten: (connectionId: string) => void;
  /** Removes log files, because they contain hosts and paths. */
  clearLogs: () => Promise<void>;
  /** Closes the connection to agents and removes the log of what they read. */
  forgetAgents: (connectionId: string) => void;
  /** Removes the unpacked copies of files that were made for a connection. Never rejects. */
  removeCopies: (connectionId: string) => Promise<void>;
  isSampleRunning: () => boolean;
  updating: () => ConnectionList['updating'];
  onChanged: (list: ConnectionList) => void;
}

export function createConnectionService(deps: ConnectionServiceDeps): ConnectionService {
  const { store, keychain, vault, clock } = deps;
  const forgetting = new Set<string>();
  store.correctMoves();
  const hold = (connectionId: string, token: string, origin: string, entry: string | null = null) => {
    vault.set(connectionId, token, origin, entry);
    deps.onTokenKnown(connectionId);
  };

  // A connection created by the command line is not made the active one. If it is the only connection, the window
  // activates it.
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
    const find = () => store.listConnections().find((connection) => connection.id === connectionId);
    let found = find();
    if ((found?.movedFrom?.atMs ?? 0) > clock.nowMs() && store.correctMoves()) {
      changed();
      found = find();
    }
    // A removed connection is not found any more, because a view that reads once more would create its files again.
    if (found !== undefined && !forgetting.has(connectionId)) return found;
    throw new AppError('NOT_FOUND', 'This connection no longer exists. Choose another one.');
  };
  const places = { keychain, vault, saved: get };
  const changed = () => deps.onChanged(list());
  const noteOf = (connectionId: string) => join(deps.paths.connectionsDir, `${connectionId}${FORGETTING}`);
  keychain.onWaiting(changed);
  const queues = new Queues();

  /** Removes all data of a connection. Returns descriptions of what was removed. */
  const removeWhole = async (connection: Connection): Promise<{ removed: string[] }> => {
    const { id } = connection;
    vault.remove(id);
    await rm(deps.paths.connectionDir(id), WITH_RETRIES);
    await deps.clearLogs();
    deps.forgetAgents(id);
    // Done before the row is removed: if the keychain refuses, the connection stays and the removal can be repeated.
    const hadEntry = connection.tokenStorage === 'keychain' && connection.tokenHint !== null;
    if (hadEntry || connection.keptSecrets !== undefined) await removeEntries(deps, connection, hadEntry);
    store.removeConnection(id);
    if (store.readSettings().activeConnectionId === id)
      store.saveSettings({ activeConnectionId: store.listConnections()[0]?.id ?? null });
    // Done after the row was removed: if the program ends here, the next start removes copies that belong to no
    // connection.
    await deps.removeCopies(id);
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
  };

  /** Only the row and the label of the open session change, so requests in flight continue. */
  const relabel = ({ id, name, colour }: Connection): Connection => {
    // Read again, because another process may have saved another address in the meantime.
    const relabelled = { ...get(id), name, colour };
    store.saveConnection(relabelled);
    deps.onRelabelled(relabelled);
    changed();
    return relabelled;
  };

  const service: ConnectionService = {
    list: () => list(),
    get,
    keychainStatus: () => keychain.status(),

    save: (draft, token, { kind = 'service', secrets = {} } = {}) => {
      const id = draft.id ?? deps.random.uuid();
      return queues.run(id, async () => {
        const previous = store.listConnections().find((known) => known.id === draft.id) ?? null;
        checkDraft(deps, draft, token, previous);
        const address = deps.parseBaseUrl(draft.baseUrl, { allowsPlainHttp: draft.allowsPlainHttp });
        // Done while the connection is still in use, because the keychain may ask a person.
        const ofToken = await planToken(deps, { id, draft, token, previous, origin: address.origin });
        const ofSecrets = await planSecrets(places, id, draft, secrets, previous);
        const connection: Connection = {
          ...draft,
          // Only the name and colour of a pack can be changed.
          ...(previous?.pack === undefined
            ? { baseUrl: address.href }
            : { ...packOf(previous), baseUrl: previous.baseUrl }),
          id,
          kind: previous?.kind ?? kind,
          createdAtMs: previous?.createdAtMs ?? clock.nowMs(),
          tokenHint: ofToken.hint,
          ...ofSecrets.kept,
          ...moveOf(previous, address.href, clock.nowMs()),
        };
        const changes = [...ofToken.changes, ...ofSecrets.changes];
        if (isRelabelled(previous, connection, changes)) return relabel(connection);
        const of = isUsedAlike(previous, connection, changes) ? 'this process' : 'every process';
        await deps.whileClosed(id, () => saveWhole(deps, { connection, previous, changes }), of);
        changed();
        return connection;
      });
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

    forget: (connectionId) =>
      queues.run(connectionId, async () => {
        const connection = get(connectionId);
        forgetting.add(connectionId);
        try {
          // A failure, e.g. on a full disk, only means that a kill would leave files behind.
          const noted = mkdir(noteOf(connectionId), { recursive: true, mode: 0o700 }).catch(() => undefined);
          const remove = async () => {
            await noted;
            return removeWhole(connection);
          };
          const removed = await deps.whileClosed(connectionId, remove, 'every process');
          deps.onForgotten(connectionId);
          return removed;
        } finally {
          await rm(noteOf(connectionId), WITH_RETRIES);
          forgetting.delete(connectionId);
          changed();
        }
      }),

    finishForgetting: async () => {
      const names = await readdir(deps.paths.connectionsDir).catch(() => []);
      for (const name of names.filter((each) => each.endsWith(FORGETTING))) {
        const id = name.slice(0, -FORGETTING.length);
        if (store.listConnections().some((known) => known.id === id)) await service.forget(id);
        else await rm(noteOf(id), WITH_RETRIES);
      }
    },

    keep: (connectionId) => rm(noteOf(connectionId), WITH_RETRIES),

    token: async ({ id, baseUrl }) => {
      const { origin } = new URL(baseUrl);
      const held = vault.get(id, origin);
      if (held !== null && !isReplaced(deps, id, origin)) return held;
      if (!hasEntry(get(id), origin)) return null;
      let entry: string | null;
      try {
        entry = await keychain.read(id);
      } catch (problem) {
        if (held === null) throw problem;
        return held;
      }
      // Another process may have saved a new address and its token in the meantime.
      const now = get(id);
      const found = hasEntry(now, origin) ? tokenIn(entry, origin, now) : null;
      if (found !== null) hold(id, found, origin, entryOf(now.tokenHint));
      return found;
    },

    heldToken: ({ id, baseUrl }) => vault.get(id, new URL(baseUrl).origin),
    holdToken: (connectionId, token) => hold(connectionId, token, new URL(get(connectionId).baseUrl).origin),

    tokenFor: async (draft, typed) => {
      const previous = draft.id === null ? null : get(draft.id);
      checkDraft(deps, draft, typed, previous);
      if (typed !== null || previous === null) return typed;
      const found = await service.token(previous);
      // Another process may have saved another address or proxy while the keychain was asked, so the draft is checked
      // again.
      checkDraft(deps, draft, typed, get(previous.id));
      return found;
    },

    secret: (connection, kind) => readSecret(places, connection, kind),
    secretFor: (draft, typed, kind) =>
      secretFor(places, draft, typed, draft.id === null ? null : get(draft.id), kind),
  };
  return service;
}

/**
 * Whether other processes may keep the connection open: for a new connection, or if only the name, the colour or a
 * token of this process changes.
 */
function isUsedAlike(
  previous: Connection | null,
  connection: Connection,
  changes: readonly SecretChange[],
): boolean {
  if (previous === null) return true;
  const { name, colour, tokenHint } = connection;
  const before = sortedFields({ ...previous, name, colour, tokenHint });
  const isSame = JSON.stringify(before) === JSON.stringify(sortedFields(connection));
  return isSame && changes.every(({ isInKeychain }) => !isInKeychain);
}

/** Whether only the name or the colour changes. */
function isRelabelled(
  previous: Connection | null,
  connection: Connection,
  changes: readonly SecretChange[],
): boolean {
  if (previous === null || changes.length > 0) return false;
  const hasLabel = previous.name === connection.name && previous.colour === connection.colour;
  return !hasLabel && isUsedAlike(previous, connection, changes);
}

const sortedFields = (connection: Connection) =>
  Object.entries(connection)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Fields of a pack that no form changes. */
function packOf({ pack, isReadOnly }: Connection): Partial<Connection> {
  return { isReadOnly, ...(pack === undefined ? {} : { pack }) };
}

async function removeEntries(
  { keychain, vault }: ConnectionServiceDeps,
  connection: Connection,
  hasToken: boolean,
): Promise<void> {
  const token: SecretChange = { key: connection.id, value: null, purpose: '', isInKeychain: true };
  const changes = [...removalOfSecrets(connection), ...(hasToken ? [token] : [])];
  changeVault(vault, changes);
  try {
    await changeKeychain(keychain, changes);
  } catch (thrown) {
    const reason = toAppError(thrown);
    throw new AppError(
      reason.code,
      `The stored pages, uploads and logs of this connection are gone, but its token is still in the keychain. ${reason.message}`,
      { nextStep: 'Unlock or start the keychain, then forget the connection again.' },
      thrown,
    );
  }
}

/**
 * Checks the token of a draft. Throws INVALID_ARGUMENT if it was typed in another field, NO_TOKEN if the stored one
 * would be sent to another origin.
 */
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
  if (previous === null) return;
  const { origin } = deps.parseBaseUrl(previous.baseUrl, { allowsPlainHttp: true });
  if (previous.tokenHint === null && deps.vault.get(previous.id, origin) === null) return;
  const next = deps.parseBaseUrl(draft.baseUrl, draft);
  // The trusted authorities matter as much as the address, because they too decide who can read the token.
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

interface TokenDraft {
  id: string;
  draft: ConnectionDraft;
  token: string | null;
  previous: Connection | null;
  /** Origin of the address in the draft. */
  origin: string;
}

/** Plans the change of the stored token when a draft is saved, with the token's new hint. Has no side effects. */
async function planToken(
  { keychain, vault, clock }: ConnectionServiceDeps,
  { id, draft, token, previous, origin }: TokenDraft,
): Promise<{ changes: SecretChange[]; hint: Connection['tokenHint'] }> {
  const isMoved = previous !== null && previous.tokenStorage !== draft.tokenStorage;
  const wasInKeychain = previous?.tokenStorage === 'keychain';
  let value = token;
  // A token that was not typed moves only to the same origin; `checkDraft` has rejected everything else.
  if (value === null && isMoved)
    value =
      vault.get(id, origin) ?? (wasInKeychain ? tokenIn(await keychain.read(id), origin, previous) : null);
  const leaving: SecretChange = {
    key: id,
    value: null,
    purpose: '',
    isInKeychain: true,
    isHeld: value !== null,
  };
  // A keychain entry for another address is kept, because another data folder may use it.
  const changes = isMoved && wasInKeychain && value !== null ? [leaving] : [];
  if (value === null) return { changes, hint: isMoved ? null : (previous?.tokenHint ?? null) };
  const isInKeychain = draft.tokenStorage === 'keychain';
  const hint = { lastFour: value.length > 8 ? value.slice(-4) : '', savedAtMs: clock.nowMs() };
  const entry = isInKeychain ? { entry: entryOf(hint) } : {};
  return { changes: [{ key: id, value, purpose: origin, isInKeychain, ...entry }, ...changes], hint };
}

interface WholeSave {
  connection: Connection;
  previous: Connection | null;
  changes: readonly SecretChange[];
}

/** Saves a connection and its secrets, or restores everything and throws. The memory is changed last. */
async function saveWhole(
  { store, keychain, vault, paths }: ConnectionServiceDeps,
  { connection, previous, changes }: WholeSave,
): Promise<void> {
  const putBack = () => {
    if (previous === null) store.removeConnection(connection.id);
    else store.saveConnection(previous);
  };
  // Between the two writes the row has no token, so that neither a kill nor another process can combine a token with
  // another address.
  const isElsewhere =
    previous !== null && new URL(previous.baseUrl).origin !== new URL(connection.baseUrl).origin;
  if (previous !== null && previous.kind === 'service' && previous.baseUrl !== connection.baseUrl)
    await keepFormerAddress(paths, previous.id, previous.baseUrl);
  if (isElsewhere) {
    // Removes the copy with the old address from the connection's folder, because lost rows are restored from it.
    await whenFreeLater(() => rm(paths.connectionFile(connection.id), { force: true }));
    store.saveConnection({ ...connection, tokenHint: null });
  }
  let restore: (() => Promise<void>) | null = null;
  try {
    restore = await changeKeychain(keychain, changes);
    store.saveConnection(connection);
  } catch (thrown) {
    await restore?.();
    if (isElsewhere || restore !== null) putBack();
    throw thrown;
  }
  changeVault(vault, changes);
}
