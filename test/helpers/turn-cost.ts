/** What the turns of this thread's event loop cost the processor: the same on a busy machine as on a quiet one. */

export interface TurnCost {
  /** Milliseconds on the processor. */
  longestMs: number;
  p99Ms: number;
  /** Turns longer than the limit. */
  over: number;
  turns: number;
}

/** Turns shorter than this do nothing but look. */
const LEAST_MS = 1;

/** Of this thread where Node can tell (23.9), else of all. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** Does something and says what each turn of the loop cost meanwhile. */
export async function turnsOf(limitMs: number, act: () => Promise<unknown>): Promise<TurnCost> {
  const costs: number[] = [];
  let isOver = false;
  let before = usedMs();
  const look = (): void => {
    const cost = usedMs() - before;
    if (cost >= LEAST_MS) costs.push(cost);
    before = usedMs();
    // Not at every turn: the loop would then never rest, and be in the way of what it waits for.
    if (!isOver) setTimeout(look, 1);
  };
  setTimeout(look, 1);
  await act();
  await new Promise((resolve) => setTimeout(resolve, 5));
  isOver = true;
  const sorted = costs.toSorted((a, b) => a - b);
  return {
    longestMs: sorted.at(-1) ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    over: sorted.filter((ms) => ms > limitMs).length,
    turns: sorted.length,
  };
}
