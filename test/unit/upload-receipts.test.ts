/** The result of each row of an upload, and the events that its deletions remove. */
import { expect, test } from 'vitest';
import { eachReceipt } from '../../electron/core/jobs/receipt-rows.ts';
import { isDeleted, UndoRows } from '../../electron/core/jobs/undo.ts';

test('rows of a batch that a decision acknowledged have no event ids', () => {
  const part = { batch: 0, places: [[5, 7, 2]] as const };
  expect([...eachReceipt([{ part, receipt: null }])]).toEqual([
    { row: 5, line: 7, batch: 1, eventId: null },
    { row: 6, line: 8, batch: 1, eventId: null },
  ]);
});

test('a batch without a time or without ids: its events are deleted by any deletion that names them', () => {
  const deletion = { atMs: 0, ids: new Set(['a']) };
  expect(isDeleted('a', { answeredAtMs: null }, [deletion])).toBe(true);
  const batch = { rows: 3, eventIds: null, answeredAtMs: null };
  expect(new UndoRows().keepShared(batch, [deletion])).toBe(3);
});
