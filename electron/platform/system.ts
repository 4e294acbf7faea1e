import type { Clock, Random } from '../core/ports.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The real clock. No other file reads the time, except in tests. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};

/** The country whose formats the system uses, as two letters of ISO 3166; empty if the system names none. */
export const systemCountry = (): string =>
  new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale).region ?? '';
