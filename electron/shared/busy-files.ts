/**
 * Files temporarily locked by something else: on Windows a store that was just closed, a virus scanner, an indexer. The
 * error is EBUSY, EPERM or EACCES, and a little later the same call succeeds.
 */
const BUSY_CODES = new Set(['EBUSY', 'EPERM', 'EACCES']);
const MAX_TRIES = 6;
const FIRST_PAUSE_MS = 10;

/**
 * Options of Node's `rm` for a file or a whole folder, which may be missing; `rm` retries itself, but only if
 * `recursive` is set.
 */
export const WITH_RETRIES = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

const isBusy = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  typeof thrown.code === 'string' &&
  BUSY_CODES.has(thrown.code);

/** Milliseconds before the next try: 10, 20, 40, …, 310 in total. */
const pauseAfter = (failures: number): number => FIRST_PAUSE_MS * 2 ** (failures - 1);

/**
 * Retries `work`, such as a rename, until the file is free; throws its last error after six tries. Blocks the thread.
 */
export function whenFree<T>(work: () => T, pause: (ms: number) => unknown = sleep): T {
  for (let failures = 1; ; failures += 1) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || failures === MAX_TRIES) throw thrown;
      pause(pauseAfter(failures));
    }
  }
}

/**
 * Like `whenFree`, for a promise. The pauses block the thread too: they are short, and occur only while a file is
 * locked.
 */
export async function whenFreeLater<T>(
  work: () => Promise<T>,
  pause: (ms: number) => unknown = sleep,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!isBusy(thrown) || failures === MAX_TRIES) throw thrown;
      pause(pauseAfter(failures));
    }
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
