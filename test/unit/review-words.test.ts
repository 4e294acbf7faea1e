/** A review in numbers: the next span, the speed of the reviewer, and the excluded spans. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectsOf, foldReview } from '../../electron/shared/review-fold.ts';
import type { ReviewEvent } from '../../electron/shared/review-model.ts';
import {
  addedText,
  filterOptions,
  isInFilter,
  labelCounts,
  leftOutText,
  nextOpen,
  paceText,
} from '../../renderer/lib/review-words.ts';

const verdicts = ['accepted', 'rejected', 'skipped'] as const;
const decided = fc.array(
  fc.record({ position: fc.nat(30), verdict: fc.constantFrom(...verdicts), isUndo: fc.boolean() }),
  { maxLength: 60 },
);
const eventsOf = (acts: { position: number; verdict: (typeof verdicts)[number]; isUndo: boolean }[]) =>
  acts.map(
    ({ position, verdict, isUndo }, atMs): ReviewEvent =>
      isUndo
        ? { type: 'undo', atMs }
        : position === 30
          ? { type: 'take-skipped', takes: verdict === 'accepted', atMs }
          : { type: 'mark', position, patch: { verdict }, atMs },
  );

test('it continues at the next span without a verdict, wraps around, and ends when all have one', () => {
  fc.assert(
    fc.property(decided, fc.nat(30), (acts, after) => {
      const { marks } = foldReview(eventsOf(acts));
      // Every second position, as the other spans were removed from the basket.
      const queue = Array.from({ length: 16 }, (_, at) => 2 * at);
      const from = after % 16;
      const open = queue.flatMap((position, at) => (marks.get(position)?.verdict ? [] : [at]));
      const expected = open.find((at) => at > from) ?? open[0] ?? null;
      expect(nextOpen(marks, queue, from)).toBe(expected);
    }),
  );
});

test('after any actions and undos exactly the rejected spans are excluded, and skipped ones unless included', () => {
  fc.assert(
    fc.property(decided, (acts) => {
      const left = new Set<number>();
      let before = foldReview([]);
      for (const event of eventsOf(acts)) {
        const after = foldReview([event], before);
        const { excluded, included } = effectsOf(before, after);
        for (const each of excluded) left.add(each);
        for (const each of included) left.delete(each);
        before = after;
      }
      const out = [...before.marks].filter(
        ([, { verdict }]) => verdict === 'rejected' || (verdict === 'skipped' && !before.takesSkipped),
      );
      expect([...left].sort()).toEqual(out.map(([position]) => position).sort());
    }),
  );
});

test('after any actions and undos exactly the spans with that verdict are edited', () => {
  const acts = fc.array(
    fc.record({
      position: fc.nat(8),
      patch: fc.constantFrom(
        ...[
          { verdict: 'edited' as const, expected: 'one' },
          { verdict: 'edited' as const, expected: 'two' },
        ],
        ...[{ verdict: 'accepted' as const, expected: null }, { verdict: 'rejected' as const }],
      ),
      isUndo: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(acts, (given) => {
      const kept = new Map<number, string>();
      let before = foldReview([]);
      for (const { position, patch, isUndo } of given) {
        const event: ReviewEvent = isUndo
          ? { type: 'undo', atMs: 1 }
          : { type: 'mark', position, patch, atMs: 1 };
        const after = foldReview([event], before);
        for (const [at, expected] of effectsOf(before, after).edited) {
          if (expected === null) kept.delete(at);
          else kept.set(at, expected);
        }
        before = after;
      }
      const edited = [...before.marks].filter(([, mark]) => mark.verdict === 'edited');
      expect([...kept].sort()).toEqual(edited.map(([position, mark]) => [position, mark.expected]).sort());
    }),
  );
});

test('the end of a review shows the numbers of added and excluded spans', () => {
  const counts = { accepted: 19, edited: 0, rejected: 8, skipped: 3 };
  expect(addedText(counts, false, 19)).toBe('19 accepted');
  expect(addedText(counts, true, 22)).toBe('19 accepted and 3 skipped');
  expect(addedText({ ...counts, edited: 2 }, false, 21)).toBe('19 accepted and 2 edited');
  // Four spans have not been reviewed.
  expect(addedText(counts, false, 23)).toBe('23 items');
  expect(leftOutText(counts, false)).toBe('8 rejected and 3 skipped left out of the dataset.');
  expect(leftOutText(counts, true)).toBe('8 rejected left out of the dataset.');
  expect(leftOutText({ ...counts, rejected: 0 }, true)).toBe('');
});

test('a review can be browsed by verdict, note, kind and label, each with its count', () => {
  const mark = (position: number, patch: Extract<ReviewEvent, { type: 'mark' }>['patch']): ReviewEvent => ({
    ...{ type: 'mark', position, patch, atMs: 1 },
  });
  const review = foldReview([
    mark(0, { verdict: 'accepted', labels: ['hard', 'voucher'] }),
    mark(1, { verdict: 'rejected', note: 'rude', labels: ['hard'] }),
    mark(2, { note: 'look again' }),
    { type: 'group', kindId: 'k', name: 'Rude', positions: [1], atMs: 1 },
  ]);
  expect(filterOptions(review, 5)).toEqual([
    { value: 'all', title: 'All 5 spans' },
    { value: 'open', title: '3 open' },
    { value: 'accepted', title: '1 accepted' },
    { value: 'rejected', title: '1 rejected' },
    { value: 'noted', title: '2 with a note' },
    { value: 'kind:k', title: '1 kind: Rude' },
    { value: 'label:hard', title: '2 label: hard' },
    { value: 'label:voucher', title: '1 label: voucher' },
  ]);
  const fitting = (filter: string) => [0, 1, 2, 3, 4].filter((at) => isInFilter(review, at, filter));
  expect(fitting('open')).toEqual([2, 3, 4]);
  expect(fitting('label:hard')).toEqual([0, 1]);
  expect(fitting('kind:k')).toEqual([1]);
  expect(labelCounts(review.marks)).toEqual([
    ['hard', 2],
    ['voucher', 1],
  ]);
});

test('the pace is that of the last five minutes; there is none without enough decisions', () => {
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
  expect(paceText(marksOf([...old, ...recent]), 84, 83, now)).toBe('40 a minute · less than a minute left');
  expect(paceText(marksOf(recent), 80, 80, now)).toBe('');
});
