/** Prints why a command waits long, on standard error, so that the terminal is not silent. */
import type { Clock } from '../core/ports.ts';
import { momentText } from '../shared/local-time.ts';
import type { LaneOverview, LaneStatus } from '../shared/traffic-model.ts';

/** Minimum wait that is reported; shorter ones are normal with rate limits. */
const LONG_MS = 20_000;
const LOOK_AFTER_MS = 1_000;

export interface LongWaits {
  /** Call it when the state of the lanes has changed. */
  changed(): void;
  stop(): void;
}

export function createLongWaits(
  clock: Clock,
  lanes: () => LaneOverview,
  note: (text: string) => void,
): LongWaits {
  /** Last reported end of a wait, by lane. */
  const said = new Map<string, number>();
  let cancel: (() => void) | null = null;
  let isStopped = false;
  const known = (): LaneStatus[] => {
    try {
      return lanes().lanes;
    } catch {
      // Ignored: if the budget file cannot be read, the requests themselves fail with the reason.
      return [];
    }
  };
  const look = () => {
    cancel = null;
    for (const lane of known()) {
      const untilMs = longWait(lane, clock.nowMs());
      if (untilMs === null || untilMs - (said.get(lane.operation) ?? 0) < LONG_MS) continue;
      said.set(lane.operation, untilMs);
      note(`${lane.operation} waits until ${momentText(untilMs, true)}. ${lane.wait.text}`);
    }
  };
  return {
    changed: () => {
      if (cancel === null && !isStopped) cancel = clock.setTimer(look, LOOK_AFTER_MS);
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

function longWait({ queued, wait }: LaneStatus, nowMs: number): number | null {
  const isLimit = wait.reason === 'retry-after' || wait.reason === 'window';
  return queued > 0 && isLimit && wait.untilMs !== null && wait.untilMs - nowMs >= LONG_MS
    ? wait.untilMs
    : null;
}
