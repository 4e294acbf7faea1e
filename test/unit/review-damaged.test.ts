/** A stored decision of a review that cannot be read keeps its place, and the other decisions remain valid. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { DATASET_MIGRATIONS } from '../../electron/db/migrations/datasets/index.ts';
import { createReviewStore } from '../../electron/db/review-store.ts';
import { countReview, damagedDecisions, foldReview } from '../../electron/shared/review-fold.ts';
import type { ReviewEvent } from '../../electron/shared/review-model.ts';

const accept = (position: number): ReviewEvent => ({
  type: 'mark',
  position,
  patch: { verdict: 'accepted' },
  atMs: 1,
});

test.each(['{"broken', '7', '{"type":"mark","position":9e16,"patch":{},"atMs":1}', '{"type":"other"}'])(
  'a damaged decision (%s) hides no other',
  (damage) => {
    const db = new BetterSqlite(':memory:');
    for (const { sql } of DATASET_MIGRATIONS) db.exec(sql);
    db.pragma('foreign_keys = OFF');
    const reviews = createReviewStore(db);
    reviews.append('build', 0, [accept(0), accept(1), accept(2)]);
    db.pragma('ignore_check_constraints = ON');
    db.prepare('UPDATE review_event SET event_json = ? WHERE seq = 1').run(damage);

    const events = reviews.events('build', 0, 10);
    expect(events).toHaveLength(reviews.count('build'));
    const review = foldReview(events);
    expect(countReview(review).accepted).toBe(2);
    expect([...review.marks.keys()]).toEqual([0, 2]);
    expect(damagedDecisions(review.damaged)).toBe(
      'One decision of this review cannot be read and was left out (review_event 1).',
    );
    reviews.append('build', 3, [accept(1)]);
    expect(countReview(foldReview(reviews.events('build', 0, 10))).accepted).toBe(3);
  },
);
