/** The start page: order and words of what waits, what ended since, lines of few values. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../electron/shared/job-contract.ts';
import {
  endedSince,
  sparkPoints,
  waitingJobs,
  waitingNote,
  waitingSum,
  waitingTitle,
} from '../../renderer/lib/start-page.ts';

const job = (parts: Partial<Job>): Job =>
  ({
    ...{ kind: 'deletion', id: 'x', title: '3 events', state: 'running', reason: '', error: null, of: null },
    ...{ progress: { done: 0, total: null }, unknown: 0, requests: [], startAtMs: null, lateStart: null },
    ...{ createdAtMs: 0, endedAtMs: null, own: { progress: null } },
    ...parts,
  }) as Job;

describe('what waits', () => {
  const jobs = [
    job({ id: 'old', createdAtMs: 1 }),
    job({ id: 'over', state: 'done', endedAtMs: 5 }),
    job({ id: 'later', state: 'ready', startAtMs: 200 }),
    job({ id: 'rests', state: 'paused' }),
    job({ id: 'sooner', state: 'ready', startAtMs: 100 }),
    job({ id: 'decide', state: 'needs-decision' }),
    job({ id: 'new', createdAtMs: 2 }),
  ];
  test('decisions first, then what runs, what starts next, what rests; nothing that is over', () => {
    expect(waitingJobs(jobs).map(({ id }) => id)).toEqual([
      'decide',
      'new',
      'old',
      'sooner',
      'later',
      'rests',
    ]);
    expect(waitingSum(waitingJobs(jobs))).toBe(
      '1 decision, 2 running, 2 planned, 1 paused or in preparation',
    );
    expect(waitingSum([])).toBe('');
  });

  test('each says what it is, and why it waits', () => {
    expect(waitingTitle(job({ state: 'needs-decision' }))).toBe('Decide: Deletion: 3 events');
    expect(waitingNote(job({ state: 'waiting', reason: 'The service is not reached.' }), 0)).toBe(
      'The service is not reached.',
    );
    expect(waitingNote(job({}), 0)).toBe('Deletion of events');
    expect(waitingNote(job({ startAtMs: 3_600_000 }), 0)).toContain('in 1 h');
  });

  test('what ended later, and what of it failed', () => {
    const ended = [
      job({ state: 'done', endedAtMs: 10 }),
      job({ state: 'failed', endedAtMs: 20 }),
      job({ endedAtMs: 4 }),
    ];
    expect(endedSince(ended, 5)).toEqual({ ended: 2, failed: 1 });
  });
});

test('points of a line lie in its picture, in order; gaps are left out', () => {
  const value = fc.oneof(fc.constant(null), fc.double({ noNaN: true, min: -1e9, max: 1e9 }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (values) => {
      const points = sparkPoints(
        values.map((each, at) => ({ timeMs: at * 1_000, value: each })),
        100,
        20,
      );
      expect(points).toHaveLength(values.filter((each) => each !== null).length);
      for (const { x, y } of points) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(100);
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y).toBeLessThanOrEqual(20);
      }
      expect(points.map(({ x }) => x)).toEqual(points.map(({ x }) => x).toSorted((a, b) => a - b));
    }),
  );
});
