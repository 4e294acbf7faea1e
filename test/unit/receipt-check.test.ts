/** Event ids in an answer either confirm all rows that were sent, or leave some of them in doubt. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExpectedIds, receiptProblem } from '../../electron/core/jobs/receipt-check.ts';

const rows = (count: number, more: Partial<ExpectedIds> = {}): ExpectedIds => ({
  thing: 'row',
  noun: 'event id',
  count,
  own: null,
  isTaken: () => false,
  ...more,
});

test('a receipt in doubt for one row speaks of one row', () => {
  expect(receiptProblem([], rows(1))?.message).toContain('accepted 1 row, but');
});

describe('a receipt in doubt', () => {
  test.each<[string, readonly string[] | null, Partial<ExpectedIds>, string, string]>([
    ['no ids at all', null, {}, 'missing', 'got none'],
    ['an empty list', [], {}, 'missing', 'got none'],
    ['too few', ['a', 'b'], {}, 'too few', 'got 2'],
    ['too many', ['a', 'b', 'c', 'd'], {}, 'too many', 'got 4'],
    ['a blank one', ['a', ' ', 'c'], {}, 'blank', 'got 3, 1 blank'],
    ['one twice', ['a', 'b', 'a'], {}, 'duplicate', 'got 3, 1 repeated'],
    ['all the same', ['a', 'a', 'a'], {}, 'duplicate', 'got 3, 2 repeated'],
    [
      'an answer that was given before',
      ['a', 'b', 'c'],
      { isTaken: (id) => id === 'a' },
      'given before',
      '1 used',
    ],
    [
      'own ids, one twice in the answer alone',
      ['x', 'x', 'z'],
      { own: ['x', 'y', 'z'] },
      'duplicate',
      '1 repeated',
    ],
    ['own ids, one missing', ['x', 'z'], { own: ['x', 'y', 'z'] }, 'too few', 'got 2'],
    ['own ids that repeat, and still one missing', ['x'], { own: ['x', 'x', 'z'] }, 'too few', 'got 1'],
  ])('%s', (_name, ids, more, reason, came) => {
    const problem = receiptProblem(ids, rows(3, more));
    expect(problem).toMatchObject({ code: 'RECEIPT_DOUBTFUL', details: { outcome: 'answered', reason } });
    expect(problem?.message).toContain('expected one event id for each');
    expect(problem?.message).toContain(came);
    expect(problem?.message).toContain('Nothing is sent again.');
    expect(problem?.details.issues).not.toHaveLength(0);
  });

  test('the evidence lists the ids, and stays short', () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => (index === 6 ? 'id-2' : `id-${index}`));
    expect(receiptProblem(ids, rows(1_000))?.details.issues).toEqual([
      { reason: 'duplicate', message: '“id-2” at rows 3, 7 of the request.' },
    ]);
    const same = receiptProblem(Array(1_000).fill('x'.repeat(5_000)), rows(1_000));
    expect(JSON.stringify(same?.toWire()).length).toBeLessThan(1_500);
  });
});

describe('no false alarm', () => {
  test.each<[string, readonly string[], Partial<ExpectedIds>]>([
    ['one for each', ['a', 'b', 'c'], {}],
    ['ids that are not UUIDs', ['1', 'order 17/b', 'ü'], {}],
    ['the same id twice in the file, and in the answer', ['x', 'x', 'z'], { own: ['x', 'x', 'z'] }],
    ['the same id twice in the file, answered once', ['x', 'z'], { own: ['x', 'x', 'z'] }],
    ['the same id twice in the file, stored as two', ['1', '2', '3'], { own: ['x', 'x', 'z'] }],
    ['own ids that were sent before', ['x', 'y', 'z'], { own: ['x', 'y', 'z'], isTaken: () => true }],
    ['rows without an own id, given one each', ['x', '1', '2'], { own: ['x', '', ''] }],
  ])('%s', (_name, ids, more) => {
    expect(receiptProblem(ids, rows(3, more))).toBeNull();
  });

  test('for any rows: distinct ids, one for each, are a receipt', () => {
    const distinct = fc.uniqueArray(
      fc.string({ minLength: 1 }).filter((id) => id.trim() !== ''),
      { minLength: 1 },
    );
    fc.assert(fc.property(distinct, (ids) => receiptProblem(ids, rows(ids.length)) === null));
    fc.assert(
      fc.property(distinct, (ids) => receiptProblem([...ids, ids[0] ?? ''], rows(ids.length + 1)) !== null),
    );
  });
});
