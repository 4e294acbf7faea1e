/** Prints why a command waits long, on standard error, so that the terminal is not silent. */
import type { Clock } from '../core/ports.ts';
import { momentText } from '../shared/local-time.ts';
import type { LaneOverview, LaneStatus } from '../shared/traffic-model.ts';

/** Minimum wait that is reported; shorter ones are normal with rate limits. */
const LONG_MS = 20_000;
/** Minimum wait for the answers of another process that is reported. */
const LONG_FOR_OTHERS_MS = 5_000;
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
  /** The other processes of the last reported wait for them, by lane. */
  const saidOfOthers = new Map<string, string>();
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
    const all = known();
    for (const lane of all) {
      const text = waitForOthers(lane);
      // The text also has counts that change while the other process works, which is no news.
      const subject = othersOf(lane);
      if (text !== null && subject !== saidOfOthers.get(lane.operation))
        note(`${lane.operation} waits. ${text}`);
      if (text !== null) saidOfOthers.set(lane.operation, subject);
      else if (lane.queued === 0) saidOfOthers.delete(lane.operation);
      const untilMs = longWait(lane, clock.nowMs());
      if (untilMs === null || untilMs - (said.get(lane.operation) ?? 0) < LONG_MS) continue;
      said.set(lane.operation, untilMs);
      note(`${lane.operation} waits until ${momentText(untilMs, true)}. ${lane.wait.text}`);
    }
    // While another process holds a lane, no change of state calls this again.
    if (all.some(isHeldByOthers)) lookLater();
  };
  const lookLater = () => {
    if (cancel === null && !isStopped) cancel = clock.setTimer(look, LOOK_AFTER_MS);
  };
  return {
    changed: lookLater,
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

const isHeldByOthers = ({ queued, wait, inFlightOfOthers }: LaneStatus): boolean =>
  queued > 0 && wait.reason === 'in-flight' && inFlightOfOthers > 0;

const othersOf = ({ wait: { others = [] } }: LaneStatus): string =>
  others
    .map(({ pid, isStopped }) => `${pid} ${isStopped}`)
    .toSorted()
    .join();

/** Why a lane waits long for the answers of other processes, and what to do about it; null if it does not. */
function waitForOthers(lane: LaneStatus): string | null {
  const { wait, longestWaitMs } = lane;
  if (!isHeldByOthers(lane) || longestWaitMs < LONG_FOR_OTHERS_MS) return null;
  const { others = [] } = wait;
  if (others.some(({ isStopped }) => isStopped)) return wait.text;
  const [first, second] = others;
  const what =
    first === undefined
      ? 'the other window or command'
      : second === undefined
        ? `process ${first.pid}`
        : `processes ${others.map(({ pid }) => pid).join(', ')}`;
  return `${wait.text} Wait for ${what}, or end ${second === undefined ? 'it' : 'them'} if ${second === undefined ? 'it does' : 'they do'} not answer.`;
}

function longWait({ queued, wait }: LaneStatus, nowMs: number): number | null {
  const isLimit = wait.reason === 'retry-after' || wait.reason === 'window';
  return queued > 0 && isLimit && wait.untilMs !== null && wait.untilMs - nowMs >= LONG_MS
    ? wait.untilMs
    : null;
}
