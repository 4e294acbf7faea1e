/** Several results of one item in a run: how much its number changes from result to result. Pure. */
import type { Repetitions } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { Moments } from '../statistics/means.ts';
import { repetitionsOf } from '../statistics/repetitions.ts';
import type { ScoreColumn } from './run-columns.ts';

type Several = Pick<ScoreColumn, 'several'>;

/** Over the items with as many numbers as any; null if no item has several. */
export function repetitionsIn({ several }: Several): Repetitions | null {
  let most = 0;
  for (const numbers of several.values()) most = Math.max(most, numbers.length);
  const full = [...several.values()].filter(({ length }) => length === most);
  return repetitionsOf(
    Array.from({ length: most }, (_, at) => full.map((numbers) => elementAt(numbers, at))),
  );
}

/** Standard deviation of the numbers of an item, by its place; null for fewer than two. */
export function deviationIn({ several }: Several, place: number): number | null {
  const numbers = several.get(place);
  return numbers === undefined ? null : Moments.of(numbers).deviation;
}
