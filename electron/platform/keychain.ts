import { AppError } from '../shared/errors.ts';
import type { KeychainStatus } from '../shared/model.ts';
import { DEFAULT_SETTINGS } from '../shared/settings.ts';
import { systemClock } from './system.ts';

/** The storage of tokens between runs. No other part of the program reads or writes stored tokens. */
export interface Keychain {
  /** The keychain's status, asked from the system each time, because a desktop session may begin or end. */
  status(): Promise<KeychainStatus>;
  read(connectionId: string): Promise<string | null>;
  write(connectionId: string, token: string): Promise<void>;
  remove(connectionId: string): Promise<void>;
  /** Whether a call is running. A call that hangs keeps the process from ending. */
  isBusy(): boolean;
  /** Whether a call takes so long that the system is probably asking for permission. */
  isWaiting(): boolean;
  /** Calls `listener` whenever `isWaiting` changes. */
  onWaiting(listener: () => void): void;
}

const SERVICE = 'Spandeck';
const PROBE_ACCOUNT = 'availability probe';
/**
 * Maximum wait for a call. The system may be asking a person for permission or a password, and people need time to
 * read, think and type.
 */
const answerWithin = () => DEFAULT_SETTINGS.keychainWaitMs;
/** Time after which a call counts as waiting; a keychain without a dialog answers much sooner. */
const WAITING_AFTER_MS = 1_000;

const BACKENDS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'macOS Keychain',
  win32: 'Windows Credential Manager',
};

export type Keytar = Pick<typeof import('keytar'), 'getPassword' | 'setPassword' | 'deletePassword'>;

const loadKeytar = (): Promise<Keytar> => import('keytar').then((module) => module.default ?? module);

/**
 * The keychain of the system through keytar, which is loaded at the first use: on Linux it needs libsecret, and the
 * application must also start without it.
 */
export function createKeychain(
  platform: NodeJS.Platform,
  load: () => Promise<Keytar> = loadKeytar,
  waitMs: () => number = answerWithin,
): Keychain {
  let loading: Promise<Keytar> | null = null;
  const keytar = () => {
    loading ??= load();
    return loading;
  };
  let last: Promise<unknown> = Promise.resolve();
  let isBusy = false;
  const waits = createWaits();
  /**
   * Runs one call at a time, because a keychain that waits to be unlocked occupies a thread of the small pool that is
   * also needed for files and host names. A call that timed out in the queue is not started.
   */
  const use = async <T>(action: (library: Keytar) => Promise<T>): Promise<T> => {
    let isWanted = true;
    const work = last.then(async () => {
      if (!isWanted) throw lateError(waitMs());
      isBusy = true;
      try {
        return await action(await keytar());
      } finally {
        isBusy = false;
      }
    });
    last = work.catch(() => undefined);
    try {
      return await waits.during(withinTime(work, waitMs()));
    } catch (thrown) {
      isWanted = false;
      if (thrown instanceof AppError) throw thrown;
      throw new AppError('KEYCHAIN_FAILED', explain(platform, thrown), {}, thrown);
    }
  };
  return {
    status: async () => {
      const backend = BACKENDS[platform] ?? 'Secret Service';
      try {
        await use((library) => library.getPassword(SERVICE, PROBE_ACCOUNT));
        return { isAvailable: true, backend, reason: '' };
      } catch (thrown) {
        return { isAvailable: false, backend: 'none', reason: thrown instanceof Error ? thrown.message : '' };
      }
    },
    read: (connectionId) => use((library) => library.getPassword(SERVICE, connectionId)),
    write: (connectionId, token) =>
      use(async (library) => {
        await library.setPassword(SERVICE, connectionId, token);
        // Checks the stored token, because some keychains drop it without an error, and it would be lost at the next
        // start.
        if ((await library.getPassword(SERVICE, connectionId)) !== token) {
          throw new AppError(
            'KEYCHAIN_FAILED',
            'The keychain accepted the token but does not return it. Choose "this session only", or unlock the keychain and save again.',
          );
        }
      }),
    remove: (connectionId) =>
      use(async (library) => {
        await library.deletePassword(SERVICE, connectionId);
      }),
    isBusy: () => isBusy,
    isWaiting: waits.isAny,
    onWaiting: waits.onChange,
  };
}

function explain(platform: NodeJS.Platform, thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const what =
    platform === 'linux'
      ? 'A running Secret Service (GNOME Keyring or KWallet) and libsecret-1-0 were expected.'
      : 'The keychain of the operating system was expected to answer.';
  return `${what} It said: ${(text.split('\n')[0] ?? text).replace(/\.$/, '')}. Until then a token can be kept for this session only.`;
}

function lateError(waitMs: number): AppError {
  return new AppError(
    'KEYCHAIN_UNAVAILABLE',
    `The keychain did not answer within ${waitMs / 1_000} s; it may be waiting to be unlocked. Unlock it and try again, or choose "this session only".`,
  );
}

/** Tracks whether a call takes longer than a keychain without a dialog needs. */
function createWaits() {
  let count = 0;
  const listeners = new Set<() => void>();
  const change = (by: 1 | -1) => {
    const wasAny = count > 0;
    count += by;
    if (count > 0 !== wasAny) for (const listener of listeners) listener();
  };
  return {
    isAny: () => count > 0,
    onChange: (listener: () => void) => void listeners.add(listener),
    during: async <T>(work: Promise<T>): Promise<T> => {
      let isLong = false;
      const cancel = systemClock.setTimer(() => {
        isLong = true;
        change(1);
      }, WAITING_AFTER_MS);
      try {
        return await work;
      } finally {
        cancel();
        if (isLong) change(-1);
      }
    },
  };
}

async function withinTime<T>(work: Promise<T>, waitMs: number): Promise<T> {
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = systemClock.setTimer(() => reject(lateError(waitMs)), waitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
}

/**
 * Kills the process at its end if a call is still running: Node would wait for native calls, and a hanging keychain
 * could take minutes, with the data folder locked. Everything is written by then. Does nothing if the exit code means
 * success, unless `isAlways`.
 */
export function endInSpiteOf(keychain: Keychain, isAlways: boolean): void {
  process.on('exit', (code) => {
    if (keychain.isBusy() && (isAlways || code !== 0)) process.kill(process.pid, 'SIGKILL');
  });
}
