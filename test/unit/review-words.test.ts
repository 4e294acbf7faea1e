/** A review in figures: where it goes on, its pace, and which spans are left out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldReview, type ReviewEvent } from '../../electron/shared/review-model.ts';
import { nextOpen, paceText, rejections } from '../../renderer/lib/review-words.ts';

const verdicts = ['accepted', 'rejected', 'skipped'] as const;
const decided = fc.array(
  fc.record({ position: fc.nat(30), verdict: fc.constantFrom(...verdicts), isUndo: fc.boolean() }),
  { maxLength: 60 },
);
const eventsOf = (acts: { position: number; verdict: (typeof verdicts)[number]; isUndo: boolean }[]) =>
  acts.map(
    ({ position, verdict, isUndo }, atMs): ReviewEvent =>
      isUndo ? { type: 'undo', atMs } : { type: 'mark', position, patch: { verdict }, atMs },
  );

test('it goes on at the next span without a verdict, around the end, and ends where all have one', () => {
  fc.assert(
    fc.property(decided, fc.nat(30), (acts, after) => {
      const { marks } = foldReview(eventsOf(acts));
      const total = 31;
      const open = Array.from({ length: total }, (_, at) => at).filter((at) => !marks.get(at)?.verdict);
      const expected = open.find((at) => at > after) ?? open[0] ?? null;
      expect(nextOpen(marks, total, after)).toBe(expected);
    }),
  );
});

test('what is left out after any acts and steps back is what is rejected', () => {
  fc.assert(
    fc.property(decided, (acts) => {
      const left = new Set<number>();
      let before = foldReview([]);
      for (const event of eventsOf(acts)) {
        const after = foldReview([event], before);
        const { excluded, included } = rejections(before.marks, after.marks);
        for (const each of excluded) left.add(each);
        for (const each of included) left.delete(each);
        before = after;
      }
      const rejected = [...before.marks].filter(([, mark]) => mark.verdict === 'rejected');
      expect([...left].sort()).toEqual(rejected.map(([position]) => position).sort());
    }),
  );
});

test('the pace is that of the last five minutes; without enough decisions there is none', () => {
  const at = (atMs: number, position: number): ReviewEvent => ({
    ...{ type: 'mark', position, patch: { verdict: 'accepted' }, atMs },
  });
  const minute = 60_000;
  const now = 60 * minute;
  const old = [at(0, 90), at(1, 91), at(2, 92)];
  const marksOf = (events: ReviewEvent[]) => foldReview(events).marks;
  expect(paceText(marksOf(old), 100, 3, now)).toBe('');
  const recent = Array.from({ length: 80 }, (_, index) => at(now - 2 * minute + index, index));
  expect(paceText(marksOf([...old, ...recent]), 123, 83, now)).toBe('40 a minute · about 1 min left');
  expect(paceText(marksOf(recent), 80, 80, now)).toBe('');
});
