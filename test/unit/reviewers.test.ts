/** The agreement of a review with those of other persons, from the spans that both decided. */
import { expect, test } from 'vitest';
import { agreementsOf } from '../../electron/core/statistics/reviewers.ts';
import { foldReview } from '../../electron/shared/review-fold.ts';
import type { Verdict } from '../../electron/shared/review-model.ts';

const review = (verdicts: readonly (Verdict | null)[]) =>
  foldReview(
    verdicts.flatMap((verdict, position) =>
      verdict === null
        ? []
        : [
            {
              type: 'mark' as const,
              position,
              patch: verdict === 'edited' ? { verdict, expected: 'a better answer' } : { verdict },
              atMs: 1,
            },
          ],
    ),
  );
const second = (reviewer: string, verdicts: readonly Verdict[]) => ({
  ...{ reviewer, atMs: 5 },
  marks: new Map(
    verdicts.map((verdict, position) => [position, { position, verdict, kind: null, note: '' }]),
  ),
});

test('each other reviewer is compared on the spans that both decided, and an edited span counts as good', () => {
  const own = review(['accepted', 'edited', 'rejected', 'rejected', null, 'skipped']);
  const seconds = [
    second('Ana', ['accepted', 'accepted', 'accepted', 'rejected', 'rejected', 'accepted']),
    second('Bo', ['skipped']),
  ];
  const [ana, bo] = agreementsOf({ ...own, seconds }, new Set([0, 1, 2, 3, 4, 5]));
  expect(ana).toMatchObject({ reviewer: 'Ana', both: 4, onlyOther: 2, different: 1 });
  expect(ana?.agreement).toMatchObject({ items: 4, share: 0.75 });
  expect(bo).toMatchObject({ reviewer: 'Bo', both: 0, onlyOther: 0, different: 0, agreement: null });
});
