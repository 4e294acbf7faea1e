/**
 * The lock of the window, shared by both processes. It hides the window's contents from other people, but does not
 * encrypt stored data.
 */
import type { InvokeChannel } from './channels.ts';
import * as z from './zod.ts';

/** Minimum length of a passphrase, short because it is typed often; attempts are slowed down instead. */
export const MIN_LOCK_PASSPHRASE = 4;

/** Never logged, never stored. */
const passphrase = z.string().min(1).max(1_000);

export interface LockState {
  /** Whether a passphrase was set. */
  isSet: boolean;
  isLocked: boolean;
  /** The system's alternative to the passphrase, e.g. Touch ID; null if there is none. */
  system: string | null;
  /** Why no passphrase unlocks the window, and what does; null if a passphrase does. */
  problem: string | null;
}

export const lockContract = {
  'lock:act': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('look') }),
    /** `current` is required if a passphrase is set already. */
    z.strictObject({
      action: z.literal('set'),
      passphrase: passphrase.min(MIN_LOCK_PASSPHRASE),
      current: passphrase.nullable(),
    }),
    z.strictObject({ action: z.literal('remove'), current: passphrase }),
    /** Locks the window. Call it after all unsaved state was sent. */
    z.strictObject({ action: z.literal('lock') }),
    z.strictObject({ action: z.literal('open'), passphrase }),
    z.strictObject({ action: z.literal('open-by-system') }),
    /** Reports that the person typed, clicked or scrolled. */
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

/**
 * The channels that a locked window may use: those for unlocking. Parts of long messages contain records and are not
 * included.
 */
export const OPEN_WHILE_LOCKED: ReadonlySet<InvokeChannel> = new Set([
  'lock:act',
  'app:get-info',
  'app:report-ready',
] as const);
