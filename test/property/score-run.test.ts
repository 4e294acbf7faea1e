/** The states of a score run for any sequence of events. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RunCore, type RunEvent, runTransition } from '../../electron/core/jobs/score-run.ts';
import { NO_START } from '../../electron/core/jobs/start-plan.ts';
import { AppError } from '../../electron/shared/errors.ts';

/** Whole hours, so that some starts are late. */
const moment = fc.integer({ min: 0, max: 5 }).map((hour) => hour * 3_600_000);
const halt = { reason: fc.string({ maxLength: 5 }), error: fc.constant(null) };
const event: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.constantFrom<RunEvent>(
    { type: 'interrupt' },
    { type: 'wake' },
    { type: 'resume' },
    { type: 'unschedule', reason: 'Cancelled.' },
    { type: 'read' },
    { type: 'settle' },
  ),
  fc.record({ type: fc.constantFrom('pause' as const, 'wait' as const, 'fail' as const), ...halt }),
  fc.record({ type: fc.constant('schedule' as const), startAtMs: moment, nowMs: moment }),
  fc.record({ type: fc.constant('due' as const), nowMs: moment }),
);

/** An impossible event changes nothing, and is rejected with a sentence. */
function step(run: RunCore, next: RunEvent): RunCore {
  try {
    return runTransition(run, next);
  } catch (problem) {
    if (!(problem instanceof AppError)) throw problem;
    expect(problem.code).toBe('INVALID_ARGUMENT');
    expect(problem.message).toMatch(/\.$/);
    return run;
  }
}

test('a run is planned only while suspended, starts automatically at its time and not before, and ends once', () => {
  const begun: RunCore = { state: 'reading', reason: '', error: null, isReading: true, ...NO_START };
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let run = begun;
      for (const next of events) {
        const before = run;
        run = step(run, next);
        if (run.startAtMs !== null) expect(['paused', 'stopped']).toContain(run.state);
        if (before.state === 'done' && run.state !== 'done') expect(next.type).toBe('resume');
        if (run.isReading !== before.isReading) expect(next.type).toBe('read');
        if (next.type !== 'due' || run.state === before.state) continue;
        const plannedAtMs = before.startAtMs ?? Number.NaN;
        expect(next.nowMs).toBeGreaterThanOrEqual(plannedAtMs);
        expect(run.state).toBe(before.isReading ? 'reading' : 'running');
        const isLate = next.nowMs > plannedAtMs;
        expect(run.lateStart).toEqual(isLate ? { plannedAtMs, startedAtMs: next.nowMs } : null);
      }
    }),
  );
});
