/** Timers whose errors nobody awaits: failures are reported in one place and never end the application. */
import type { Clock } from './ports.ts';

/** `what`: the name of the failed work, for the log. */
export type ReportFailure = (what: string, thrown: unknown) => void;

/** The same clock, but its callbacks never throw or reject: each failure is passed to `report`. */
export function guardTimers(clock: Clock, report: ReportFailure): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (callback, delayMs) => {
      const what = callback.name === '' ? 'timer' : callback.name;
      const guarded = () => {
        try {
          // A timer may start asynchronous work that fails later.
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
