import { expect, test } from 'vitest';
import { createNetworkMonitor } from '../../electron/connections/network-monitor.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { networkWords } from '../../renderer/lib/network-words.ts';

/** A clock with a single timer, which the test runs. */
function handClock() {
  const timers: { callback: () => void; delayMs: number }[] = [];
  const time = { nowMs: 1_000 };
  const clock: Clock = {
    nowMs: () => time.nowMs,
    monotonicMs: () => 0,
    setTimer: (callback, delayMs) => {
      const timer = { callback, delayMs };
      timers.push(timer);
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
  };
  return { clock, timers, time };
}

function setUp(probe: () => Promise<void> = () => Promise.resolve(), isOffline = false) {
  const { clock, timers, time } = handClock();
  const answers: (number | null)[] = [];
  const changes: string[] = [];
  const monitor = createNetworkMonitor({
    hasService: true,
    connectionId: 'c',
    clock,
    probe,
    probeEveryMs: () => 60_000,
    isOffline,
    onChange: ({ state }, previous) => changes.push(`${previous}>${state}`),
    onAnswer: ({ lastAnswerMs }) => answers.push(lastAnswerMs),
  });
  return { monitor, timers, changes, answers, time };
}

const refused = new AppError('CONNECTION_REFUSED', 'no', { outcome: 'unsent' });

test('an unreachable service is probed with growing pauses until it answers', async () => {
  const { monitor, timers, changes } = setUp(() => Promise.reject(refused));
  monitor.sawFailure(refused);
  const delays: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const timer = timers.shift();
    expect(timer).toBeDefined();
    delays.push(timer?.delayMs ?? 0);
    timer?.callback();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  monitor.sawAnswer();
  expect(timers).toEqual([]);
  expect(changes).toEqual(['unknown>unreachable', 'unreachable>online']);
});

test('another reason for which the service is not reached is reported, the same one once', () => {
  const { monitor, changes, answers } = setUp();
  monitor.sawFailure(refused);
  monitor.sawFailure(refused);
  expect(answers).toHaveLength(0);
  monitor.sawFailure(new AppError('PROXY_FAILED', 'It asks for a password.', { outcome: 'unsent' }));
  expect(answers).toHaveLength(1);
  expect(changes).toEqual(['unknown>unreachable']);
  expect(monitor.state().error?.code).toBe('PROXY_FAILED');
});

test('the status bar names the states that the user can act on, with what to do', () => {
  const { monitor } = setUp();
  monitor.sawFailure(refused);
  expect(networkWords(monitor.state()).text).toBe('service unreachable');
  const nextStep = 'Sign in.';
  monitor.sawFailure(new AppError('TLS_FAILED', 'No trust.', { outcome: 'unsent', nextStep }));
  expect(networkWords(monitor.state())).toEqual({
    tone: 'bad',
    text: 'certificate not accepted',
    advice: 'No trust. Sign in.',
  });
});

test('the switch overrides what answers and failures indicate', () => {
  const { monitor, timers } = setUp();
  monitor.setOffline(true);
  monitor.sawFailure(refused);
  monitor.sawAnswer();
  expect(monitor.state().state).toBe('switched-off');
  expect(timers).toEqual([]);
  monitor.setOffline(false);
  expect(monitor.state().state).toBe('unknown');
});

test('if something else answers every request, the service is unreachable until it answers itself', async () => {
  const portal = new AppError('NOT_THIS_SERVICE', 'a web page', { outcome: 'answered', status: 200 });
  const answers = [() => Promise.reject(portal), () => Promise.resolve()];
  const { monitor, timers, changes } = setUp(() => {
    const next = answers.shift();
    // As in a real call, the monitor sees the answer before the caller does.
    if (answers.length > 0) monitor.sawFailure(portal);
    else monitor.sawAnswer();
    return next === undefined ? Promise.resolve() : next();
  });
  monitor.sawAnswer();
  monitor.sawFailure(portal);
  expect(monitor.state().state).toBe('online');
  timers.shift()?.callback();
  await new Promise((resolve) => setImmediate(resolve));
  expect(monitor.state()).toMatchObject({ state: 'unreachable', error: { code: 'NOT_THIS_SERVICE' } });
  expect(timers).toHaveLength(1);
  timers.shift()?.callback();
  await new Promise((resolve) => setImmediate(resolve));
  expect(changes).toEqual(['unknown>online', 'online>unreachable', 'unreachable>online']);
  expect(timers).toEqual([]);
});

test('something else answering at one address does not make the service unreachable', async () => {
  const { monitor, timers } = setUp(() => {
    monitor.sawAnswer();
    return Promise.resolve();
  });
  monitor.sawAnswer();
  monitor.sawFailure(new AppError('REDIRECTED', 'elsewhere', { outcome: 'answered', status: 302 }));
  timers.shift()?.callback();
  await new Promise((resolve) => setImmediate(resolve));
  expect(monitor.state().state).toBe('online');
  expect(timers).toEqual([]);
});

test('a rejected token is its own state and an answered error is an answer', () => {
  const { monitor } = setUp();
  monitor.sawFailure(new AppError('NOT_FOUND', 'no', { outcome: 'answered' }));
  expect(monitor.state().state).toBe('online');
  monitor.sawFailure(new AppError('UNAUTHORIZED', 'no', { outcome: 'answered' }));
  expect(monitor.state()).toMatchObject({ state: 'unauthorized', error: { code: 'UNAUTHORIZED' } });
  monitor.clearError();
  expect(monitor.state().state).toBe('unknown');
});

test('the probe decides if the operation that was rejected says nothing about the whole token', async () => {
  const rejected = new AppError('UNAUTHORIZED', 'no', { outcome: 'answered', status: 401 });
  const answers = [() => monitor.sawAnswer(), () => monitor.sawFailure(rejected)];
  const { monitor, timers, changes } = setUp(async () => answers.shift()?.());
  monitor.sawAnswer();
  for (const state of ['online', 'unauthorized']) {
    monitor.sawFailure(rejected, false);
    expect(monitor.state().state).toBe('online');
    timers.shift()?.callback();
    await new Promise((resolve) => setImmediate(resolve));
    expect(monitor.state().state).toBe(state);
  }
  monitor.sawFailure(rejected, false);
  expect(timers).toEqual([]);
  expect(changes).toEqual(['unknown>online', 'online>unauthorized']);
});

test('a probe that could not be sent changes nothing: probing continues', async () => {
  const paused = new AppError('PAUSED', 'its lane is paused', { outcome: 'unsent' });
  const { monitor, timers } = setUp(() => Promise.reject(paused));
  monitor.sawFailure(refused);
  timers.shift()?.callback();
  await new Promise((resolve) => setImmediate(resolve));
  expect(monitor.state()).toMatchObject({ state: 'unreachable', error: { code: 'CONNECTION_REFUSED' } });
  expect(timers).toHaveLength(1);
});

test('on demand it probes at once and restarts with short pauses; switched off it sends nothing', async () => {
  let probes = 0;
  const { monitor, timers } = setUp(() => {
    probes += 1;
    return Promise.reject(refused);
  });
  monitor.sawFailure(refused);
  for (let round = 0; round < 4; round += 1) {
    timers.shift()?.callback();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([probes, timers.map(({ delayMs }) => delayMs)]).toEqual([4, [32_000]]);
  monitor.look();
  await new Promise((resolve) => setImmediate(resolve));
  expect([probes, timers.map(({ delayMs }) => delayMs)]).toEqual([5, [2_000]]);
  monitor.setOffline(true);
  monitor.look();
  expect([probes, timers]).toEqual([5, []]);
});

test('detects a missing service by a probe, without another request', async () => {
  const { monitor, timers, changes } = setUp(() => Promise.reject(refused));
  monitor.sawAnswer();
  monitor.look();
  await new Promise((resolve) => setImmediate(resolve));
  expect(changes).toEqual(['unknown>online', 'online>unreachable']);
  expect(timers).toHaveLength(1);
});

test('while a service keeps answering, the time of its last answer is reported, but not with every answer', () => {
  const { monitor, changes, answers, time } = setUp();
  monitor.sawAnswer();
  for (const nowMs of [2_000, 10_999, 11_000, 12_000, 60_000, 5_000, 6_000]) {
    time.nowMs = nowMs;
    monitor.sawAnswer();
  }
  expect(changes).toEqual(['unknown>online']);
  expect(answers).toEqual([11_000, 60_000, 5_000]);
});

test('the longest pending request is the duration of silence, until none is left', () => {
  const { monitor } = setUp();
  const first = { operation: 'GET /v3/a', sentAtMs: 1 };
  const second = { operation: 'GET /v3/b', sentAtMs: 2 };
  const endSecond = monitor.sawSilence(second);
  expect(monitor.state().silence).toBe(second);
  const endFirst = monitor.sawSilence(first);
  expect(monitor.state().silence).toBe(first);
  endFirst();
  expect(monitor.state().silence).toBe(second);
  endSecond();
  expect(monitor.state().silence).toBe(null);
});

test('a monitor stopped during a probe sends no more, whatever the result of the probe', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { monitor, timers, changes } = setUp(() => promise);
  monitor.sawFailure(refused);
  timers.shift()?.callback();
  monitor.stop();
  reject(refused);
  await new Promise((resolve) => setImmediate(resolve));
  monitor.look();
  expect(timers).toEqual([]);
  expect(changes).toEqual(['unknown>unreachable']);
});
