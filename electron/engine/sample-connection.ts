/**
 * The saved connection of the sample service, which gets the same token and, if possible, the same address at each
 * start.
 */

import type { ConnectionService } from '../connections/connection-service.ts';
import { entryText } from '../connections/keychain-entry.ts';
import type { TokenVault } from '../connections/token-vault.ts';
import type { Random } from '../core/ports.ts';
import type { AppStore } from '../db/app-store.ts';
import type { Keychain } from '../platform/keychain.ts';
import type { FileLogger } from '../platform/logger.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import type { SampleWorkspace } from './sample-workspace.ts';

interface SampleConnection {
  /**
   * Starts the sample service and saves its address in the connection. It runs while the session opens, so it must not
   * wait for the session to close.
   */
  open(): Promise<Connection>;
  /** Why the sample service does not answer, if it is not running; otherwise null. */
  blockingError(): AppError | null;
  /** Resolves when no keychain access is running. */
  settled(): Promise<void>;
}

interface SampleConnectionDeps {
  sample: SampleWorkspace;
  connections: ConnectionService;
  store: AppStore;
  vault: TokenVault;
  keychain: Keychain;
  logger: FileLogger;
  random: Random;
  onChanged: () => void;
}

const DRAFT = {
  name: 'Sample workspace',
  colour: 'teal',
  isReadOnly: false,
  allowsPlainHttp: false,
  proxyUrl: null,
  extraCaFile: null,
  tokenStorage: 'memory',
} as const;

export function createSampleConnection(deps: SampleConnectionDeps): SampleConnection {
  const { sample, connections, store, vault, logger } = deps;
  let starting: Promise<Connection> | null = null;
  let keeping: Promise<void> = Promise.resolve();

  const find = () => connections.list().connections.find(({ kind }) => kind === 'sample');

  const start = async (): Promise<Connection> => {
    const saved = find();
    const known = saved === undefined ? null : await knownToken(saved, deps);
    const port = saved === undefined ? 0 : Number(new URL(saved.baseUrl).port);
    // The day's counters depend on token and address, so both stay the same if possible.
    const { baseUrl, token } = await sample.start({ port, token: known ?? `sample-${deps.random.uuid()}` });
    const connection = saved === undefined ? await add(baseUrl, token) : move(saved, baseUrl, token);
    const isKept = known === token && saved?.baseUrl === baseUrl;
    if (!isKept) keeping = keepToken(connection.id, token, new URL(baseUrl).origin);
    return connection;
  };
  const add = (baseUrl: string, token: string) =>
    connections.save({ ...DRAFT, id: null, baseUrl }, token, { kind: 'sample' });
  const move = (saved: Connection, baseUrl: string, token: string) => {
    vault.set(saved.id, token, new URL(baseUrl).origin);
    if (saved.baseUrl === baseUrl) return saved;
    const moved = { ...saved, baseUrl };
    store.saveConnection(moved);
    deps.onChanged();
    return moved;
  };
  /**
   * Not awaited, because the sample service works without a keychain too; its limits then only start at zero again at
   * the next start.
   */
  const keepToken = async (id: string, token: string, origin: string) => {
    try {
      await deps.keychain.write(id, entryText(origin, token));
      const now = find();
      if (now === undefined) await deps.keychain.remove(id);
      else {
        store.saveConnection({ ...now, tokenStorage: 'keychain', tokenHint: hintOf(token, now) });
        deps.onChanged();
      }
    } catch (thrown) {
      logger.warn('token of the sample service not kept', { reason: toAppError(thrown).message });
    }
  };

  return {
    open: () => {
      // Prevents two concurrent calls from saving the connection twice.
      starting ??= start().finally(() => {
        starting = null;
      });
      return starting;
    },
    blockingError: () => (sample.isRunning() ? null : stoppedError()),
    settled: () => keeping,
  };
}

async function knownToken(
  saved: Connection,
  { connections, logger }: SampleConnectionDeps,
): Promise<string | null> {
  try {
    return await connections.token(saved);
  } catch (thrown) {
    logger.warn('token of the sample service not read', { reason: toAppError(thrown).message });
    return null;
  }
}

function hintOf(token: string, { tokenHint, createdAtMs }: Connection): Connection['tokenHint'] {
  return { lastFour: token.slice(-4), savedAtMs: tokenHint?.savedAtMs ?? createdAtMs };
}

function stoppedError(): AppError {
  return new AppError(
    'SAMPLE_STOPPED',
    'The sample service on this computer is not running, so nothing was sent.',
    {
      outcome: 'unsent',
      nextStep: 'Start it here, or in the menu of the connection.',
    },
  );
}
