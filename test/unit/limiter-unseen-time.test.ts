/** The time that the computer slept is added to the age of the state that a lane has learned, once in every process. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  forgotten,
  initialState,
  type LearnedState,
  merged,
  mergeLearned,
  moveBack,
  movedLearned,
  newWindow,
} from '../../electron/core/limits/learned-state.ts';

const HOUR_MS = 3_600_000;
/**
 * The last answer before the sleep came at 1,000 s and the first one after it at 1,010 s, so an hour was not counted.
 */
const SLEEP = { untilMs: 1_000_000, byMs: HOUR_MS, atMs: 1_010_000 };

const foreignAt = (sentAtMs: number) => ({
  ...{ count: 5, sentAtMs },
  resetAtMs: sentAtMs + 2 * HOUR_MS,
  untilMs: sentAtMs + 3 * HOUR_MS,
});

/** The state of a lane that learned from an answer at this time. */
function learnedAt(atMs: number): LearnedState {
  const state = initialState('metadata-read', 0);
  const windows = state.windows.map((window) => ({
    ...window,
    foreign: foreignAt(atMs),
    resetAtMs: atMs + 2 * HOUR_MS,
    resetSaidAtMs: atMs,
    triedResetMs: atMs + HOUR_MS,
    freedUntilMs: atMs,
  }));
  return {
    ...{ ...state, windows, changedAtMs: atMs, steppedAtMs: atMs, refusals: 1 },
    parkedUntilMs: atMs + 2 * HOUR_MS,
    cap: { left: 1, afterMs: atMs, untilMs: atMs + 2 * HOUR_MS, isCut: false },
  };
}

describe('unseen time', () => {
  test('ends every restriction learned before it that much sooner, and only once', () => {
    const state = learnedAt(900_000);
    expect(moveBack(state, SLEEP)).toBe(true);
    const soonerMs = 900_000 + HOUR_MS;
    expect(state.parkedUntilMs).toBe(soonerMs);
    expect(state.cap?.untilMs).toBe(soonerMs);
    expect(state.windows[0]).toMatchObject({
      resetAtMs: soonerMs,
      triedResetMs: 900_000,
      freedUntilMs: 900_000 - HOUR_MS,
      foreign: { resetAtMs: soonerMs, untilMs: 900_000 + 2 * HOUR_MS },
    });
    const once = structuredClone(state);
    expect(moveBack(state, SLEEP)).toBe(false);
    expect(state).toEqual(once);
  });

  test('changes nothing that was learned after it', () => {
    const state = learnedAt(1_020_000);
    const { unseen: _, ...before } = structuredClone(state);
    expect(moveBack(state, SLEEP)).toBe(true);
    expect(state).toMatchObject(before);
  });

  test('leaves a bound and use by others that another process learned later', () => {
    const state = { ...learnedAt(900_000), cap: learnedAt(1_005_000).cap };
    for (const window of state.windows) window.foreign = foreignAt(1_005_000);
    moveBack(state, SLEEP);
    expect(state.cap).toEqual(learnedAt(1_005_000).cap);
    expect(state.windows[0]?.foreign).toEqual(foreignAt(1_005_000));
    expect(state.parkedUntilMs).toBe(900_000 + HOUR_MS);
  });

  test('forgets a reset that may have been announced before the sleep or after it', () => {
    const state = learnedAt(900_000);
    for (const window of state.windows) window.resetSaidAtMs = 1_005_000;
    moveBack(state, SLEEP);
    expect(state.windows.map(({ resetAtMs }) => resetAtMs)).toEqual([null, null]);
  });

  test('states of older versions do not tell when a reset was announced: the last change tells', () => {
    const [before, after] = [learnedAt(900_000), learnedAt(1_020_000)];
    for (const window of [...before.windows, ...after.windows]) window.resetSaidAtMs = null;
    for (const state of [before, after]) moveBack(state, SLEEP);
    expect(before.windows[0]?.resetAtMs).toBe(900_000 + HOUR_MS);
    expect(after.windows[0]?.resetAtMs).toBe(1_020_000 + 2 * HOUR_MS);
  });

  test('of a lane that never had an answer only counts as accounted for', () => {
    const state = initialState('metadata-read', 0);
    expect(moveBack(state, SLEEP)).toBe(true);
    expect(state).toMatchObject({
      ...initialState('metadata-read', 0),
      steppedAtMs: -HOUR_MS,
      unseen: [SLEEP],
    });
  });

  test('is applied to the older knowledge of another process when both are merged, in both directions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 990_000 }),
        fc.integer({ min: 0, max: 990_000 }),
        (one, other) => {
          const [awake, stored] = [learnedAt(one), learnedAt(other)];
          moveBack(awake, SLEEP);
          for (const both of [merged(awake, stored), merged(stored, awake)]) {
            expect(both.parkedUntilMs).toBe(Math.max(one, other) + HOUR_MS);
            expect(both.cap?.untilMs).toBe(Math.max(one, other) + HOUR_MS);
          }
          // The stored state itself is not changed.
          expect(stored).toEqual(learnedAt(other));
        },
      ),
    );
  });
});

describe('stored knowledge', () => {
  test('text that cannot be read gives way to our own', () => {
    const ours = JSON.stringify(learnedAt(900_000));
    for (const theirs of ['{', '{"version":2}', '']) expect(mergeLearned(theirs, ours)).toBe(ours);
    expect(JSON.parse(mergeLearned(ours, ours))).toMatchObject({ changedAtMs: 900_000 });
    expect(movedLearned('{', SLEEP)).toBeNull();
    expect(JSON.parse(movedLearned(ours, SLEEP) ?? '{}')).toMatchObject({ unseen: [SLEEP] });
  });

  test('a window that only one process knows stays as it is', () => {
    const [later, earlier] = [learnedAt(900_000), learnedAt(800_000)];
    later.windows.push({ ...newWindow(3, 1_000, true), triedResetMs: 7 });
    expect(merged(later, earlier).windows.at(-1)).toEqual({ ...newWindow(3, 1_000, true), triedResetMs: 7 });
  });

  test('a lane without any window has the published ones again after a reset', () => {
    const off: LearnedState = { ...learnedAt(900_000), source: 'off', windows: [] };
    const { windows, source, parkedUntilMs } = forgotten(off, 'metadata-read', 950_000);
    expect(windows).toEqual(initialState('metadata-read', 0).windows);
    expect({ source, parkedUntilMs }).toEqual({ source: 'published', parkedUntilMs: off.parkedUntilMs });
  });
});
