/** Distinguishes work that has stopped from work that is slow. */
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import type { Clock } from './ports.ts';

export interface StallLimits {
  /** Maximum time without progress. */
  waitingMs: number;
  /**
   * Maximum computing time without progress. It is exceeded by processing a large part of a file at once, or by an
   * endless loop.
   */
  busyMs: number;
}

export const STALL_LIMITS: StallLimits = { waitingMs: 30_000, busyMs: 120_000 };

const LOOKS = 6;

export interface SignOfLife {
  /** Any number that changes whenever the work progresses. */
  progress: number;
  /** Total time that the work has spent waiting. It stays constant while the work computes. */
  waitedMs: number;
}

interface Watched {
  clock: Clock;
  limits: StallLimits;
  look: () => SignOfLife | Promise<SignOfLife>;
  onStall: () => void;
}

/**
 * Polls, and calls `onStall` once if the work makes no progress for longer than a limit. Returns a function that ends
 * the watch. Polls are counted instead of time, so that a sleeping or busy computer is not mistaken for a stall.
 */
export function watchForStall({ clock, limits, look, onStall }: Watched): () => void {
  const everyMs = limits.waitingMs / LOOKS;
  const mostLooks = Math.ceil(limits.busyMs / everyMs);
  let isEnded = false;
  let last: SignOfLife | null = null;
  let waits = 0;
  let looks = 0;
  const check = async (): Promise<void> => {
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
    else cancel = clock.setTimer(check, everyMs, 'watching a reading that gets no further');
  };
  let cancel = clock.setTimer(check, 0, 'watching a reading that gets no further');
  return () => {
    isEnded = true;
    cancel();
  };
}

/** `at`: how far the file was read; null if unknown. `cause`: the error if reading ended by itself. */
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
