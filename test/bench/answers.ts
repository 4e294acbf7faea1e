/** What the worst answers that are let through cost the main process: its longest turn, and its memory at most. */
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { costOf, LARGE_CASES, MOST_MB } from '../helpers/large-answers.ts';

const MOST_TURN_MS = 10;

export async function run(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const large of LARGE_CASES) {
    const { mostMb, longestMs, over } = await costOf(large);
    const note = `${over} turns over ${MOST_TURN_MS} ms`;
    results.push(
      result(`${large.name}: longest turn`, longestMs, 'ms', MOST_TURN_MS, note),
      result(`${large.name}: memory`, mostMb, 'MB', large.mostMb ?? MOST_MB, ''),
    );
  }
  return results;
}
