/** Upload jobs: the counts add up after every event, and no event leaves a terminal state. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canBatchMove,
  countsOf,
  isTerminal,
  NEW_UPLOAD,
  type UploadCore,
  type UploadEvent,
  uploadTransition,
} from '../../electron/core/jobs/upload-job.ts';
import { etaMs, observeRows, startRate } from '../../electron/core/jobs/upload-rate.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { BatchState } from '../../electron/shared/upload-model.ts';
import { runs } from '../helpers/runs.ts';

const STATES: BatchState[] = ['pending', 'sending', 'acknowledged', 'refused', 'unknown', 'cancelled'];
const error = new AppError('TIMEOUT', 'No answer.').toWire();
const batchState = fc.constantFrom(...STATES);
const event: fc.Arbitrary<UploadEvent> = fc.oneof(
  fc.constantFrom<UploadEvent>(
    { type: 'start' },
    { type: 'resume' },
    { type: 'wake' },
    { type: 'cancel' },
    { type: 'split' },
    { type: 'settle' },
    { type: 'interrupt', reason: 'ended' },
    { type: 'pause', reason: 'asked', error: null },
    { type: 'wait', reason: 'offline', error },
    { type: 'fail', reason: error.message, error },
  ),
  fc.record({ type: fc.constant('schedule' as const), startAtMs: fc.nat(100), nowMs: fc.nat(100) }),
  fc.record({ type: fc.constant('due' as const), nowMs: fc.nat(100_000) }),
  fc.record({ type: fc.constant('scanned' as const), rows: fc.nat(40), rejected: fc.nat(10) }),
  fc.record({
    type: fc.constant('batch' as const),
    from: fc.option(batchState, { nil: null }),
    to: batchState,
    rows: fc.integer({ min: 1, max: 10 }),
  }),
);
/** Mostly plausible events, so that jobs make progress. */
const life = fc.array(fc.oneof({ weight: 1, arbitrary: event }, { weight: 3, arbitrary: sensible() }), {
  maxLength: 60,
});

function sensible(): fc.Arbitrary<UploadEvent> {
  const rows = fc.constantFrom(1, 5);
  const move = (from: BatchState | null, to: BatchState) =>
    rows.map((count): UploadEvent => ({ type: 'batch', from, to, rows: count }));
  return fc.oneof(
    fc.constant<UploadEvent>({ type: 'start' }),
    fc.constant<UploadEvent>({ type: 'scanned', rows: 30, rejected: 5 }),
    move(null, 'sending'),
    move('sending', 'acknowledged'),
    move('sending', 'unknown'),
    move('sending', 'pending'),
    move('pending', 'sending'),
    move('unknown', 'acknowledged'),
    fc.constant<UploadEvent>({ type: 'settle' }),
  );
}

function step(job: UploadCore, next: UploadEvent): UploadCore {
  try {
    return uploadTransition(job, next);
  } catch (problem) {
    // A rejected event changes nothing. Any error but an AppError is a fault.
    if (problem instanceof AppError) return job;
    throw problem;
  }
}

describe('transitions of an upload', () => {
  test('rows = rejected + acknowledged + refused + unknown + unsent, always, and none is negative', () => {
    fc.assert(
      fc.property(life, (events) => {
        let job = NEW_UPLOAD;
        for (const next of events) {
          job = step(job, next);
          const counts = countsOf(job);
          const { rows, rejected, acknowledged, refused, unknown, unsent } = counts;
          expect(rejected + acknowledged + refused + unknown + unsent).toBe(rows);
          for (const count of Object.values(counts)) expect(count).toBeGreaterThanOrEqual(0);
          for (const tally of Object.values(job.tallies)) {
            expect(tally.batches).toBeGreaterThanOrEqual(0);
            expect(tally.rows).toBeGreaterThanOrEqual(0);
          }
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('no event leaves a terminal state; rows there move only out of unknown', () => {
    fc.assert(
      fc.property(life, event, (events, last) => {
        const job = events.reduce(step, NEW_UPLOAD);
        if (!isTerminal(job.state)) return;
        const after = step(job, last);
        expect(after.state).toBe(job.state);
        expect(after.tallies.refused).toEqual(job.tallies.refused);
        expect(after.tallies.unknown.rows).toBeLessThanOrEqual(job.tallies.unknown.rows);
        expect(after.tallies.acknowledged.rows).toBeGreaterThanOrEqual(job.tallies.acknowledged.rows);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('the last batch of a kind does not leave rows behind', () => {
    // Found by the property below: the job was done while four rows counted as being sent.
    const events: UploadEvent[] = [
      { type: 'batch', from: null, to: 'sending', rows: 5 },
      { type: 'batch', from: 'sending', to: 'acknowledged', rows: 1 },
      { type: 'scanned', rows: 15, rejected: 10 },
      { type: 'start' },
      { type: 'settle' },
    ];
    const job = events.reduce(step, NEW_UPLOAD);
    expect(job.state).not.toBe('done');
    expect(job.tallies.sending).toEqual({ batches: 1, rows: 5 });
  });

  test('a job is done only when every row is finished, and cancelled only when nothing is in flight', () => {
    fc.assert(
      fc.property(life, (events) => {
        const job = events.reduce(step, NEW_UPLOAD);
        if (job.state === 'done') {
          expect(
            job.tallies.unknown.batches + job.tallies.pending.batches + job.tallies.sending.batches,
          ).toBe(0);
          expect(countsOf(job).unsent).toBe(job.tallies.cancelled.rows);
        }
        if (job.state === 'cancelled')
          expect(job.tallies.sending.batches + job.tallies.pending.batches).toBe(0);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('a start is planned exactly while the job is scheduled, and never happens before its time', () => {
    fc.assert(
      fc.property(life, (events) => {
        let job = NEW_UPLOAD;
        for (const next of events) {
          const before = job;
          job = step(job, next);
          expect(job.startAtMs !== null).toBe(job.state === 'scheduled');
          if (next.type !== 'due' || before === job) continue;
          expect(before.state).toBe('scheduled');
          expect(next.nowMs).toBeGreaterThanOrEqual(before.startAtMs ?? Number.POSITIVE_INFINITY);
          expect(job.state).toBe('running');
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('a planned start: rescheduled, cancelled, started by hand, in time and late', () => {
    const plan = (startAtMs: number, nowMs: number, job = NEW_UPLOAD) =>
      uploadTransition(job, { type: 'schedule', startAtMs, nowMs });
    const planned = plan(1_000, 0);
    expect(planned).toMatchObject({ state: 'scheduled', startAtMs: 1_000 });
    expect(plan(2_000, 500, planned)).toMatchObject({ state: 'scheduled', startAtMs: 2_000 });
    expect(() => plan(1_000, 1_000)).toThrow('in the future');
    expect(uploadTransition(planned, { type: 'due', nowMs: 999 })).toBe(planned);
    expect(uploadTransition(planned, { type: 'due', nowMs: 1_000 })).toMatchObject({
      state: 'running',
      startAtMs: null,
      lateStart: null,
    });
    const late = uploadTransition(planned, { type: 'due', nowMs: 90_000 });
    expect(late.lateStart).toEqual({ plannedAtMs: 1_000, startedAtMs: 90_000 });
    expect(uploadTransition(planned, { type: 'start' })).toMatchObject({ state: 'running', startAtMs: null });
    expect(uploadTransition(planned, { type: 'cancel' })).toMatchObject({
      state: 'cancelled',
      startAtMs: null,
    });
    const paused = uploadTransition(planned, { type: 'pause', reason: 'Paused.', error: null });
    expect(paused).toMatchObject({ state: 'paused', startAtMs: null });
    expect(plan(3_000, 0, paused)).toMatchObject({ state: 'scheduled' });
    expect(() => plan(3_000, 0, late)).toThrow('Cannot start later: this upload is');
  });

  test('acknowledged and refused batches never change again, unknown ones only by a decision', () => {
    for (const to of STATES) {
      expect(canBatchMove('acknowledged', to)).toBe(false);
      expect(canBatchMove('refused', to)).toBe(false);
      expect(canBatchMove('unknown', to)).toBe(['acknowledged', 'pending', 'cancelled'].includes(to));
    }
  });
});

describe('predicted end of an upload', () => {
  test('a steady upload is predicted exactly, a limit only ever makes it longer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 250, max: 10_000 }),
        (rows, everyMs) => {
          let rate = startRate(0);
          for (let count = 1; count <= 20; count += 1) rate = observeRows(rate, rows, count * everyMs);
          const left = rows * 10;
          expect(etaMs(rate, left, null)).toBeCloseTo(everyMs * 10, 3);
          expect(etaMs(rate, left, everyMs * 30)).toBe(everyMs * 30);
          expect(etaMs(rate, 0, 1_000)).toBe(0);
        },
      ),
    );
  });
});
