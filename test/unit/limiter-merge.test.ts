/** Merges what two processes learned about a lane: no restriction is lost, in any order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialState, type LearnedState, merged } from '../../electron/core/limits/learned-state.ts';

const timeMs = fc.integer({ min: 0, max: 1_000 });
const foreign = fc.option(
  fc.record({ count: fc.integer({ min: 1, max: 30 }), sentAtMs: timeMs }).map(({ count, sentAtMs }) => ({
    count,
    sentAtMs,
    resetAtMs: sentAtMs + 500,
    untilMs: sentAtMs + 1_000,
  })),
);
const learned: fc.Arbitrary<LearnedState> = fc
  .record({
    parkedUntilMs: fc.option(timeMs),
    foreign: fc.tuple(foreign, foreign),
    triedResetMs: fc.option(timeMs),
    cap: fc.option(
      fc.record({
        left: fc.integer({ min: 0, max: 9 }),
        afterMs: timeMs,
        untilMs: timeMs,
        isCut: fc.constant(false),
      }),
    ),
    changedAtMs: fc.option(timeMs),
    steppedAtMs: timeMs,
    refusals: fc.nat(5),
  })
  .map((changes) => {
    const { foreign: uses, triedResetMs, ...rest } = changes;
    const fresh = initialState('metadata-read', 0);
    const windows = fresh.windows.map((window, index) => ({
      ...window,
      triedResetMs,
      foreign: uses[index] ?? null,
    }));
    return { ...fresh, ...rest, windows };
  });

test('keeps the longest wait, the latest use by others, the latest bound and the latest probe', () => {
  fc.assert(
    fc.property(learned, learned, (one, other) => {
      for (const both of [merged(one, other), merged(other, one)]) {
        expect(both.parkedUntilMs ?? 0).toBe(Math.max(one.parkedUntilMs ?? 0, other.parkedUntilMs ?? 0));
        expect(both.cap?.afterMs ?? 0).toBe(Math.max(one.cap?.afterMs ?? 0, other.cap?.afterMs ?? 0));
        const tried = (state: LearnedState) => state.windows[0]?.triedResetMs ?? 0;
        expect(tried(both)).toBe(Math.max(tried(one), tried(other)));
        both.windows.forEach(({ foreign: use }, index) => {
          const uses = [one, other].flatMap(({ windows }) => windows[index]?.foreign ?? []);
          expect(use?.sentAtMs).toBe(
            uses.length === 0 ? undefined : Math.max(...uses.map(({ sentAtMs }) => sentAtMs)),
          );
        });
      }
    }),
  );
});
