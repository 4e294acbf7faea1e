/** Agreement of a review with the reviews of other people, computed from the spans that both decided. */
import { expect, test } from 'vitest';
import { agreementsOf, groupAgreementOf } from '../../electron/core/statistics/reviewers.ts';
import { foldReview } from '../../electron/shared/review-fold.ts';
import type { Verdict } from '../../electron/shared/review-model.ts';
import { groupAgreementText } from '../../electron/shared/second-review.ts';

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

test('three reviewers are compared together on the spans that all of them decided', () => {
  const own = review(['accepted', 'edited', 'rejected', 'rejected', null, 'accepted']);
  const ana = second('Ana', ['accepted', 'accepted', 'rejected', 'accepted', 'rejected', 'skipped']);
  const bo = second('Bo', ['accepted', 'rejected', 'rejected', 'rejected', 'rejected', 'accepted']);
  const everywhere = new Set([0, 1, 2, 3, 4, 5]);
  const found = groupAgreementOf({ ...own, seconds: [ana, bo] }, everywhere);
  // Two spans are unanimous and two have two of three votes: P = (1 + 1 + 1/3 + 1/3) / 4 = 2/3, chance 1/2.
  expect(found).toMatchObject({ reviewers: 3, spans: 4, good: 0.5 });
  expect(found?.kappa?.value).toBeCloseTo(1 / 3, 12);
  expect(found && groupAgreementText(found)).toBe(
    '3 reviewers decided the same 4 spans: Fleiss’ kappa 0.333 (too alike or too few for a range), good in 50 % of all decisions.',
  );
  const text = groupAgreementText({
    ...{ reviewers: 3, spans: 24, good: 0.61 },
    kappa: { value: 0.52, interval: [0.29, 0.75] },
  });
  expect(text).toContain('Fleiss’ kappa 0.52 (0.29 to 0.75), good in 61 %');
  expect(groupAgreementOf({ ...own, seconds: [ana] }, everywhere)).toBeNull();
  const none = groupAgreementOf({ ...own, seconds: [ana, bo] }, new Set([4]));
  expect(none && groupAgreementText(none)).toBe('No span was decided by all 3 reviewers yet.');
});
