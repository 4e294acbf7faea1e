/**
 * Scores of a judge beside the decisions of people about some of the same items: the share is corrected for the errors
 * of the judge, or refused with a reason.
 */
import { describe, expect, test } from 'vitest';
import { RunsMatch } from '../../electron/core/items/compare-runs.ts';
import { RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { correctedShare } from '../../electron/core/statistics/judge.ts';
import { judgedShareText } from '../../electron/shared/judged-share.ts';

type Score = number | string | null;
type Numbers = readonly [judge: number | null, person: number | null];

/** One run, with the score of the judge and the decision of people for each item. */
function judged(items: readonly (readonly [judge: Score, person: Score])[], lowerIsBetter = false) {
  const builder = new RunColumnsBuilder();
  const scoreOf = (evaluator: string, name: string, score: Score) =>
    score === null
      ? []
      : [
          {
            ...{ evaluator, name },
            value: typeof score === 'number' ? score : null,
            label: typeof score === 'string' ? score : null,
          },
        ];
  for (const [position, [judge, person]] of items.entries())
    builder.add({
      ...{ itemId: `i${position}`, position, fate: 'good', durationMs: null },
      scores: [...scoreOf('Judge', 'quality', judge), ...scoreOf('Human', 'good', person)],
    });
  const match = new RunsMatch([builder.finish()], { baseline: 0, clusterOf: null });
  const rules = { kinds: new Map<string, string>(), isOfSameTexts: false };
  return match.shape('quality', lowerIsBetter, null, rules).judged;
}
const times = <J extends Score, P extends Score>(count: number, judge: J, person: P) =>
  Array.from({ length: count }, () => [judge, person] as const);
const textOf = (...given: Parameters<typeof judged>): string =>
  judged(...given)
    .map(({ share }) => judgedShareText(share))
    .join('|');

describe('the share of good items', () => {
  const decided = [...times(36, 1, 1), ...times(4, 0, 1), ...times(6, 0.5, 0), ...times(24, 0.2, 0)];
  const items: Numbers[] = [
    ...decided,
    ...times(710, 0.9, null),
    ...times(250, 0, null),
    ...times(5, null, null),
  ];

  test('is corrected by the errors of the judge, with its interval, over the items without people', () => {
    const [found] = judged(items);
    const expected = correctedShare(
      { bothYes: 36, onlyPerson: 4, onlyJudge: 6, bothNo: 24 },
      { yes: 710, items: 960 },
    );
    expect(found).toMatchObject({
      run: 0,
      share: {
        both: 70,
        good: 40,
        rest: { good: 710, items: 960 },
        corrected: expected?.share,
        problem: null,
      },
    });
    expect(textOf(items)).toMatch(
      /^Against people on 70 items \(0\.5 or more is good\), the judge finds 90 % \(.* to .* %\) of the good and 80 % \(.*\) of the bad: 74 % good of 960 items without people corrects to 77\.1 % \(.* to .* %\)\.$/,
    );
  });

  test('of labels and of scores for which less is better', () => {
    const named = items.map(
      ([judge, person]) => [judge === null ? null : judge >= 0.5 ? 'Yes' : 'no', person] as const,
    );
    expect(textOf(named)).toMatch(/^Against people on 70 items, the judge finds 90 %.* corrects to 77\.1 %/);
    const turned = items.map(
      ([judge, person]) => [judge === null ? null : judge >= 0.5 ? 0 : 1, person] as const,
    );
    expect(textOf(turned, true)).toMatch(/less than 0\.5 is good.* corrects to 77\.1 %/);
  });
});

describe('a share that cannot be corrected', () => {
  const rest = times(50, 1, null);
  const chance = [...times(10, 1, 1), ...times(10, 0, 1), ...times(10, 1, 0), ...times(10, 0, 0)];
  test.each([
    ['no better than chance', [...chance, ...rest], /finds 50 % .*: no better than chance, so the share/],
    [
      'only good',
      [...times(9, 1, 1), ...rest],
      /on 9 items .*, people found all of them good: without one of each/,
    ],
    ['only bad', [...times(2, 0, 0), ...rest], /people found all of them bad/],
    ['none in common', [...times(3, null, 1), ...rest], /decided on no item in common/],
    [
      'nothing else',
      [...times(9, 1, 1), ...times(9, 0, 0)],
      /People decided on every item that the judge scored/,
    ],
    [
      'too few',
      [...times(3, 1, 1), ...times(2, 0, 1), ...times(2, 1, 0), ...times(3, 0, 0), ...rest],
      /too few decisions to say more than 0 to 100 %/,
    ],
    [
      'another scale',
      [...times(9, 7, 1), ...rest],
      /not from 0 to 1: the share of the judge cannot be corrected/,
    ],
    [
      'other labels',
      [...times(9, 'formal', 1), ...times(9, 'yes', 0)],
      /labels of the judge do not say good or bad/,
    ],
  ] as const)('%s', (_, items, text) => {
    expect(textOf(items)).toMatch(text);
    expect(judged(items)[0]?.share.corrected).toBeNull();
  });
});

test('is absent without decisions of people', () => {
  expect(judged([...times(9, 1, null)])).toEqual([]);
  expect(judged([...times(9, 1, 0.5)])).toEqual([]);
});
