/** Adjusts the probabilities of several tests made at once. Pure. */
import { elementAt } from '../element-at.ts';

/**
 * Benjamini and Hochberg's adjusted probabilities (1995), in the same order. If differences are accepted at 0.05, at
 * most 5 % of them are expected to be false.
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
