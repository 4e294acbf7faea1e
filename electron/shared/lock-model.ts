/** The lock of the window, as both processes know it. It keeps people from looking; what is stored is not encrypted by it. */
import { z } from 'zod';
import type { InvokeChannel } from './channels.ts';

/** Short enough for a number that is typed often: who guesses is made to wait. */
export const LEAST_LOCK_PASSPHRASE = 4;

/** Never logged, never stored. */
const passphrase = z.string().min(1).max(1_000);

export interface LockState {
  /** A passphrase was set. */
  isSet: boolean;
  isLocked: boolean;
  /** What the system can ask instead of the passphrase, e.g. Touch ID; null for nothing. */
  system: string | null;
  /** Why no passphrase opens it, and what does; null where one does. */
  problem: string | null;
}

export const lockContract = {
  'lock:act': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('look') }),
    /** `current` where one is set already. */
    z.strictObject({
      action: z.literal('set'),
      passphrase: passphrase.min(LEAST_LOCK_PASSPHRASE),
      current: passphrase.nullable(),
    }),
    z.strictObject({ action: z.literal('remove'), current: passphrase }),
    /** Whatever is to be kept was sent before. */
    z.strictObject({ action: z.literal('lock') }),
    z.strictObject({ action: z.literal('open'), passphrase }),
    z.strictObject({ action: z.literal('open-by-system') }),
    /** A person typed, pressed or scrolled. */
    z.strictObject({ action: z.literal('active') }),
  ]),
} as const;

export interface LockAnswers {
  look: LockState;
  set: LockState;
  remove: LockState;
  lock: LockState;
  open: LockState;
  'open-by-system': LockState;
  active: null;
}

/** What a locked window may still ask: to be opened. Parts of long messages hold records: not those. */
export const OPEN_WHILE_LOCKED: ReadonlySet<InvokeChannel> = new Set([
  'lock:act',
  'app:get-info',
  'app:report-ready',
] as const);
