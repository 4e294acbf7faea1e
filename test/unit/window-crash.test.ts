/** A window whose process ended is reloaded, but not endlessly. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { reloadAfterCrash } from '../../electron/platform/window-crash.ts';
import type { WindowCrash } from '../../electron/shared/contract.ts';

function setUp({ isCrashed = false } = {}) {
  const contents = Object.assign(new EventEmitter(), {
    isCrashed: () => isCrashed,
    reloads: 0,
    ended: 0,
    forcefullyCrashRenderer: () => {
      contents.ended += 1;
      contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
    },
    reload: () => {
      contents.reloads += 1;
    },
  });
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const givenUp: WindowCrash[] = [];
  const state = {
    ...{ nowMs: 1_000, isClosing: false, asked: 0, late: (): void => undefined },
    answer: Promise.withResolvers<boolean>(),
  };
  const watch = reloadAfterCrash(contents, {
    clock: {
      nowMs: () => state.nowMs,
      monotonicMs: () => state.nowMs,
      setTimer: (callback) => {
        state.late = callback;
        return () => (state.late = () => undefined);
      },
    },
    logger: { debug: log, info: log, warn: log, error: log },
    isClosing: () => state.isClosing,
    askHanging: () => {
      state.asked += 1;
      return state.answer.promise;
    },
    onGivenUp: (crash) => givenUp.push(crash),
  });
  const crash = (reason = 'crashed') => contents.emit('render-process-gone', {}, { reason, exitCode: 5 });
  return { contents, logged, givenUp, state, watch, crash };
}

test('a window that does not return is reloaded, three times at most; a window that returned is not', () => {
  const { contents, logged, state, watch, crash } = setUp();
  crash();
  watch.ready();
  state.late();
  expect(contents.reloads).toBe(1);
  crash();
  for (let n = 0; n < 4; n += 1) state.late();
  expect(contents.reloads).toBe(3);
  expect(logged).toEqual(['window crashed', 'window crashed', 'window not back']);
});

test('a window that crashed before it was watched is reloaded, and says so', () => {
  const { contents, logged, watch } = setUp({ isCrashed: true });
  expect(contents.reloads).toBe(1);
  expect(logged).toEqual(['window crashed']);
  expect(watch.take()).toEqual({ atMs: 1_000, reason: 'crashed' });
});

test('three reloads in a row, then an end with the reason; after a quiet time a new series begins', () => {
  const { contents, logged, givenUp, state, crash } = setUp();
  for (let n = 0; n < 3; n += 1) {
    crash();
    state.nowMs += 1_000;
  }
  expect(contents.reloads).toBe(3);
  state.nowMs += 61_000;
  for (let n = 0; n < 3; n += 1) crash('oom');
  expect(contents.reloads).toBe(6);
  expect(givenUp).toEqual([]);
  crash('oom');
  expect(contents.reloads).toBe(6);
  expect(givenUp).toEqual([{ atMs: state.nowMs, reason: 'out of memory' }]);
  expect(logged).toEqual(Array.from({ length: 7 }, () => 'window crashed'));
});

test('a ready window that is ended from outside is reloaded each time; one that was not ready is given up', () => {
  const { contents, givenUp, watch, crash } = setUp();
  for (let n = 0; n < 100; n += 1) {
    watch.ready();
    crash('killed');
  }
  expect([contents.reloads, givenUp]).toEqual([100, []]);
  // The window was ready and then crashed by itself, which could repeat forever.
  for (let n = 0; n < 3; n += 1) {
    watch.ready();
    crash('crashed');
  }
  expect(givenUp).toHaveLength(1);
  for (let n = 0; n < 4; n += 1) crash('killed');
  expect(givenUp.length).toBeGreaterThan(1);
});

test('the reloaded window receives the reason, once', () => {
  const { watch, crash } = setUp();
  expect(watch.take()).toBeNull();
  crash('killed');
  expect(watch.take()).toEqual({ atMs: 1_000, reason: 'ended from outside' });
  expect(watch.take()).toBeNull();
});

test('a window that is reloaded again before it was ready receives the reason again', () => {
  const { state, watch, crash } = setUp();
  crash();
  expect(watch.take()).toMatchObject({ reason: 'crashed' });
  state.late();
  expect(watch.take()).toMatchObject({ reason: 'crashed' });
  watch.ready();
  expect(watch.take()).toBeNull();
});

test('an orderly end, or one while the application closes, is not a crash', () => {
  const { contents, state, crash } = setUp();
  crash('clean-exit');
  state.isClosing = true;
  crash('killed');
  expect(contents.reloads).toBe(0);
});

test('a window that hangs causes one question, and is reloaded if the user agrees', async () => {
  const { contents, logged, state } = setUp();
  contents.emit('unresponsive');
  contents.emit('unresponsive');
  expect(state.asked).toBe(1);
  expect(contents.reloads).toBe(0);
  state.answer.resolve(true);
  await state.answer.promise;
  expect([contents.ended, contents.reloads]).toEqual([1, 1]);
  expect(logged).toContain('window does not answer');
});

test('a window that responds again meanwhile, and one that the user waits for, stay', async () => {
  const { contents, state } = setUp();
  contents.emit('unresponsive');
  contents.emit('responsive');
  state.answer.resolve(true);
  await state.answer.promise;
  expect(contents.ended).toBe(0);
  state.answer = Promise.withResolvers();
  contents.emit('unresponsive');
  state.answer.resolve(false);
  await state.answer.promise;
  expect([state.asked, contents.ended]).toEqual([2, 0]);
});
