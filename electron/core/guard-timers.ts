/** Timers that nobody waits for: a failure in one is reported in one place, and never ends the application. */
import type { Clock } from './ports.ts';

/** `what`: the name of the failed work, for the log. */
export type ReportFailure = (what: string, thrown: unknown) => void;

/** The same clock, whose callbacks neither throw nor reject: `report` hears of each failure. */
export function guardTimers(clock: Clock, report: ReportFailure): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (callback, delayMs) => {
      const what = callback.name === '' ? 'timer' : callback.name;
      const guarded = () => {
        try {
          // A timer may start asynchronous work, which fails later.
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
