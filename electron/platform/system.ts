import type { Clock, Random } from '../core/ports.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The real clock; no other file outside tests reads the time. */
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

/** Country of the formats that the system is set to, as two letters of ISO 3166; empty if it names none. */
export const systemCountry = (): string =>
  new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale).region ?? '';
