/** Describes how much the number of an item varies between several results in one run. Pure. */
import type { Repetitions } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { Moments } from '../statistics/means.ts';
import { repetitionsOf } from '../statistics/repetitions.ts';
import type { ScoreColumn } from './run-columns.ts';

type Several = Pick<ScoreColumn, 'several'>;

/** Computed over the items with the largest number of results; null if no item has several. */
export function repetitionsIn({ several }: Several): Repetitions | null {
  let most = 0;
  for (const numbers of several.values()) most = Math.max(most, numbers.length);
  const full = [...several.values()].filter(({ length }) => length === most);
  return repetitionsOf(
    Array.from({ length: most }, (_, at) => full.map((numbers) => elementAt(numbers, at))),
  );
}

/** Standard deviation of an item's numbers, by the item's index; null for fewer than two numbers. */
export function deviationIn({ several }: Several, place: number): number | null {
  const numbers = several.get(place);
  return numbers === undefined ? null : Moments.of(numbers).deviation;
}
