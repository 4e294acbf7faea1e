/** The window's lock and its passphrase. Only a key derived from the passphrase is stored, never the passphrase. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock, Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import type { LockState } from '../shared/lock-model.ts';
import * as z from '../shared/zod.ts';
import type { SystemUnlock } from './runtime-parts.ts';

const KEY_BYTES = 32;
/** Cost of the derivation: about 60 ms and 32 MB for each guess. */
const COST = { N: 32_768, r: 8, p: 1 };
const MEMORY = 256 * COST.N * COST.r;
/** Failed attempts allowed before backoff starts. */
const FREE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 60_000;

const sealed = z.strictObject({
  version: z.literal(1),
  salt: z.base64().min(16).max(200),
  key: z.base64().min(40).max(200),
});
type Sealed = z.infer<typeof sealed>;

export interface AppLock {
  state(): LockState;
  isLocked(): boolean;
  /** Sets or changes the passphrase. Throws PASSPHRASE_WRONG if `current` is not the present passphrase. */
  set(passphrase: string, current: string | null): Promise<void>;
  remove(current: string): Promise<void>;
  /** Locks the window; does nothing if no passphrase is set. */
  lock(): void;
  /**
   * Unlocks the window. Throws PASSPHRASE_WRONG; after several wrong attempts throws LOCKED for some time, without a
   * check.
   */
  open(passphrase: string): Promise<void>;
  /** Unlocks the window by the system. Throws LOCKED if the system did not recognize the person, or cannot ask. */
  openBySystem(): Promise<void>;
}

interface AppLockDeps {
  /** File with the derived key. Removing this file removes the lock, which does not protect the data in the folder. */
  file: string;
  clock: Clock;
  logger: Logger;
  system: SystemUnlock | null;
}

/** Creates the lock, which is locked from the start if a passphrase is set. */
export function createAppLock({ file, clock, logger, system }: AppLockDeps): AppLock {
  let { kept, problem } = readKept(file);
  let isLocked = kept !== null || problem !== null;
  let failures = 0;
  let nextAttemptMs = Number.NEGATIVE_INFINITY;
  let attempt: Promise<unknown> = Promise.resolve();

  const check = async (passphrase: string): Promise<void> => {
    if (problem !== null) throw new AppError('LOCKED', problem);
    if (kept === null) return;
    const waitMs = nextAttemptMs - clock.monotonicMs();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      throw new AppError('LOCKED', `Several passphrases were wrong. Try again in ${seconds} s.`);
    }
    if (await isRight(kept, passphrase)) {
      failures = 0;
      return;
    }
    failures += 1;
    const over = failures - FREE_ATTEMPTS;
    if (over > 0) {
      nextAttemptMs = clock.monotonicMs() + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (over - 1));
    }
    logger.warn('wrong passphrase of the lock', { failures });
    throw new AppError('PASSPHRASE_WRONG', 'Wrong passphrase. Try again.');
  };
  /**
   * Checks one attempt at a time, because parallel attempts would all be checked before the first one counts as failed.
   */
  const checked = (passphrase: string): Promise<void> => {
    const work = attempt.then(() => check(passphrase));
    attempt = work.catch(() => undefined);
    return work;
  };

  return {
    isLocked: () => isLocked,
    state: () => ({
      isSet: kept !== null || problem !== null,
      isLocked,
      system: system?.name ?? null,
      problem,
    }),
    set: async (passphrase, current) => {
      await checked(current ?? '');
      const next = await seal(passphrase);
      writeFileSync(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
      whenFree(() => renameSync(`${file}.new`, file));
      kept = next;
    },
    remove: async (current) => {
      await checked(current);
      whenFree(() => rmSync(file, { force: true }));
      kept = null;
    },
    lock: () => {
      if (kept !== null) isLocked = true;
    },
    open: async (passphrase) => {
      await checked(passphrase);
      isLocked = false;
    },
    openBySystem: async () => {
      const isKnown = system !== null && problem === null && (await system.ask());
      if (!isKnown)
        throw new AppError('LOCKED', 'The system did not confirm who you are. Enter the passphrase.');
      failures = 0;
      isLocked = false;
    },
  };
}

function derive(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, { ...COST, maxmem: MEMORY }, (problem, key) =>
      problem === null ? resolve(key) : reject(problem),
    );
  });
}

async function seal(passphrase: string): Promise<Sealed> {
  const salt = randomBytes(16);
  const key = await derive(passphrase, salt);
  return { version: 1, salt: salt.toString('base64'), key: key.toString('base64') };
}

async function isRight(kept: Sealed, passphrase: string): Promise<boolean> {
  const expected = Buffer.from(kept.key, 'base64');
  const given = await derive(passphrase, Buffer.from(kept.salt, 'base64'));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** A damaged file keeps the window locked, because truncating the file must not unlock the window. */
function readKept(file: string): { kept: Sealed | null; problem: string | null } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    return { kept: null, problem: isMissing ? null : damaged(file) };
  }
  try {
    return { kept: sealed.parse(JSON.parse(text)), problem: null };
  } catch {
    return { kept: null, problem: damaged(file) };
  }
}

const damaged = (file: string): string =>
  `The file of the lock cannot be read: ${file}. Quit, remove it, and set the lock again.`;
