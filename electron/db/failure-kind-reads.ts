/** Failure kinds of dataset items, from the reviews of the spans that the items were made from. */
import { foldReview } from '../shared/review-fold.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { createReviewStore } from './review-store.ts';

interface FailureKindReads {
  /** Names of failure kinds by item id. */
  of(datasetId: string): Map<string, string>;
  /** Changes whenever the reviews change; it is derived from their numbers of events, which only increase. */
  version(datasetId: string): string;
}

const reviewedRow = z.tuple([z.string(), z.int()]);
const itemRow = z.tuple([z.int(), z.string()]);

export function createFailureKindReads(db: Database): FailureKindReads {
  const reviews = createReviewStore(db);
  const reviewedBuilds = db
    .prepare(
      `SELECT job_id, (SELECT count(*) FROM review_event WHERE build_id = job_id) AS events FROM job
       WHERE kind = 'build' AND is_hidden = 0 AND events > 0 AND json_valid(facts_json)
         AND facts_json ->> '$.datasetId' = ?`,
    )
    .raw();
  const itemsAt = db
    .prepare(
      `SELECT position, item_id FROM span
       WHERE build_id = ? AND position IN (SELECT value FROM json_each(?)) AND item_id IS NOT NULL`,
    )
    .raw();
  const buildsOf = (datasetId: string) =>
    reviewedBuilds.all(datasetId).map((row) => parseRow(reviewedRow, row, 'review'));
  return {
    of: (datasetId) => {
      const kinds = new Map<string, string>();
      for (const [buildId, events] of buildsOf(datasetId)) {
        const review = foldReview(reviews.events(buildId, 0, events));
        const names = new Map(review.kinds.map(({ kindId, name }) => [kindId, name]));
        const byPosition = new Map(
          [...review.marks].flatMap(([position, { kindId }]) => {
            const name = kindId === null ? undefined : names.get(kindId);
            return name === undefined ? [] : [[position, name] as const];
          }),
        );
        for (const row of itemsAt.all(buildId, JSON.stringify([...byPosition.keys()]))) {
          const [position, itemId] = parseRow(itemRow, row, 'span');
          const name = byPosition.get(position);
          if (name !== undefined) kinds.set(itemId, name);
        }
      }
      return kinds;
    },
    version: (datasetId) => JSON.stringify(buildsOf(datasetId)),
  };
}
