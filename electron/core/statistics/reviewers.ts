/** How far second reviewers agree with a review. Pure. */
import type { Review } from '../../shared/review-fold.ts';
import { pairsOf, type ReviewAgreement } from '../../shared/second-review.ts';
import { agreementOf } from './agreement.ts';

/** The agreement with each other reviewer, in their order, over the spans at these positions. */
export function agreementsOf(review: Review, positions: ReadonlySet<number>): ReviewAgreement[] {
  return review.seconds.map((second) => {
    const { pairs, ...sums } = pairsOf(review, second, positions);
    const both = pairs.reduce((sum, { items }) => sum + items, 0);
    const different = pairs.reduce((sum, pair) => sum + (pair.before === pair.after ? 0 : pair.items), 0);
    const { reviewer, atMs } = second;
    return { reviewer, atMs, both, different, agreement: agreementOf(pairs), ...sums };
  });
}
