/** Analyses repetitions of the same run: how much of a mean is noise of the run itself. Pure. */
import type { Repetitions } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { Moments } from './means.ts';

/**
 * `runs`: for each repetition, the numbers of the items by index; null for an item without a number. Null if there are
 * fewer than two runs, or no items.
 */
export function repetitionsOf(runs: readonly (readonly (number | null)[])[]): Repetitions | null {
  const [first] = runs;
  if (first === undefined || runs.length < 2) return null;
  const items = new Moments();
  const means = runs.map(() => new Moments());
  let [squares, changing] = [0, 0];
  for (const at of first.keys()) {
    const numbers = runs.map((run) => run[at] ?? null).filter((value) => value !== null);
    if (numbers.length < runs.length) continue;
    const own = new Moments();
    for (const [run, value] of numbers.entries()) {
      own.add(value);
      elementAt(means, run).add(value);
    }
    items.add(own.mean);
    squares += own.deviation ** 2;
    if (own.deviation > 0) changing += 1;
  }
  if (items.items === 0) return null;
  return {
    ...{ estimate: items.estimate, means: means.map(({ mean }) => mean), changing },
    withinItems: Math.sqrt(squares / items.items),
  };
}
