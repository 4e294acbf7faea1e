/** Reviews of builds: what a person decides of picked spans, kept event by event. */

import { AppError } from '../shared/errors.ts';
import { foldReview, MOST_REVIEW_EVENTS, type Review, type ReviewEvent } from '../shared/review-model.ts';
import type { ControlDeps } from './build-control.ts';
import type { Builds } from './types.ts';

type ReviewMethods = Pick<Builds, 'readReview' | 'addReview' | 'review'>;

/** A message carries about this much. */
const PAGE_CHARACTERS = 90_000;

export function createReviews({ store, ledgers }: Pick<ControlDeps, 'store' | 'ledgers'>): ReviewMethods {
  return {
    readReview: (buildId, seq) => {
      ledgers.get(buildId);
      const events: ReviewEvent[] = [];
      let characters = 0;
      for (const event of store.reviews.events(buildId, seq, MOST_REVIEW_EVENTS)) {
        characters += JSON.stringify(event).length;
        if (events.length > 0 && characters > PAGE_CHARACTERS) break;
        events.push(event);
      }
      return { events, total: store.reviews.count(buildId) };
    },
    addReview: (buildId, seq, events) => {
      ledgers.get(buildId);
      store.commit(() => {
        const count = store.reviews.count(buildId);
        if (count === seq) return store.reviews.append(buildId, seq, events);
        // Sent again as its answer was lost: it is there already.
        const there = store.reviews.events(buildId, seq, events.length);
        if (JSON.stringify(there) === JSON.stringify(events)) return;
        throw new AppError(
          'CONFLICT',
          'This review was changed in another window or program meanwhile. Reload it, then decide again.',
        );
      });
    },
    review: (buildId): Review => {
      ledgers.get(buildId);
      return foldReview(store.reviews.events(buildId, 0, store.reviews.count(buildId)));
    },
  };
}
