/** The states of a build for any sequence of events, and a complete commit to a service with random failures. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BuildCore,
  type BuildEvent,
  countsOf,
  NO_SPANS,
  pickedOf,
  transition,
} from '../../electron/core/jobs/build-job.ts';
import { BUILD_STATES, SPAN_STATES, type SpanState } from '../../electron/shared/dataset-model.ts';
import { AppError } from '../../electron/shared/errors.ts';

const NEW_BUILD: BuildCore = {
  ...{ state: 'editing', reason: '', error: null },
  ...{ tallies: NO_SPANS, startAtMs: null, lateStart: null },
};

const count = fc.integer({ min: 0, max: 4 });
const spanState = fc.constantFrom(...SPAN_STATES);
/** Whole hours, so that some starts are late. */
const moment = fc.integer({ min: 0, max: 5 }).map((hour) => hour * 3_600_000);
const halt = { reason: fc.string({ maxLength: 5 }), error: fc.constant(null) };
const event: fc.Arbitrary<BuildEvent> = fc.oneof(
  fc.record({
    type: fc.constant('picked' as const),
    as: fc.constantFrom('unsent' as const, 'added' as const),
    count,
  }),
  fc.record({ type: fc.constant('unpicked' as const), from: spanState, count }),
  fc.record({ type: fc.constant('move' as const), from: spanState, to: spanState, count }),
  fc.constantFrom<BuildEvent>(
    { type: 'start' },
    { type: 'resume' },
    { type: 'wake' },
    { type: 'settle' },
    { type: 'unschedule' },
    { type: 'miss', error: new AppError('READ_ONLY', 'It is read-only.').toWire() },
  ),
  fc.record({ type: fc.constant('schedule' as const), startAtMs: moment, nowMs: moment }),
  fc.record({ type: fc.constant('due' as const), nowMs: moment }),
  fc.record({ type: fc.constantFrom('pause' as const, 'wait' as const, 'fail' as const), ...halt }),
  fc.record({ type: fc.constant('interrupt' as const), reason: halt.reason }),
);

/** An impossible event changes nothing, and is rejected with a sentence. */
function step(build: BuildCore, next: BuildEvent): BuildCore {
  try {
    return transition(build, next);
  } catch (problem) {
    if (!(problem instanceof AppError)) throw problem;
    expect(['INVALID_ARGUMENT', 'INTERNAL']).toContain(problem.code);
    expect(problem.message).toMatch(/\.$/);
    return build;
  }
}

describe('transitions of a build', () => {
  test('counts always agree, and done means that nothing is open', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let build = NEW_BUILD;
        for (const next of events) {
          const before = build;
          build = step(build, next);
          const counts = countsOf(build.tallies, 0);
          const { picked, excluded, added, unsent, unresolved, sending, unknown, acknowledged, givenUp } =
            counts;
          expect(picked).toBe(
            excluded + added + unsent + unresolved + sending + unknown + acknowledged + givenUp,
          );
          expect(Object.values(build.tallies).every((spans) => spans >= 0)).toBe(true);
          expect(BUILD_STATES).toContain(build.state);
          // Acknowledged spans stay acknowledged, and spans are added or removed only during editing.
          expect(build.tallies.acknowledged).toBeGreaterThanOrEqual(before.tallies.acknowledged);
          if (before.state !== 'editing') expect(pickedOf(build.tallies)).toBe(pickedOf(before.tallies));
          if (build.state === 'done') expect(unsent + unresolved + sending + unknown).toBe(0);
          if (before.state === 'done') expect(build).toEqual(before);
          // A start is planned only while the build is suspended, and happens automatically at its time and not before.
          if (build.startAtMs !== null) expect(['editing', 'paused', 'stopped']).toContain(build.state);
          if (next.type === 'due' && build.state !== before.state) {
            expect(build).toMatchObject({ state: 'committing', startAtMs: null });
            const plannedAtMs = before.startAtMs ?? Number.NaN;
            expect(next.nowMs).toBeGreaterThanOrEqual(plannedAtMs);
            const isLate = next.nowMs > plannedAtMs;
            expect(build.lateStart).toEqual(isLate ? { plannedAtMs, startedAtMs: next.nowMs } : null);
          }
        }
      }),
    );
  });

  test('a span leaves "sending" by an answer alone, and never leaves "acknowledged"', () => {
    const canMove = (from: SpanState, to: SpanState): boolean => {
      const build: BuildCore = { ...NEW_BUILD, state: 'committing', tallies: { ...NO_SPANS, [from]: 1 } };
      return step(build, { type: 'move', from, to, count: 1 }) !== build;
    };
    for (const to of SPAN_STATES) expect(canMove('acknowledged', to)).toBe(false);
    for (const from of SPAN_STATES) {
      expect(canMove(from, 'acknowledged')).toBe(from === 'sending' || from === 'unknown');
    }
  });
});

type Outcome = 'written' | 'lost-written' | 'lost-unwritten' | 'unsent' | 'unresolved';

/** A minimal service and user. Counts how often each span is written, whatever fails. */
function commitAll(spans: number, callSpans: number, outcomes: readonly Outcome[], resendsLost: boolean) {
  const written = new Map<number, number>();
  const write = (ids: readonly number[]) => {
    for (const id of ids) written.set(id, (written.get(id) ?? 0) + 1);
  };
  let build = transition(NEW_BUILD, { type: 'picked', as: 'unsent', count: spans });
  build = transition(build, { type: 'start' });
  let unsent = Array.from({ length: spans }, (_, id) => id);
  const lost: { ids: number[]; isWritten: boolean }[] = [];
  const move = (
    from: 'sending' | 'unresolved' | 'unknown' | 'unsent',
    to: (typeof SPAN_STATES)[number],
    n: number,
  ) => {
    build = transition(build, { type: 'move', from, to, count: n });
  };
  let turn = 0;
  while (unsent.length > 0) {
    const ids = unsent.splice(0, callSpans);
    move('unsent', 'sending', ids.length);
    const outcome = outcomes[turn % Math.max(1, outcomes.length)] ?? 'written';
    // At the end, the service works.
    const now = turn++ < outcomes.length ? outcome : 'written';
    if (now === 'written') {
      write(ids);
      move('sending', 'acknowledged', ids.length);
    } else if (now === 'unsent') {
      move('sending', 'unsent', ids.length);
      unsent = [...ids, ...unsent];
    } else if (now === 'unresolved') {
      move('sending', 'unresolved', 1);
      move('sending', 'unsent', ids.length - 1);
      build = transition(build, { type: 'fail', reason: 'One was not found.', error: null });
      move('unresolved', 'excluded', 1);
      build = transition(build, { type: 'resume' });
      unsent = [...ids.slice(1), ...unsent];
    } else {
      const isWritten = now === 'lost-written';
      if (isWritten) write(ids);
      lost.push({ ids, isWritten });
      move('sending', 'unknown', ids.length);
    }
  }
  build = transition(build, { type: 'settle' });
  const asked = lost.length > 0;
  expect(build.state).toBe(asked ? 'needs-decision' : 'done');
  for (const { ids, isWritten } of lost) {
    // The user follows the evidence, or acts against it if the test says so.
    if (isWritten && !resendsLost) move('unknown', 'acknowledged', ids.length);
    else {
      move('unknown', 'unsent', ids.length);
      build = transition(build, { type: 'resume' });
      move('unsent', 'sending', ids.length);
      write(ids);
      move('sending', 'acknowledged', ids.length);
      build = transition(build, { type: 'settle' });
    }
  }
  return { build: transition(build, { type: 'settle' }), written };
}

describe('a build that is sent completely', () => {
  const outcomes = fc.array(
    fc.constantFrom<Outcome>('written', 'lost-written', 'lost-unwritten', 'unsent', 'unresolved'),
    { maxLength: 12 },
  );
  test('writes every span once if the user follows the evidence', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        outcomes,
        (spans, size, plan) => {
          const { build, written } = commitAll(spans, size, plan, false);
          expect(build.state).toBe('done');
          expect([...written.values()].every((times) => times === 1)).toBe(true);
          expect(written.size + build.tallies.excluded).toBe(spans);
          expect(build.tallies.acknowledged).toBe(written.size);
        },
      ),
    );
  });

  test('writes a span twice only if the user sends a written one again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        outcomes,
        (spans, size, plan) => {
          const { written } = commitAll(spans, size, plan, true);
          const hasLostWritten = plan.includes('lost-written');
          const isTwice = [...written.values()].some((times) => times > 1);
          if (isTwice) expect(hasLostWritten).toBe(true);
        },
      ),
    );
  });
});
