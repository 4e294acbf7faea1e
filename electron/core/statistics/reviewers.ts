/** Measures how far other reviewers agree with a review. Pure. */
import type { Review } from '../../shared/review-fold.ts';
import {
  decisionOf,
  type GroupAgreement,
  pairsOf,
  type ReviewAgreement,
} from '../../shared/second-review.ts';
import { agreementOf, fleissKappa } from './agreement.ts';

/** The agreement with each other reviewer, in the order of the reviewers, over the spans at these positions. */
export function agreementsOf(review: Review, positions: ReadonlySet<number>): ReviewAgreement[] {
  return review.seconds.map((second) => {
    const { pairs, ...sums } = pairsOf(review, second, positions);
    const both = pairs.reduce((sum, { items }) => sum + items, 0);
    const different = pairs.reduce((sum, pair) => sum + (pair.before === pair.after ? 0 : pair.items), 0);
    const { reviewer, atMs } = second;
    return { reviewer, atMs, both, different, agreement: agreementOf(pairs), ...sums };
  });
}

/** The agreement of all reviewers on the spans that each of them decided; null for fewer than three reviewers. */
export function groupAgreementOf(
  { marks, seconds }: Pick<Review, 'marks' | 'seconds'>,
  positions: ReadonlySet<number>,
): GroupAgreement | null {
  const all = [marks, ...seconds.map((second) => second.marks)];
  if (all.length < MIN_REVIEWERS) return null;
  const counts: [good: number, bad: number][] = [];
  for (const position of positions) {
    const decisions = all.map((own) => decisionOf(own.get(position)?.verdict));
    if (decisions.includes(null)) continue;
    const good = decisions.filter((decision) => decision === 'good').length;
    counts.push([good, all.length - good]);
  }
  const sum = counts.reduce((good, [own]) => good + own, 0);
  return {
    reviewers: all.length,
    spans: counts.length,
    kappa: fleissKappa(counts),
    good: counts.length === 0 ? 0 : sum / (counts.length * all.length),
  };
}
const MIN_REVIEWERS = 3;
