/** Texts about its undo on the page of an upload. */
import { expect, test } from 'vitest';
import type { UploadDeletion } from '../../electron/shared/upload-model.ts';
import {
  againText,
  budgetTicks,
  daysText,
  sumWithUndone,
  undoneText,
  undoneWord,
  undoProof,
  undoSteps,
} from '../../renderer/lib/undo-words.ts';

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
  const word = (deletions: UploadDeletion[]) => undoneWord({ deletions, counts });
  expect(text([])).toBeNull();
  expect(text([part(6, 'deleted'), part(4, 'going-on')])).toBeNull();
  expect(text([part(6, 'deleted'), part(4, 'accepted')])).toMatch(/^Accepted for deletion .*, 10 of 10$/);
  expect(text([part(6, 'deleted')])).toMatch(/^Partly undone .*, 6 of 10$/);
  expect(text([part(6, 'deleted'), part(4, 'deleted')])).toMatch(/^Undone .*, 10 of 10$/);
  expect(word([part(6, 'unknown')])).toBeNull();
  expect(word([part(6, 'deleted'), part(4, 'going-on')])).toBeNull();
  expect(word([part(6, 'deleted'), part(4, 'accepted')])).toBe('Accepted for deletion');
});

test('row counts of the service prove the number of deleted rows', () => {
  const told = (rowCount: number | null, atMs: number) => ({
    rowCount,
    reason: rowCount === null ? 'it has none' : '',
    atMs,
  });
  const proof = (before: number | null, after: number | null | undefined, beforeUpload: number | null = 5) =>
    undoProof({
      deletions: [part(6, 'deleted'), part(4, 'unknown'), { ...part(100, 'deleted'), atMs: NOW - 600_000 }],
      rowCounts: {
        beforeUpload: told(beforeUpload, NOW - 900_000),
        beforeUndo: told(before, NOW - 70_000),
        afterUndo: after === undefined ? null : told(after, NOW),
      },
    });
  expect(proof(11, undefined)).toEqual({
    text: 'Counted again once all deletions are done.',
    tone: 'plain',
  });
  expect(proof(11, 5)).toEqual({
    text: '6 rows fewer, as many as were deleted. The environment has as many as before the upload.',
    tone: 'ok',
  });
  expect(proof(11, 5, 3)).toMatchObject({ text: '6 rows fewer, as many as were deleted.', tone: 'ok' });
  // A deletion without an answer proves nothing.
  expect(proof(11, 1)).toEqual({
    text: '10 rows fewer than before the undo; 6 were deleted, and deletions of 4 have no answer: these may be deleted or not.',
    tone: 'warn',
  });
  expect(proof(11, 12)).toMatchObject({ text: expect.stringMatching(/^1 row more /), tone: 'warn' });
  const rowCounts = { beforeUpload: null, beforeUndo: told(11, NOW - 70_000), afterUndo: told(8, NOW) };
  expect(undoProof({ deletions: [part(6, 'going-on')], rowCounts })).toEqual({
    text: '3 rows fewer so far. The service has not reported yet that all deletions are done.',
    tone: 'plain',
  });
  expect(undoProof({ deletions: [part(6, 'accepted')], rowCounts })).toEqual({
    text: '3 rows fewer so far. The service accepted the deletions and does not report when they are done: rows are counted again now and then, for an hour.',
    tone: 'plain',
  });
  expect(undoProof({ deletions: [part(6, 'deleted')], rowCounts })).toMatchObject({
    text: expect.stringMatching(/^3 rows fewer .* 6 were deleted\. Other writers/),
    tone: 'warn',
  });
  expect(proof(11, null)).toEqual({ text: 'The counts prove nothing: it has none.', tone: 'plain' });
});

test('a plan names the rows that a deletion without an answer may have deleted', () => {
  expect(againText({ maybeDeleted: 0 })).toBe('');
  expect(againText({ maybeDeleted: 30 })).toBe(
    'An earlier deletion of 30 rows has no answer: they may be deleted already.',
  );
});

const budget = { usedToday: 27, limit: 30, resetsAtMs: null };
const now = { events: 300, startAtMs: NOW, isNow: true, range: null };
const later = { events: 40, startAtMs: NOW + 86_400_000, isNow: false, range: null };

test('deletions are counted by their start, and use the daily limit', () => {
  const deletions = [now, now, later];
  expect(daysText({ deletions }, NOW, false)).toMatch(/^2 now · 1 from /);
  expect(daysText({ deletions }, NOW, true)).toMatch(/^2 once online · 1 from /);
  const ticks = budgetTicks({ deletions, budget }, 60);
  expect(ticks).toHaveLength(30);
  expect(ticks.slice(26)).toEqual(['used', 'now', 'now', 'free']);
  expect(budgetTicks({ deletions, budget: { ...budget, limit: 5_000 } }, 60)).toHaveLength(60);
});

test('the steps of an undo show the deletions, their reason and their time', () => {
  const byIds = undoSteps({ deletions: [now, now, later], reason: 'Not by time: times differ.' }, NOW, false);
  expect(byIds.map(({ what, events }) => [what, events])).toEqual([
    ['By event ids, 2 deletions', 600],
    ['By event ids, 1 deletion', 40],
    ['Verification', null],
  ]);
  expect(byIds.map(({ when }) => when)).toEqual(['now', expect.stringMatching(/^from /), '']);
  expect(byIds[0]?.proof).toMatch(
    /^Only the receipts of this upload have these ids\. Not by time: times differ\.$/,
  );
  const range = { startTime: '2026-04-01 00:00:00', endTime: '2026-05-01 00:00:00' };
  const byTime = undoSteps({ deletions: [{ ...now, range }], reason: 'The service counts 300.' }, NOW, false);
  expect(byTime[0]).toMatchObject({
    what: 'By time: 2026-04-01 00:00:00 up to 2026-05-01 00:00:00',
    proof: 'Nothing else lies there. The service counts 300.',
  });
});

test('undone rows are shown beside the remaining ones, and the sum is constant', () => {
  const { whole, parts } = sumWithUndone({ deletions: [part(6, 'deleted')], counts });
  const shown = parts.filter(({ count }) => count > 0).map(({ look, count }) => [look, count]);
  expect(shown).toEqual([
    ['acknowledged', 4],
    ['undone', 6],
  ]);
  expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(whole);
});
