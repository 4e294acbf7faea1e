/** Several tests at once. Pure. */
import { elementAt } from '../element-at.ts';

/**
 * Benjamini and Hochberg's adjusted probabilities (1995), in the same order: of the differences called real at 0.05, at
 * most 5 % are expected not to be.
 */
export function adjusted(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, at) => at);
  order.sort((one, other) => elementAt(probabilities, other) - elementAt(probabilities, one));
  const found = probabilities.slice();
  let least = 1;
  for (const [place, at] of order.entries()) {
    const rank = probabilities.length - place;
    least = Math.min(least, (elementAt(probabilities, at) * probabilities.length) / rank);
    found[at] = least;
  }
  return found;
}
