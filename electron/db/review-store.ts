/** Events of the reviews of builds, in order. */

import { readable } from '../core/readable.ts';
import { type ReviewEvent, reviewEvent, type StoredReviewEvent } from '../shared/review-model.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { asChecked, json } from './row-parts.ts';

export interface ReviewStore {
  count(buildId: string): number;
  /** Events from number `seq` on, in order. An unreadable event keeps its place. */
  events(buildId: string, seq: number, limit: number): StoredReviewEvent[];
  /** Appends events, the first one with the number `seq`; no event from that number on may exist. */
  append(buildId: string, seq: number, events: readonly ReviewEvent[]): void;
  copy(fromBuildId: string, toBuildId: string): void;
}

const eventRow = z.object({ event: json(reviewEvent) });
const placeRow = z.object({ seq: z.int() });

function readEvent(row: unknown): StoredReviewEvent {
  const [event] = readable([row], (each) => parseRow(eventRow, each, 'review event').event);
  return event ?? { type: 'damaged', seq: parseRow(placeRow, row, 'review event').seq };
}

export function createReviewStore(db: Database): ReviewStore {
  const count = db.prepare('SELECT count(*) FROM review_event WHERE build_id = ?').pluck();
  const read = db.prepare(
    'SELECT seq, event_json AS event FROM review_event WHERE build_id = ? AND seq >= ? ORDER BY seq LIMIT ?',
  );
  const add = db.prepare('INSERT INTO review_event (build_id, seq, event_json) VALUES (?, ?, ?)');
  const copy = db.prepare(
    'INSERT INTO review_event (build_id, seq, event_json) SELECT ?, seq, event_json FROM review_event WHERE build_id = ?',
  );
  return {
    count: (buildId) => parseRow(z.int(), count.get(buildId), 'count of review events'),
    events: (buildId, seq, limit) => read.all(buildId, seq, limit).map(readEvent),
    append: (buildId, seq, events) => {
      events.forEach((event, index) => {
        add.run(buildId, seq + index, asChecked(reviewEvent, event, 'review event'));
      });
    },
    copy: (from, to) => {
      copy.run(to, from);
    },
  };
}
