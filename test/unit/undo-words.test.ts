/** What the page of an upload says of taking it back. */
import { expect, test } from 'vitest';
import type { UploadDeletion } from '../../electron/shared/upload-model.ts';
import { daysText, undoneText } from '../../renderer/lib/undo-words.ts';

const NOW = Date.UTC(2026, 4, 1, 12);
const counts = { rows: 10, rejected: 0, acknowledged: 10, refused: 0, unknown: 0, unsent: 0 };
const part = (rows: number, outcome: UploadDeletion['outcome']): UploadDeletion => ({
  deletionId: `${rows}`,
  rows,
  atMs: NOW - 60_000,
  outcome,
});

test('an upload is undone once every acknowledged row is deleted', () => {
  const text = (deletions: UploadDeletion[]) => undoneText({ deletions, counts }, NOW);
  expect(text([])).toBeNull();
  expect(text([part(6, 'deleted'), part(4, 'going-on')])).toBeNull();
  expect(text([part(6, 'deleted')])).toMatch(/^Partly undone .*, 6 of 10$/);
  expect(text([part(6, 'deleted'), part(4, 'deleted')])).toMatch(/^Undone .*, 10 of 10$/);
});

test('deletions are counted by the time at which they start', () => {
  const budget = { usedToday: 28, limit: 30, resetsAtMs: null };
  const now = { events: 1, startAtMs: NOW, isNow: true, range: null };
  const later = { events: 1, startAtMs: NOW + 86_400_000, isNow: false, range: null };
  expect(daysText({ deletions: [now, now, later], budget }, NOW)).toMatch(/^2 of 30 now · 1 from /);
});
