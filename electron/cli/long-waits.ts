/** Says on standard error what a command waits for when that takes long: nobody should look at a silent terminal. */
import type { Clock } from '../core/ports.ts';
import { momentText } from '../shared/local-time.ts';
import type { LaneOverview, LaneStatus } from '../shared/traffic-model.ts';

/** Shorter waits are part of keeping to the limits. */
const LONG_MS = 20_000;
const LOOK_AFTER_MS = 1_000;

export interface LongWaits {
  /** Something about the lanes changed. */
  changed(): void;
  stop(): void;
}

export function createLongWaits(
  clock: Clock,
  lanes: () => LaneOverview,
  note: (text: string) => void,
): LongWaits {
  /** Until when each lane was said to wait. */
  const said = new Map<string, number>();
  let cancel: (() => void) | null = null;
  let isStopped = false;
  const known = (): LaneStatus[] => {
    try {
      return lanes().lanes;
    } catch {
      // What keeps the budget file from being read fails the requests themselves, and says why there.
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
  const isLimit = wait.why === 'retry-after' || wait.why === 'window';
  return queued > 0 && isLimit && wait.untilMs !== null && wait.untilMs - nowMs >= LONG_MS
    ? wait.untilMs
    : null;
}
