/** Runs with several results for an item: how much the score changes from result to result. */
import { describe, expect, test } from 'vitest';
import { RunsMatch } from '../../electron/core/items/compare-runs.ts';
import { type RunColumns, RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { repetitionsText } from '../../electron/shared/figure-words.ts';

describe('several results of an item', () => {
  const run = (numbers: readonly (readonly number[])[]) => {
    const builder = new RunColumnsBuilder();
    let position = 0;
    for (let at = 0; at < 3; at += 1)
      for (const [item, own] of numbers.entries()) {
        const value = own[at];
        if (value === undefined) continue;
        builder.add({
          ...{ itemId: `i${item}`, position, fate: 'good', durationMs: null },
          scores: [{ evaluator: 'Judge', name: 's', value, label: null }],
        });
        position += 1;
      }
    return builder.finish();
  };
  const shapeOf = (...runs: RunColumns[]) =>
    new RunsMatch(runs, { baseline: 0, clusterOf: null }).shape('s', false, null, {
      ...{ kinds: new Map(), isOfSameTexts: false },
    });

  test('tell the noise of a run over the items with all of them, and of each item', () => {
    const repeated = run([[0.2, 0.4, 0.6], [0.5, 0.5, 0.5], [0.9, 0.7], [0.3]]);
    const [found] = shapeOf(repeated).repetitions;
    expect(found).toMatchObject({ run: 0, repetitions: { changing: 1, estimate: { items: 2 } } });
    const { means = [], withinItems = 0 } = found?.repetitions ?? {};
    expect(means.map((mean) => mean.toFixed(2))).toEqual(['0.35', '0.45', '0.55']);
    expect(withinItems).toBeCloseTo(0.2 / Math.SQRT2, 12);
    expect(found === undefined ? '' : repetitionsText(found.repetitions)).toBe(
      '3 results of each of 2 items: a number deviates by 0.14 between results of one item, 1 item changes. Their mean moves by about 0.1 from run to run.',
    );
    const match = new RunsMatch([repeated], { baseline: 0, clusterOf: null });
    const deviations = [0, 1, 2, 3].map((item) => match.deviationAt('s', 0, item));
    expect(deviations.map((each) => each?.toFixed(3))).toEqual(['0.200', '0.000', '0.141', undefined]);
  });

  test('of equal numbers say so; a run with one result of each item says nothing', () => {
    const [found] = shapeOf(run([[0.5, 0.5]])).repetitions;
    expect(found === undefined ? '' : repetitionsText(found.repetitions)).toBe(
      '2 results of one item: the same number each time.',
    );
    expect(shapeOf(run([[0.5], [0.6]])).repetitions).toEqual([]);
    expect(shapeOf(run([[0.5]]), run([[0.1, 0.2]])).repetitions).toMatchObject([{ run: 1 }]);
  });
});
