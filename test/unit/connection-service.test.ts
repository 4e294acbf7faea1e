/** Saved connections with a real store on disk and a fake keychain. The e2e tests use the real keychain. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createConnectionService } from '../../electron/connections/connection-service.ts';
import { entryText } from '../../electron/connections/keychain-entry.ts';
import { TokenVault, tokenId } from '../../electron/connections/token-vault.ts';
import { type AppStore, openAppStore } from '../../electron/db/app-store.ts';
import { createAgents } from '../../electron/engine/agents.ts';
import type { Keychain } from '../../electron/platform/keychain.ts';
import { createFileLogger, type FileLogger } from '../../electron/platform/logger.ts';
import { type DataPaths, dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ConnectionDraft } from '../../electron/shared/model.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';

const TOKEN = 'fid_abcdefghijklmnop_7Q2x';
const DRAFT: ConnectionDraft = {
  id: null,
  name: 'Staging',
  baseUrl: 'monitoring.example.com/v3/',
  colour: 'teal',
  isReadOnly: false,
  allowsPlainHttp: false,
  proxyUrl: null,
  extraCaFile: null,
  tokenStorage: 'keychain',
};

let folder: ReturnType<typeof temporaryFolder>;
let paths: DataPaths;
let store: AppStore;
let logger: FileLogger;
let kept: Map<string, string>;
let isBroken = false;
/** Number of lists of connections that were announced. */
let changes = 0;
/** Called while the keychain is read, to act like another process. */
let duringRead: () => Promise<unknown> = () => Promise.resolve();

function keychain(): Keychain {
  const answer = <T>(value: T) =>
    isBroken ? Promise.reject(new AppError('KEYCHAIN_FAILED', 'no Secret Service')) : Promise.resolve(value);
  return {
    status: () => answer({ isAvailable: true, backend: 'stand-in', reason: '' }),
    read: async (id) => {
      const run = duringRead;
      duringRead = () => Promise.resolve();
      await run();
      return answer(kept.get(id) ?? null);
    },
    write: (id, token) => answer(undefined).then(() => void kept.set(id, token)),
    remove: (id) => answer(undefined).then(() => void kept.delete(id)),
    isBusy: () => false,
    isWaiting: () => false,
    onWaiting: () => undefined,
  };
}

function service() {
  return createConnectionService({
    store,
    keychain: keychain(),
    vault: new TokenVault(logger.redact),
    paths,
    clock: systemClock,
    random: systemRandom,
    parseBaseUrl,
    whileClosed: (_id, work) => work(),
    onTokenKnown: () => undefined,
    onRelabelled: () => undefined,
    onForgotten: () => undefined,
    clearLogs: () => logger.clear(),
    forgetAgents: (id) => createAgents(paths, systemClock, () => []).forget(id),
    removeCopies: () => Promise.resolve(),
    isSampleRunning: () => false,
    updating: () => [],
    onChanged: () => {
      changes += 1;
    },
  });
}

beforeEach(() => {
  folder = temporaryFolder('connections');
  paths = dataPaths(folder.path);
  logger = createFileLogger(paths.logsDir, systemClock);
  store = openAppStore({ file: paths.appDb, clock: systemClock, logger });
  kept = new Map();
  isBroken = false;
  duringRead = () => Promise.resolve();
});

afterEach(() => {
  store.close();
  logger.flushSync();
  folder.remove();
});

/** The contents of all files below the data folder. */
function allBytes(): string {
  return readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

test('a saved token is in the keychain and nowhere in the data folder; only its last four characters are known', async () => {
  const connection = await service().save(DRAFT, TOKEN);
  expect(connection.baseUrl).toBe('https://monitoring.example.com');
  expect(connection.tokenHint?.lastFour).toBe('7Q2x');
  expect(kept.get(connection.id)).toBe(entryText(connection.baseUrl, TOKEN));
  expect(JSON.stringify(service().list())).not.toContain(TOKEN);
  expect(allBytes()).not.toContain(TOKEN);
  expect(allBytes()).not.toContain(tokenId(TOKEN));
});

test('after a restart the token comes from the keychain; a session-only token is gone', async () => {
  const stored = await service().save(DRAFT, TOKEN);
  const inMemory = await service().save({ ...DRAFT, tokenStorage: 'memory' }, 'another-token-1234');
  const restarted = service();
  expect(await restarted.token(stored)).toBe(TOKEN);
  expect(await restarted.token(inMemory)).toBeNull();
  expect(kept.size).toBe(1);
});

test('a move while the clock was ahead counts as one of now, after a restart and while in use', async () => {
  const saved = await service().save(DRAFT, TOKEN);
  const aheadMs = Date.now() + 3_600_000;
  const moveAhead = () =>
    store.saveConnection({ ...saved, movedFrom: { baseUrl: 'https://former.example.com', atMs: aheadMs } });
  moveAhead();
  const restarted = service();
  expect(restarted.list().connections[0]?.movedFrom?.atMs).toBeLessThan(aheadMs);
  moveAhead();
  changes = 0;
  expect(restarted.get(saved.id).movedFrom?.atMs).toBeLessThan(aheadMs);
  restarted.get(saved.id);
  expect(changes).toBe(1);
});

test('a failing keychain leaves no half-saved connection', async () => {
  isBroken = true;
  await expect(service().save(DRAFT, TOKEN)).rejects.toThrowError(/Secret Service/);
  expect(service().list().connections).toEqual([]);
});

test('moving to "this session only" removes the token from the keychain, and moving back stores it', async () => {
  const connections = service();
  const saved = await connections.save(DRAFT, TOKEN);
  const moved = await connections.save({ ...DRAFT, id: saved.id, tokenStorage: 'memory' }, null);
  expect(kept.size).toBe(0);
  expect(await connections.token(saved)).toBe(TOKEN);
  expect(moved.tokenHint?.lastFour).toBe('7Q2x');
  await connections.save({ ...DRAFT, id: saved.id }, null);
  expect(kept.get(saved.id)).toBe(entryText(saved.baseUrl, TOKEN));
});

test('replacing the token replaces it everywhere; renaming the connection keeps it', async () => {
  const connections = service();
  const saved = await connections.save(DRAFT, TOKEN);
  await connections.save({ ...DRAFT, id: saved.id, name: 'Production' }, null);
  expect(await connections.token(saved)).toBe(TOKEN);
  await connections.save({ ...DRAFT, id: saved.id }, 'replacement-token-9999');
  expect(kept.get(saved.id)).toBe(entryText(saved.baseUrl, 'replacement-token-9999'));
  expect(await connections.token(saved)).toBe('replacement-token-9999');
});

test('a token that another process has replaced is read from the keychain again, and one of this process is not', async () => {
  const [own, other] = [service(), service()];
  const saved = await own.save(DRAFT, TOKEN);
  expect(await other.token(saved)).toBe(TOKEN);
  const renewed = `${TOKEN.slice(0, -4)}9k3z`;
  await own.save({ ...DRAFT, id: saved.id }, renewed);
  expect(await other.token(saved)).toBe(renewed);
  expect(other.heldToken(saved)).toBe(renewed);
  // Asked once more, the keychain need not answer.
  isBroken = true;
  expect(await other.token(saved)).toBe(renewed);
  isBroken = false;
  other.holdToken(saved.id, TOKEN);
  await own.save({ ...DRAFT, id: saved.id }, `${TOKEN}x`);
  expect(await other.token(saved)).toBe(TOKEN);
});

test('a token that is held needs neither the store nor an unlocked keychain', async () => {
  const [own, other] = [service(), service()];
  const saved = await own.save(DRAFT, TOKEN);
  expect(await other.token(saved)).toBe(TOKEN);
  const all = vi.spyOn(store, 'listConnections');
  expect(await other.token(saved)).toBe(TOKEN);
  expect(all).not.toHaveBeenCalled();
  const busy = () => {
    throw new AppError('STORE_FAILED', 'database is locked');
  };
  all.mockImplementation(busy);
  const one = vi.spyOn(store, 'findConnection').mockImplementation(busy);
  expect(await other.token(saved)).toBe(TOKEN);
  all.mockRestore();
  one.mockRestore();
  await own.save({ ...DRAFT, id: saved.id }, `${TOKEN.slice(0, -4)}9k3z`);
  isBroken = true;
  expect(await other.token(saved)).toBe(TOKEN);
  isBroken = false;
  expect(await other.token(saved)).toBe(`${TOKEN.slice(0, -4)}9k3z`);
});

test('removing a connection leaves no byte of token, rows or logs', async () => {
  const connections = service();
  const saved = await connections.save(DRAFT, TOKEN);
  const other = await connections.save({ ...DRAFT, name: 'Other' }, 'other-token-12345678');
  await connections.activate(saved.id);
  for (const connection of [saved, other]) {
    mkdirSync(paths.connectionDir(connection.id), { recursive: true });
    writeFileSync(paths.libraryDb(connection.id), `cached row of ${connection.name}`);
  }
  logger.info('opened', { host: 'monitoring.example.com' });
  logger.flushSync();
  const { removed } = await connections.forget(saved.id);
  expect(removed).toEqual([
    'token in the keychain',
    'stored pages, uploads and receipts',
    'readable copies of its files',
    'logs',
  ]);
  expect(kept.has(saved.id)).toBe(false);
  expect(existsSync(paths.connectionDir(saved.id))).toBe(false);
  expect(allBytes()).not.toContain('cached row of Staging');
  expect(allBytes()).not.toContain('Staging');
  // The active connection was deleted, so another one becomes active.
  expect(connections.list()).toMatchObject({ connections: [{ name: 'Other' }], activeId: other.id });
  expect(allBytes()).toContain('cached row of Other');
});

test('plain http beyond this computer must be allowed for the connection', async () => {
  const insecure = { ...DRAFT, baseUrl: 'http://monitoring.example.com' };
  await expect(service().save(insecure, TOKEN)).rejects.toMatchObject({ code: 'INSECURE_URL' });
  expect(kept.size).toBe(0);
  const allowed = await service().save({ ...insecure, allowsPlainHttp: true }, TOKEN);
  expect(allowed.baseUrl).toBe('http://monitoring.example.com');
});

test('a stored token is only sent to the origin it was entered for', async () => {
  const connections = service();
  const { id } = await connections.save(DRAFT, TOKEN);
  const elsewhere = { ...DRAFT, id, baseUrl: 'https://elsewhere.example.com' };
  for (const draft of [
    elsewhere,
    { ...DRAFT, id, baseUrl: 'https://monitoring.example.com:8443' },
    { ...DRAFT, id, baseUrl: 'http://monitoring.example.com', allowsPlainHttp: true },
    { ...DRAFT, id, extraCaFile: '/tmp/other-authority.pem' },
  ]) {
    await expect(connections.save(draft, null)).rejects.toMatchObject({ code: 'NO_TOKEN' });
    await expect(connections.tokenFor(draft, null)).rejects.toMatchObject({ code: 'NO_TOKEN' });
  }
  expect(connections.get(id).baseUrl).toBe('https://monitoring.example.com');
  const samePlace = { ...DRAFT, id, baseUrl: 'https://monitoring.example.com/base', name: 'Renamed' };
  expect(await connections.tokenFor(samePlace, null)).toBe(TOKEN);
  await connections.save(samePlace, null);
  await connections.save(elsewhere, 'entered-again-5555');
  expect(kept.get(id)).toBe(entryText('https://elsewhere.example.com', 'entered-again-5555'));
});

describe('a keychain entry names the address it was entered for', () => {
  const ELSEWHERE = { ...DRAFT, baseUrl: 'https://elsewhere.example.com' };

  test('the token of a new address is not used for an older one that a backup brought back', async () => {
    const before = await service().save(DRAFT, TOKEN);
    await service().save({ ...ELSEWHERE, id: before.id }, 'token-of-elsewhere-5555');
    store.saveConnection(before);
    expect(await service().token(before)).toBeNull();
    expect(await service().tokenFor({ ...DRAFT, id: before.id }, null)).toBeNull();
  });

  test('a test that waits for the keychain does not get the token that another process saves for another address', async () => {
    const { id } = await service().save(DRAFT, TOKEN);
    duringRead = () => service().save({ ...ELSEWHERE, id }, 'token-of-elsewhere-5555');
    await expect(service().tokenFor({ ...DRAFT, id }, null)).rejects.toMatchObject({ code: 'NO_TOKEN' });
  });

  test('an entry of an earlier version is used if its last characters are those that were saved', async () => {
    const saved = await service().save(DRAFT, TOKEN);
    kept.set(saved.id, TOKEN);
    expect(await service().token(saved)).toBe(TOKEN);
    kept.set(saved.id, 'token-of-elsewhere-5555');
    expect(await service().token(saved)).toBeNull();
    const moved = await service().save({ ...DRAFT, id: saved.id, tokenStorage: 'memory' }, null);
    expect(moved.tokenHint).toBeNull();
    expect(kept.get(saved.id)).toBe('token-of-elsewhere-5555');
    await service().save({ ...DRAFT, id: saved.id }, TOKEN);
    kept.set(saved.id, '{"for": a token that looks like it 7Q2x');
    expect(await service().token(saved)).toBe('{"for": a token that looks like it 7Q2x');
  });
});

test('a forgotten connection is closed to agents, and their reads of it are gone', async () => {
  const saved = await service().save(DRAFT, TOKEN);
  const other = await service().save({ ...DRAFT, name: 'Other' }, 'another-token-1234');
  const agents = createAgents(paths, systemClock, () => []);
  for (const { id } of [saved, other]) {
    agents.open(id);
    const read = { agent: 'a', tool: 'list', question: `of ${id}`, bytes: 1, error: null };
    agents.log.add({ ...read, atMs: 1, connectionId: id });
  }
  await service().forget(saved.id);
  expect(agents.state(10)).toMatchObject({
    open: [{ connectionId: other.id }],
    reads: [{ connectionId: other.id }],
    unreadable: 0,
  });
  expect(allBytes()).not.toContain(`of ${saved.id}`);
});

test('a removal that a kill interrupted is completed, unless the connection was used again', async () => {
  const saved = await service().save(DRAFT, TOKEN);
  const used = await service().save({ ...DRAFT, name: 'Used' }, 'another-token-1234');
  for (const { id } of [saved, used])
    mkdirSync(join(paths.connectionsDir, `${id}.forgetting`), { recursive: true });
  await service().keep(used.id);
  await service().finishForgetting();
  expect(service().list().connections).toEqual([used]);
  expect(readdirSync(paths.connectionsDir).filter((name) => name.endsWith('.forgetting'))).toEqual([]);
});

test('a token that was also typed into another field is not saved there', async () => {
  for (const draft of [
    { ...DRAFT, name: `Staging ${TOKEN}` },
    { ...DRAFT, baseUrl: `https://monitoring.example.com/${TOKEN}` },
  ]) {
    await expect(service().save(draft, TOKEN)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(service().save(draft, TOKEN)).rejects.not.toThrowError(TOKEN);
  }
  expect(kept.size).toBe(0);
  expect(allBytes()).not.toContain(TOKEN);
});

test('if the keychain does not answer, removing deletes everything else and can be retried', async () => {
  const connections = service();
  const { id } = await connections.save(DRAFT, TOKEN);
  mkdirSync(paths.connectionDir(id), { recursive: true });
  isBroken = true;
  await expect(connections.forget(id)).rejects.toMatchObject({
    code: 'KEYCHAIN_FAILED',
    message: expect.stringContaining('token is still in the keychain'),
  });
  expect(existsSync(paths.connectionDir(id))).toBe(false);
  expect(connections.get(id).name).toBe('Staging');
  isBroken = false;
  await connections.forget(id);
  expect(kept.size).toBe(0);
  expect(connections.list().connections).toEqual([]);
});

test('a connection that is being removed is missing for every concurrent caller', async () => {
  const connections = service();
  const { id } = await connections.save(DRAFT, TOKEN);
  const forgetting = connections.forget(id);
  expect(() => connections.get(id)).toThrowError(/no longer exists/);
  await forgetting;
});

describe('the password of a proxy and the passphrase of a certificate', () => {
  const NETWORK = {
    ...DRAFT,
    proxyUrl: 'http://proxy:3128',
    proxyUser: 'mara',
    clientCertFile: '/home/mara/mara.p12',
  };
  const SECRETS = { proxy: 'pass word', certificate: 'phrase of mine' };
  const secretsOf = async (id: string, connections = service()) => [
    await connections.secret(connections.get(id), 'proxy'),
    await connections.secret(connections.get(id), 'certificate'),
  ];

  test('are in the keychain and in no file, are restored after a restart, and are removed with the connection', async () => {
    const saved = await service().save(NETWORK, TOKEN, { secrets: SECRETS });
    expect(saved).toMatchObject({ proxyUser: 'mara', keptSecrets: ['proxy', 'certificate'] });
    for (const secret of Object.values(SECRETS)) expect(allBytes()).not.toContain(secret);
    expect(await secretsOf(saved.id)).toEqual(['pass word', 'phrase of mine']);
    const { removed } = await service().forget(saved.id);
    expect(removed).toEqual([
      'token in the keychain',
      'password of the proxy',
      'passphrase of the client certificate',
      'stored pages, uploads and receipts',
      'readable copies of its files',
      'logs',
    ]);
    expect(kept.size).toBe(0);
  });

  test('are kept if nothing is typed, and only for the proxy and the file they were entered for', async () => {
    const connections = service();
    const { id } = await connections.save(NETWORK, TOKEN, { secrets: SECRETS });
    await connections.save({ ...NETWORK, id, name: 'Renamed' }, null);
    expect(await secretsOf(id)).toEqual(['pass word', 'phrase of mine']);
    const elsewhere = { ...NETWORK, id, proxyUrl: 'http://other:3128' };
    expect(await connections.secretFor(elsewhere, {}, 'proxy')).toBeNull();
    expect(await connections.secretFor(elsewhere, { proxy: 'typed' }, 'proxy')).toBe('typed');
    expect(await connections.save(elsewhere, null)).toMatchObject({ keptSecrets: ['certificate'] });
    expect(await secretsOf(id, connections)).toEqual([null, 'phrase of mine']);
    const { clientCertFile: _, ...without } = elsewhere;
    expect(await connections.save(without, null)).not.toHaveProperty('keptSecrets');
    expect([...kept.keys()]).toEqual([id]);
    expect(await secretsOf(id, connections)).toEqual([null, null]);
  });

  test('are moved with the token, out of the keychain and back', async () => {
    const connections = service();
    const { id } = await connections.save(NETWORK, TOKEN, { secrets: SECRETS });
    await connections.save({ ...NETWORK, id, tokenStorage: 'memory' }, null);
    expect(kept.size).toBe(0);
    expect(await secretsOf(id, connections)).toEqual(['pass word', 'phrase of mine']);
    // The other process never had the secrets.
    expect(await secretsOf(id)).toEqual([null, null]);
    await connections.save({ ...NETWORK, id }, null);
    expect(await secretsOf(id)).toEqual(['pass word', 'phrase of mine']);
  });

  test.each([
    ['of this version', (text: string) => text],
    ['of an earlier version', (text: string) => String(JSON.parse(text).secret)],
  ])(
    'an entry %s that another process saves for another proxy meanwhile is not used for the former one',
    async (_, form) => {
      const saved = await service().save(NETWORK, TOKEN, { secrets: SECRETS });
      const entry = `${saved.id} proxy`;
      duringRead = async () => {
        const other = { ...NETWORK, id: saved.id, proxyUrl: 'http://other:3128' };
        await service().save(other, null, { secrets: { proxy: 'of the other' } });
        kept.set(entry, form(kept.get(entry) ?? ''));
      };
      expect(await service().secret(saved, 'proxy')).toBeNull();
    },
  );

  test('a failing keychain leaves no connection that claims to have them', async () => {
    isBroken = true;
    const memory = { ...NETWORK, tokenStorage: 'keychain' as const };
    await expect(service().save(memory, TOKEN, { secrets: SECRETS })).rejects.toMatchObject({
      code: 'KEYCHAIN_FAILED',
    });
    expect(service().list().connections).toEqual([]);
  });
});
