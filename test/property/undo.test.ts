/**
 * An undo names every event of the upload once, in the fewest deletions, and stays within the remaining limit of each
 * day.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planUndo, UndoRows } from '../../electron/core/jobs/undo.ts';
import { DAY_MS } from '../../electron/core/limits/limits.ts';

const NOW = 1_800_000_000_000;

test('every id once, fewest deletions, never more than the rest of any 24 hours', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 120 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat({ max: 8 }),
      fc.array(fc.integer({ min: 0, max: 4 * DAY_MS }), { maxLength: 8 }),
      (ids, perDeletion, limit, used, offsets) => {
        const left = Math.max(0, limit - used);
        const planned = offsets.map((offset) => NOW + offset);
        const days = { nowMs: NOW, left, limit, planned };
        const deletions = planUndo(new Set(ids), days, perDeletion);
        expect(deletions.flatMap((deletion) => deletion.ids)).toEqual(ids);
        expect(deletions).toHaveLength(Math.ceil(ids.length / perDeletion));
        const starts = deletions.map(({ startAtMs }) => startAtMs);
        expect(starts.filter((at) => at === NOW).length).toBeLessThanOrEqual(left);
        for (const from of starts) {
          const own = starts.filter((at) => at >= from && at < from + DAY_MS).length;
          const near = planned.filter((at) => Math.abs(at - from) < DAY_MS).length;
          // Deletions that others planned may exceed the limit of a day. An undo adds nothing to such a day.
          expect(own + near).toBeLessThanOrEqual(limit);
        }
      },
    ),
  );
});

test('rows that are deleted, without an id, or shared with another upload are counted and not touched', () => {
  const batch = (eventIds: (string | null)[] | null, rows: number, answeredAtMs = 10) => ({
    rows,
    eventIds: eventIds?.map((id) => id ?? '') ?? null,
    answeredAtMs,
  });
  const deletions = [{ atMs: 20, ids: new Set(['gone']) }];
  const unanswered = [{ atMs: 20, ids: new Set(['a', 'b', 'gone']) }];
  const rows = new UndoRows();
  rows.add(batch(['a', 'b', 'gone', null, 'a', 'twice'], 6), deletions, unanswered);
  // The event was stored again after the deletion.
  rows.add(batch(['gone'], 1, 30), deletions);
  rows.add(batch(null, 3), deletions);
  rows.keepShared(batch(['b', 'elsewhere'], 2), deletions);
  expect([...rows.events]).toEqual([
    ['a', 2],
    ['twice', 1],
    ['gone', 1],
  ]);
  expect(rows).toMatchObject({ rows: 4, withoutId: 4, deleted: 1, shared: 1, maybeDeleted: 2 });
});
