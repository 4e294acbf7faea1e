/**
 * Handles errors in timer callbacks, which nobody awaits: they are reported in one place and never end the application.
 */
import type { Clock } from './ports.ts';

/** `what`: a short name of the work that failed, for the log and the person. */
export type ReportFailure = (what: string, thrown: unknown) => void;

/** Wraps a clock so that its callbacks never throw or reject. Each failure is passed to `report`. */
export function guardTimers(clock: Clock, report: ReportFailure): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (callback, delayMs, what = 'background work') => {
      const guarded = () => {
        try {
          // The callback may start asynchronous work that fails later.
          const work: unknown = callback();
          if (work instanceof Promise) work.catch((thrown: unknown) => report(what, thrown));
        } catch (thrown) {
          report(what, thrown);
        }
      };
      return clock.setTimer(guarded, delayMs);
    },
  };
}
