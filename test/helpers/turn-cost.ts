/** What the turns of this thread's event loop cost the processor: the same on a busy machine as on a quiet one. */
import { percentile } from './percentile.ts';

export interface TurnCost {
  /** Milliseconds on the processor. */
  longestMs: number;
  /** Of the longest turn: what the collector of memory took. By the clock, so on a busy machine it is too much. */
  longestGcMs: number;
  p99Ms: number;
  /** Turns longer than the limit. */
  over: number;
  turns: number;
}

/** Turns shorter than this do nothing but look. */
const LEAST_MS = 1;

/** Of this thread where Node can tell (23.9), else of all. */
function usedMs(): number {
  // Linux counts the running thread at each tick only (up to 4 ms), unless somebody asks for the process as a whole.
  const ofAll = process.cpuUsage();
  const { user, system } = process.threadCpuUsage?.() ?? ofAll;
  return (user + system) / 1_000;
}

interface Turn {
  ms: number;
  /** When it ended, and the turn before. */
  toMs: number;
  fromMs: number;
}

/** Does something and says what each turn of the loop cost meanwhile. */
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
    if (ms >= LEAST_MS) turns.push({ ms, fromMs, toMs });
    before = usedMs();
    fromMs = toMs;
    // Not at every turn: the loop would then never rest, and be in the way of what it waits for.
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
