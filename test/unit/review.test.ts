/** The state of a review of spans is computed from its events. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countReview,
  foldReview,
  NO_REVIEW,
  type Review,
  reduceReview,
} from '../../electron/shared/review-fold.ts';
import { type ReviewEvent, VERDICTS } from '../../electron/shared/review-model.ts';

const position = fc.integer({ min: 0, max: 12 });
const kindId = fc.constantFrom('a', 'b', 'c', 'd');
const name = fc.constantFrom('Wrong amount', 'Invents a policy', 'Too long');
const atMs = fc.integer({ min: 1, max: 1_000_000 });
const patch = fc.record(
  {
    verdict: fc.constantFrom(...VERDICTS, null),
    expected: fc.option(fc.string({ maxLength: 5 })),
    note: fc.string({ maxLength: 5 }),
    kindId: fc.option(kindId),
    labels: fc.array(fc.constantFrom('hard', 'voucher'), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const change: fc.Arbitrary<ReviewEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('mark' as const), position, patch, atMs }) },
  fc.record({
    type: fc.constant('group' as const),
    ...{ kindId, name, positions: fc.array(position, { maxLength: 6 }), atMs },
  }),
  fc.record({
    type: fc.constant('accept-open' as const),
    ...{ positions: fc.array(position, { maxLength: 6 }), atMs },
  }),
  fc.record({ type: fc.constant('rename-kind' as const), kindId, name, atMs }),
  fc.record({ type: fc.constant('take-skipped' as const), takes: fc.boolean(), atMs }),
  fc.record({ type: fc.constant('merge-kinds' as const), kindId, into: kindId, atMs }),
);
const undo: ReviewEvent = { type: 'undo', atMs: 0 };
const redo: ReviewEvent = { type: 'redo', atMs: 0 };
const event = fc.oneof(
  { weight: 5, arbitrary: change },
  fc.constant<ReviewEvent>(undo),
  fc.constant<ReviewEvent>(redo),
);

/** The state as the user sees it. */
const shown = ({ marks, kinds, takesSkipped }: Review) => ({
  takesSkipped,
  marks: [...marks].toSorted(([one], [other]) => one - other),
  kinds,
});

describe('the review of spans', () => {
  test('undo restores the exact state before, and redo the state after', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), change, (before, next) => {
        const review = foldReview(before);
        const after = reduceReview(review, next);
        if (after.done.length === review.done.length) {
          expect(shown(after)).toEqual(shown(review));
          return;
        }
        const undone = reduceReview(after, undo);
        expect(shown(undone)).toEqual(shown(review));
        expect(shown(reduceReview(undone, redo))).toEqual(shown(after));
      }),
    );
  });

  test('undo has no limit: one per change restores the start, one redo per change the end', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const end = foldReview(changes);
        const times = (what: ReviewEvent) => changes.map(() => what);
        const start = foldReview(times(undo), end);
        expect(shown(start)).toEqual(shown(NO_REVIEW));
        expect(shown(foldReview(times(redo), start))).toEqual(shown(end));
      }),
    );
  });

  test('the counts add up, and no span has a deleted kind', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const review = foldReview(events);
        const counts = countReview(review);
        const marks = [...review.marks.values()];
        expect(counts.accepted + counts.edited + counts.rejected + counts.skipped).toBe(counts.decided);
        expect(counts.decided).toBe(marks.filter(({ verdict }) => verdict !== null).length);
        const inKinds = marks.filter((mark) => mark.kindId !== null);
        expect([...counts.byKind.values()].reduce((sum, count) => sum + count, 0)).toBe(inKinds.length);
        expect([...counts.byKind.keys()]).toEqual(review.kinds.map((kind) => kind.kindId));
        expect(counts.freeNotes).toBe(
          marks.filter((mark) => mark.note !== '' && mark.kindId === null).length,
        );
      }),
    );
  });

  test('reducing one event after another equals folding all of them, and changes no earlier state', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const states: Review[] = [NO_REVIEW];
        for (const each of events) states.push(reduceReview(states.at(-1) ?? NO_REVIEW, each));
        states.forEach((state, count) => {
          expect(state).toEqual(foldReview(events.slice(0, count)));
        });
      }),
      { numRuns: 30 },
    );
  });

  test('notes become a kind, the kind is renamed, split and merged, and all of it undone', () => {
    const note = (at: number, text: string): ReviewEvent => ({
      type: 'mark',
      position: at,
      patch: { verdict: 'rejected', note: text },
      atMs: at,
    });
    const noted = foldReview([
      note(0, '149 € instead of 89 €'),
      note(1, 'counts the voucher'),
      note(2, 'rude'),
    ]);
    expect(countReview(noted)).toMatchObject({ rejected: 3, freeNotes: 3 });
    const grouped = foldReview(
      [
        { type: 'group', kindId: 'a', name: 'Amount', positions: [0, 1], atMs: 4 },
        { type: 'rename-kind', kindId: 'a', name: 'Wrong refund amount', atMs: 5 },
        { type: 'group', kindId: 'b', name: 'Ignores the voucher', positions: [1], atMs: 6 },
      ],
      noted,
    );
    expect(grouped.kinds.map((kind) => kind.name)).toEqual(['Wrong refund amount', 'Ignores the voucher']);
    expect(countReview(grouped)).toMatchObject({
      freeNotes: 1,
      byKind: new Map([
        ['a', 1],
        ['b', 1],
      ]),
    });
    const merged = reduceReview(grouped, { type: 'merge-kinds', kindId: 'b', into: 'a', atMs: 7 });
    expect(countReview(merged).byKind).toEqual(new Map([['a', 2]]));
    expect(shown(foldReview([undo, undo, undo, undo], merged))).toEqual(shown(noted));
  });

  test('an edited span has an expected output, and a missing kind changes nothing', () => {
    const mark = (given: Extract<ReviewEvent, { type: 'mark' }>['patch']): ReviewEvent => ({
      type: 'mark',
      position: 0,
      patch: given,
      atMs: 1,
    });
    expect(reduceReview(NO_REVIEW, mark({ verdict: 'edited' }))).toEqual(NO_REVIEW);
    expect(reduceReview(NO_REVIEW, mark({ kindId: 'nowhere' }))).toEqual(NO_REVIEW);
  });

  test('open spans are accepted together in one step, and count as such until they are decided one by one', () => {
    const mark = (at: number, given: Extract<ReviewEvent, { type: 'mark' }>['patch']): ReviewEvent => ({
      ...{ type: 'mark', position: at, patch: given, atMs: 1 },
    });
    const begun = foldReview([mark(0, { verdict: 'rejected' }), mark(1, { note: 'odd' })]);
    const accepted = reduceReview(begun, { type: 'accept-open', positions: [0, 1, 2, 3], atMs: 2 });
    expect(countReview(accepted)).toMatchObject({
      accepted: 3,
      rejected: 1,
      decided: 4,
      together: 3,
      notes: 1,
    });
    const noted = reduceReview(accepted, mark(2, { note: 'fine' }));
    expect(countReview(noted).together).toBe(3);
    const decided = foldReview([mark(2, { verdict: 'accepted' }), mark(3, { verdict: 'rejected' })], noted);
    expect(countReview(decided)).toMatchObject({ accepted: 2, rejected: 2, together: 1 });
    expect(shown(reduceReview(accepted, undo))).toEqual(shown(begun));
    expect(reduceReview(accepted, { type: 'accept-open', positions: [0, 1], atMs: 3 })).toEqual(accepted);
  });
});
