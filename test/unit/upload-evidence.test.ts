import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyFailure } from '../../electron/core/jobs/send-outcome.ts';
import { AppError, type ErrorDetails } from '../../electron/shared/errors.ts';
import {
  areDistinguishable,
  distinctSize,
  type EvidenceInput,
  isJudged,
  judgeBatches,
} from '../../electron/uploads/evidence.ts';

const input = (changes: Partial<EvidenceInput>): EvidenceInput => ({
  baseline: { rowCount: 100, reason: '', atMs: 0 },
  count: { rowCount: 100, reason: '' },
  acknowledged: 0,
  others: { acknowledged: 0, uncertain: 0 },
  unknown: [{ batch: 1, rows: 10, sentAtMs: 1_000, answeredAtMs: 1_500, evidence: null }],
  latestAcknowledgedMs: null,
  nowMs: 10_000,
  settleMs: 300_000,
  ...changes,
});
type Unknown = EvidenceInput['unknown'][number];
const lost = (batch: number, rows: number): Unknown => ({
  ...{ batch, rows, sentAtMs: 0, answeredAtMs: 0, evidence: null },
});
const verdict = (changes: Partial<EvidenceInput>, batch = 1) =>
  judgeBatches(input(changes)).get(batch)?.verdict;

describe('evidence for a lost answer', () => {
  test('stored: the count includes its rows', () => {
    expect(verdict({ count: { rowCount: 110, reason: '' } })).toBe('stored');
    expect(
      verdict({
        count: { rowCount: 160, reason: '' },
        acknowledged: 30,
        others: { acknowledged: 20, uncertain: 0 },
      }),
    ).toBe('stored');
  });

  test('not stored: only if rows sent later are counted, or after a time', () => {
    expect(verdict({})).toBe('undecided');
    expect(verdict({ nowMs: 301_000 })).toBe('not-stored');
    expect(
      verdict({ acknowledged: 20, count: { rowCount: 120, reason: '' }, latestAcknowledgedMs: 2_000 }),
    ).toBe('not-stored');
    expect(
      verdict({ acknowledged: 20, count: { rowCount: 120, reason: '' }, latestAcknowledgedMs: 500 }),
    ).toBe('undecided');
  });

  test('after the clock was set back, rows sent while it was ahead do not count as sent later', () => {
    const counted = { acknowledged: 20, count: { rowCount: 120, reason: '' } };
    expect(verdict({ ...counted, latestAcknowledgedMs: 3_600_000 })).toBe('undecided');
  });

  test('a batch that was sent while the clock was ahead is waited for no longer than others', () => {
    const ahead = { ...lost(1, 10), sentAtMs: 3_600_000_000, answeredAtMs: null };
    const facts = judgeBatches(input({ unknown: [ahead] }))
      .get(1)
      ?.facts.join(' ');
    expect(facts).toContain('Ask again in 5 min.');
  });

  test('undecided: no count, other writers, other open uploads, a delayed count', () => {
    const late = { nowMs: 10_000_000 };
    expect(verdict({ ...late, baseline: null })).toBe('undecided');
    expect(verdict({ ...late, count: { rowCount: null, reason: 'not said' } })).toBe('undecided');
    expect(verdict({ ...late, count: { rowCount: 103, reason: '' } })).toBe('undecided');
    expect(verdict({ ...late, others: { acknowledged: 0, uncertain: 5 } })).toBe('undecided');
    expect(verdict({ ...late, acknowledged: 50, count: { rowCount: 120, reason: '' } })).toBe('undecided');
  });

  test('batches of equal sizes cannot be distinguished, those of different sizes can', () => {
    const unknown = (sizes: number[]) => sizes.map((rows, batch) => lost(batch, rows));
    const late = { nowMs: 10_000_000 };
    const equal = judgeBatches(
      input({ ...late, unknown: unknown([10, 10]), count: { rowCount: 110, reason: '' } }),
    );
    expect([...equal.values()].map((item) => item.verdict)).toEqual(['undecided', 'undecided']);
    const different = judgeBatches(
      input({ ...late, unknown: unknown([10, 9]), count: { rowCount: 109, reason: '' } }),
    );
    expect([...different.values()].map((item) => item.verdict)).toEqual(['not-stored', 'stored']);
  });

  test('batches of the sizes that this program chooses are always distinguished', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 2_000 }),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(),
        (usual, count, bits) => {
          const sizes: number[] = [];
          for (let index = 0; index < count; index += 1)
            sizes.push(distinctSize(usual, sizes, Number.MAX_SAFE_INTEGER) ?? Number.NaN);
          const isStored = sizes.map((_size, index) => ((bits >> index) & 1) === 1);
          const added = sizes.reduce((sum, size, index) => sum + (isStored[index] === true ? size : 0), 0);
          const unknown = sizes.map((rows, batch) => lost(batch, rows));
          const verdicts = judgeBatches(
            input({ nowMs: 10_000_000, unknown, count: { rowCount: 100 + added, reason: '' } }),
          );
          expect([...verdicts.values()].map((item) => item.verdict === 'stored')).toEqual(isStored);
          expect(sizes.every((size) => size <= usual && size > usual / 2)).toBe(true);
        },
      ),
    );
  });

  test('an occasional count distinguishes any number of lost answers, even with repeated sizes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ usual: fc.integer({ min: 20, max: 60 }), isStored: fc.boolean() }), {
          minLength: 12,
          maxLength: 60,
        }),
        (batches) => {
          let unknown: Unknown[] = [];
          let added = 0;
          const judge = () => {
            const count = { rowCount: 100 + added, reason: '' };
            const verdicts = judgeBatches(input({ nowMs: 10_000_000, unknown, count }));
            unknown = unknown.map((each) => ({ ...each, evidence: verdicts.get(each.batch) ?? null }));
          };
          const openSizes = () => unknown.filter((each) => !isJudged(each)).map(({ rows }) => rows);
          batches.forEach(({ usual, isStored }, batch) => {
            const rows = distinctSize(usual, openSizes(), Number.MAX_SAFE_INTEGER) ?? usual;
            if (!areDistinguishable([rows, ...openSizes()])) judge();
            unknown.push(lost(batch, rows));
            if (isStored) added += rows;
          });
          judge();
          expect(unknown.map(({ evidence }) => evidence?.verdict)).toEqual(
            batches.map(({ isStored }) => (isStored ? 'stored' : 'not-stored')),
          );
        },
      ),
    );
  });

  test('a count taken too early is overruled by a later one', () => {
    const early = { ...lost(1, 10), evidence: { verdict: 'not-stored' as const, facts: [], atMs: 1 } };
    const unknown = [early, lost(2, 7)];
    const verdicts = judgeBatches(
      input({ nowMs: 10_000_000, unknown, count: { rowCount: 110, reason: '' } }),
    );
    expect([...verdicts.values()].map((item) => item.verdict)).toEqual(['stored', 'not-stored']);
  });

  test('rows in a count are stored; rows missing in it may be stored since', () => {
    const judged = (batch: number, rows: number, verdict: 'stored' | 'not-stored'): Unknown => ({
      ...lost(batch, rows),
      evidence: { verdict, facts: [], atMs: 1 },
    });
    // 50 and 26 rows are the sizes of a stored batch and of a missing one.
    const unknown = [
      judged(1, 50, 'stored'),
      judged(2, 26, 'stored'),
      judged(3, 50, 'not-stored'),
      lost(4, 26),
    ];
    const verdicts = judgeBatches(
      input({ nowMs: 10_000_000, unknown, count: { rowCount: 226, reason: '' } }),
    );
    expect([...verdicts.values()].map((item) => item.verdict)).toEqual([
      'stored',
      'stored',
      'stored',
      'not-stored',
    ]);
  });

  test('every subset of the batches in flight has a unique sum, or the next batch waits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 9 }), (sizes) => {
        const sums = Array.from({ length: 2 ** sizes.length }, (_, set) =>
          sizes.reduce((sum, size, index) => sum + ((set >> index) & 1) * size, 0),
        );
        expect(areDistinguishable(sizes)).toBe(new Set(sums).size === sums.length);
      }),
    );
    expect(distinctSize(3, [3, 2], 100)).toBeNull();
    expect(
      areDistinguishable(Array.from({ length: 6 }, (_, index) => 1_000 - Math.floor(2 ** (index - 1)))),
    ).toBe(true);
  });

  test('the rest of a file is cut so that its last batch is distinguishable too', () => {
    const left = 54;
    const first = distinctSize(50, [50, 46], left) ?? 0;
    expect(areDistinguishable([first, 50, 46])).toBe(true);
    expect(areDistinguishable([left - first, 50, 46])).toBe(true);
    expect(distinctSize(50, [50, 46], 4)).not.toBe(4);
    expect(distinctSize(50, [], 4)).toBe(4);
  });

  test('a batch sent a moment later and stored does not prove that this one was not', () => {
    const early = { count: { rowCount: 110, reason: '' }, acknowledged: 10, latestAcknowledgedMs: 1_200 };
    expect(verdict(early)).toBe('undecided');
    expect(verdict({ ...early, latestAcknowledgedMs: 1_600 })).toBe('not-stored');
  });

  test('many unknown batches are judged without trying every combination', () => {
    const unknown = Array.from({ length: 25 }, (_value, batch) => lost(batch, 10));
    const late = { nowMs: 10_000_000, unknown };
    expect(verdict({ ...late, count: { rowCount: 350, reason: '' } }, 24)).toBe('stored');
    expect(verdict(late, 24)).toBe('not-stored');
    expect(verdict({ ...late, count: { rowCount: 110, reason: '' } }, 24)).toBe('undecided');
  });
});

describe('the meaning of an error for a batch', () => {
  const outcome = (code: AppError['code'], details: ErrorDetails = {}) =>
    classifyFailure(new AppError(code, 'x', details));

  test.each<[AppError['code'], ErrorDetails, ReturnType<typeof classifyFailure>]>([
    ['CONNECTION_REFUSED', { outcome: 'unsent' }, { kind: 'unsent', next: 'wait' }],
    ['OFFLINE', {}, { kind: 'unsent', next: 'wait' }],
    // Often caused by the sign-in page of a network, so it ends when the computer leaves that network.
    ['TLS_FAILED', { outcome: 'unsent' }, { kind: 'unsent', next: 'wait' }],
    ['NOT_THIS_SERVICE', { outcome: 'answered', status: 511 }, { kind: 'unsent', next: 'wait' }],
    ['NO_TOKEN', { outcome: 'unsent' }, { kind: 'unsent', next: 'pause' }],
    ['READ_ONLY', {}, { kind: 'unsent', next: 'pause' }],
    ['CONNECTION_LOST', { outcome: 'unknown' }, { kind: 'unknown', next: 'continue' }],
    ['TIMEOUT', { outcome: 'unknown' }, { kind: 'unknown', next: 'continue' }],
    ['TIMEOUT', {}, { kind: 'unknown', next: 'continue' }],
    ['INTERNAL', {}, { kind: 'unknown', next: 'continue' }],
    ['BAD_REQUEST', { outcome: 'answered', status: 400 }, { kind: 'refused' }],
    ['UNPROCESSABLE', { outcome: 'answered', status: 422 }, { kind: 'refused' }],
    ['HTTP_ERROR', { outcome: 'answered', status: 413 }, { kind: 'too-large' }],
    ['UNAUTHORIZED', { outcome: 'answered', status: 401 }, { kind: 'unsent', next: 'pause' }],
    ['NOT_FOUND', { outcome: 'answered', status: 404 }, { kind: 'unsent', next: 'pause' }],
    ['RATE_LIMITED', { outcome: 'answered', status: 429 }, { kind: 'unsent', next: 'wait' }],
    // A proxy also answers with this status if the service disconnects after the work is done.
    ['SERVICE_UNAVAILABLE', { outcome: 'answered', status: 502 }, { kind: 'unknown', next: 'continue' }],
    ['SERVICE_UNAVAILABLE', { outcome: 'answered', status: 503 }, { kind: 'unknown', next: 'continue' }],
    // This request was not sent, as an earlier one found that the service is unavailable.
    ['SERVICE_UNAVAILABLE', { outcome: 'unsent', status: 503 }, { kind: 'unsent', next: 'wait' }],
    ['SERVICE_FAILED', { outcome: 'answered', status: 500 }, { kind: 'unknown', next: 'continue' }],
    ['SERVICE_FAILED', { outcome: 'answered', status: 504 }, { kind: 'unknown', next: 'continue' }],
    ['ANSWER_INVALID', { outcome: 'answered', status: 200 }, { kind: 'unknown', next: 'pause' }],
    ['ANSWER_TOO_LARGE', { outcome: 'unknown' }, { kind: 'unknown', next: 'pause' }],
    ['NOT_THIS_SERVICE', { outcome: 'answered', status: 200 }, { kind: 'unknown', next: 'pause' }],
    ['NOT_THIS_SERVICE', { outcome: 'answered', status: 404 }, { kind: 'unsent', next: 'pause' }],
    // The answer of a filter that blocked the actual one.
    ['NOT_THIS_SERVICE', { outcome: 'answered', status: 403 }, { kind: 'unknown', next: 'pause' }],
    ['NOT_THIS_SERVICE', { outcome: 'answered', status: 408 }, { kind: 'unknown', next: 'pause' }],
    ['REDIRECTED', { outcome: 'answered', status: 302 }, { kind: 'unsent', next: 'pause' }],
  ])('%s %j', (code, details, expected) => {
    expect(outcome(code, details)).toEqual(expected);
  });
});
