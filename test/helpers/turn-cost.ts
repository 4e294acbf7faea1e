/**
 * The processor time of the turns of this thread's event loop, which is the same on a busy machine as on an idle one.
 */
import { percentile } from './percentile.ts';

export interface TurnCost {
  /** Processor time in milliseconds. */
  longestMs: number;
  /** Garbage collection in the longest turn. It is measured in wall time, so it is too high on a busy machine. */
  longestGcMs: number;
  p99Ms: number;
  /** Number of turns longer than the limit. */
  over: number;
  turns: number;
}

/** Shorter turns only poll. */
const MIN_MS = 1;

/** Processor time in milliseconds: of this thread if Node supports it (23.9), otherwise of all threads. */
function usedMs(): number {
  // Linux updates the time of the running thread only at each tick (up to 4 ms), unless the time of the whole process
  // is read.
  const ofAll = process.cpuUsage();
  const { user, system } = process.threadCpuUsage?.() ?? ofAll;
  return (user + system) / 1_000;
}

interface Turn {
  ms: number;
  /** End of this turn, and of the previous one. */
  toMs: number;
  fromMs: number;
}

/** Runs work, and returns the cost of each turn of the event loop meanwhile. */
export async function turnsOf(limitMs: number, act: () => Promise<unknown>): Promise<TurnCost> {
  const turns: Turn[] = [];
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let isOver = false;
  let before = usedMs();
  let fromMs = performance.now();
  const look = (): void => {
    const ms = usedMs() - before;
    const toMs = performance.now();
    if (ms >= MIN_MS) turns.push({ ms, fromMs, toMs });
    before = usedMs();
    fromMs = toMs;
    // Not at every turn, because the loop would then never be idle, which would delay the awaited work.
    if (!isOver) setTimeout(look, 1);
  };
  setTimeout(look, 1);
  await act();
  await new Promise((resolve) => setTimeout(resolve, 5));
  isOver = true;
  observer.disconnect();
  const sorted = turns.toSorted((a, b) => a.ms - b.ms);
  const longest = sorted.at(-1);
  const gcMs = (turn: Turn): number =>
    collections
      .filter(({ startTime }) => startTime >= turn.fromMs && startTime < turn.toMs)
      .reduce((sum, { duration }) => sum + duration, 0);
  return {
    longestMs: longest?.ms ?? 0,
    longestGcMs: longest === undefined ? 0 : gcMs(longest),
    p99Ms:
      sorted.length === 0
        ? 0
        : percentile(
            sorted.map(({ ms }) => ms),
            0.99,
          ),
    over: sorted.filter(({ ms }) => ms > limitMs).length,
    turns: sorted.length,
  };
}
