import { performance } from 'node:perf_hooks';
import type { Clock, Random } from '../core/ports.ts';

const MAX_TIMER_MS = 2 ** 31 - 1;

/** The real clock; tests pass a virtual one. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

export const realRandom: Random = { next: () => Math.random(), uuid: () => crypto.randomUUID() };
