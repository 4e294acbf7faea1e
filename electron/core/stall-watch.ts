/** Tells work that stands still from work that is slow. */
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import type { Clock } from './ports.ts';

export interface StallLimits {
  /** So long it may wait without getting further. */
  waitingMs: number;
  /** So long it may calculate without getting further: a large part of a file at once, or a loop without an end. */
  busyMs: number;
}

export const STALL_LIMITS: StallLimits = { waitingMs: 30_000, busyMs: 120_000 };

const LOOKS = 6;

export interface SignOfLife {
  /** Any number that changes when the work gets further. */
  progress: number;
  /** How long the work has waited so far, in all; the same number again while it calculates. */
  waitedMs: number;
}

interface Watched {
  clock: Clock;
  limits: StallLimits;
  look: () => SignOfLife | Promise<SignOfLife>;
  onStall: () => void;
}

/**
 * Looks again and again, and calls `onStall` once where the work gets no further for longer than a limit; returns what
 * ends the watch. Looks are counted, not time: while this computer sleeps or is held up, nothing is taken for a stall.
 */
export function watchForStall({ clock, limits, look, onStall }: Watched): () => void {
  const everyMs = limits.waitingMs / LOOKS;
  const mostLooks = Math.ceil(limits.busyMs / everyMs);
  let isEnded = false;
  let last: SignOfLife | null = null;
  let waits = 0;
  let looks = 0;
  const lookAgain = async (): Promise<void> => {
    const now = await look();
    if (isEnded) return;
    if (last === null || now.progress !== last.progress) {
      waits = 0;
      looks = 0;
    } else {
      looks += 1;
      if (now.waitedMs - last.waitedMs > everyMs / 2) waits += 1;
    }
    last = now;
    if (waits >= LOOKS || looks >= mostLooks) onStall();
    else cancel = clock.setTimer(lookAgain, everyMs);
  };
  let cancel = clock.setTimer(lookAgain, 0);
  return () => {
    isEnded = true;
    cancel();
  };
}

/** `at`: how far the file was read, null where nobody knows; `cause`: where the reading ended by itself. */
export function stalledError(
  name: string,
  at: { byte: number; sizeBytes: number } | null,
  cause?: unknown,
): AppError {
  const place =
    at === null
      ? ''
      : ` at about byte ${numberText(Math.min(at.byte, at.sizeBytes))} of ${numberText(at.sizeBytes)}`;
  const got = cause === undefined ? `got no further${place} and was ended` : `broke off${place}`;
  return new AppError(
    'FILE_MALFORMED',
    `Expected all rows of ${name}, but the reading ${got}. The file is damaged, or its disk does not answer: export it again, or as CSV, then choose it again.`,
    { file: name },
    cause,
  );
}
