/**
 * The cost of the worst accepted answers for the main process: its longest turn, and its maximum memory. Each answer is
 * read several times, each time in a separate process, because other processes on the machine make single turns longer,
 * even in processor time.
 */
import { loadavg } from 'node:os';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { costOf, LARGE_CASES, MAX_MB } from '../helpers/large-answers.ts';

const MAX_TURN_MS = 10;
const RUNS = 5;

export async function run(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const large of LARGE_CASES) {
    const costs: Awaited<ReturnType<typeof costOf>>[] = [];
    for (let index = 0; index < RUNS; index++) costs.push(await costOf(large));
    const byTurn = costs.toSorted((a, b) => a.longestMs - b.longestMs);
    const [least] = byTurn;
    const middle = byTurn[Math.floor(RUNS / 2)];
    if (least === undefined || middle === undefined) continue;
    const of = ({ longestMs, longestGcMs }: typeof least) =>
      `${longestMs.toFixed(1)} ms (${whatTook(longestMs, longestGcMs)})`;
    const note = `median of ${RUNS}: ${of(middle)}; least: ${of(least)}; ${middle.over} turns over ${MAX_TURN_MS} ms; load ${(loadavg()[0] ?? 0).toFixed(1)}`;
    const memory = costs.map(({ mostMb }) => mostMb).toSorted((a, b) => a - b);
    if (!large.isCommand) {
      results.push(result(`${large.name}: longest turn`, middle.longestMs, 'ms', MAX_TURN_MS, note));
    }
    results.push(
      result(
        `${large.name}: memory`,
        memory.at(-1) ?? 0,
        'MB',
        MAX_MB,
        `most of ${RUNS}; least: ${Math.round(memory[0] ?? 0)} MB`,
      ),
    );
  }
  return results;
}

/** Garbage collection is measured in wall time, which on a busy machine exceeds its processor time. */
function whatTook(ms: number, gcMs: number): string {
  return gcMs > ms / 2 ? 'collector of memory' : 'its own work';
}
