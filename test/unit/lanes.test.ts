import { describe, expect, test } from 'vitest';
import type {
  LaneStatus,
  LearnedLimits,
  WaitingGroup,
  WaitStatus,
} from '../../electron/shared/traffic-model.ts';
import {
  describeBacklog,
  describeGroup,
  describeHalt,
  describeLanes,
  describeLearned,
  describeMeter,
  describePause,
  describePriorities,
  describeQueue,
  describeReset,
  describeUse,
  describeWindow,
  isBusy,
  isNotable,
  isQuiet,
  nextChangeMs,
  viewWait,
  waitText,
} from '../../renderer/lib/lanes.ts';
import { aLane, aWindow } from '../helpers/traffic.ts';

const NOW = Date.UTC(2026, 2, 12, 13, 0, 0);
const second = aWindow({ used: 30, resetsAtMs: NOW + 400 });
const minute = aWindow({ count: 1_000, lengthMs: 60_000, used: 90, resetsAtMs: NOW + 41_000 });
const busy = aLane({ windows: [second, minute], queued: 12, inFlight: 2, longestWaitMs: 1_560 });

const REFUSED = {
  code: 'CONNECTION_REFUSED',
  title: 'Service not reached',
  message: 'The connection was refused.',
  retry: 'later',
  details: {},
} as const;

function waiting(wait: Partial<WaitStatus>, changes: Partial<LaneStatus> = {}): LaneStatus {
  const plain = { text: '', untilMs: null, window: null, pausedBy: null, error: null };
  return aLane({ queued: 12, ...changes, wait: { ...plain, reason: 'window', ...wait } });
}

describe('a lane in words', () => {
  test('shows its limits, their use, and when capacity becomes free', () => {
    expect(describeWindow(minute)).toBe('1,000 per minute');
    expect(describeWindow(aWindow({ count: 5, lengthMs: 10_000 }))).toBe('5 per 10 s');
    expect(describeUse(minute)).toBe('90 of 1,000 used');
    expect(describeUse(aWindow({ used: 12, foreign: 3 }))).toBe(
      '12 of 30 used, 3 by another program with this token',
    );
    expect(describeReset(minute, NOW)).toBe('next in 41 s');
    expect(describeReset(second, NOW)).toBe('next in 1 s');
    expect(describeReset(second, NOW + 400)).toBe('next now');
    expect(describeReset(aWindow({ used: 0, resetsAtMs: NOW + 9_000 }), NOW)).toBe('');
    expect(describeReset(aWindow({ used: 1, resetsAtMs: null }), NOW)).toBe('');
  });

  test('shows its queue by priority', () => {
    expect(describeQueue(busy)).toBe('12 waiting (12 on screen), longest 1.6 s · 2 in progress');
    expect(describeQueue(aLane())).toBe('');
    const queuedBy = { view: 2, click: 0, outbox: 1, upload: 9, prefetch: 0 };
    expect(describePriorities({ queuedBy })).toBe('2 on screen, 1 outbox, 9 uploads');
    expect(describePriorities(aLane())).toBe('');
  });

  test('is busy while requests wait or are in flight, even if it cannot send', () => {
    expect(isBusy(aLane())).toBe(false);
    expect(isBusy(aLane({ inFlight: 1 }))).toBe(true);
    expect(isBusy(aLane({ retrying: 1 }))).toBe(true);
    expect(isBusy(waiting({ reason: 'retry-after' }, { queued: 0 }))).toBe(false);
    expect(isBusy(waiting({ reason: 'paused' }))).toBe(true);
    expect(isBusy(waiting({ reason: 'paused' }, { queued: 0 }))).toBe(false);
  });

  test('18 lanes without waiting requests are not busy while the service is unreachable', () => {
    const text = 'The service did not answer; one request tries again soon.';
    const cut = waiting({ reason: 'breaker', text, untilMs: NOW + 12_000, error: REFUSED }, { queued: 0 });
    const lanes = Array.from({ length: 18 }, () => cut);
    expect(describeBacklog(lanes)).toBeNull();
    expect(isQuiet(cut)).toBe(true);
    expect(isQuiet(waiting({ reason: 'retry-after' }, { queued: 0 }))).toBe(false);
    expect(isQuiet(waiting({ reason: 'paused' }, { queued: 0, isPaused: true }))).toBe(false);
    const quiet = cut.windows.map((window) => ({ ...window, used: 2 }));
    const free = lanes.map((lane) => ({ ...lane, title: 'Spans', windows: quiet }));
    expect(describeLanes(free)).toBe(
      '18 kinds of requests, none near its limit · nearest: Spans: 2 of 30 per second',
    );
    expect(free.some(isNotable)).toBe(false);
    expect(describeLanes(free.map((lane) => ({ ...lane, windows: [] })))).toBe(
      '18 kinds of requests, none near its limit',
    );
    expect(isNotable({ ...cut, windows: quiet.map((window) => ({ ...window, used: 20 })) })).toBe(true);
    expect(describeHalt(lanes, NOW)).toEqual({
      text: 'The service did not answer. One request will try again in 12 s.',
      error: REFUSED,
    });
    const offline = waiting(
      { reason: 'paused', pausedBy: 'offline', text: 'Working offline.' },
      { inFlight: 1 },
    );
    expect(describeLanes([offline])).toBe('1 of 1 kind of request in use or near a limit');
    expect(describeHalt([offline], NOW)).toEqual({
      text: 'Working offline. Nothing is sent.',
      error: null,
    });
    expect(describeHalt([waiting({ reason: 'paused', pausedBy: 'user' }), busy], NOW)).toBeNull();
  });
});

describe('why is this waiting?', () => {
  const full = 'All 30 requests of a second are used.';
  const cases: [string, Partial<WaitStatus>, string][] = [
    ['a full window', { text: full, untilMs: NOW + 400 }, `${full} The next request can be sent in 1 s.`],
    [
      'a minute counted down',
      { text: full, untilMs: NOW + 41_000 },
      `${full} The next request can be sent in 41 s.`,
    ],
    ['a time that is past', { text: full, untilMs: NOW - 1 }, full],
    ['nobody knows until when', { text: full, untilMs: null }, full],
    [
      'a parked lane, at a clock time',
      { reason: 'retry-after', text: 'The service asked to wait.', untilMs: NOW + 3_600_000 },
      `The service asked to wait. The next request can be sent at ${clockOf(NOW + 3_600_000)}.`,
    ],
    [
      'a breaker that tries again',
      {
        reason: 'breaker',
        text: 'The service did not answer; one request tries again soon.',
        untilMs: NOW + 12_000,
      },
      'The service did not answer. One request will try again in 12 s.',
    ],
    [
      'a person’s pause',
      { reason: 'paused', pausedBy: 'user', text: 'Paused.' },
      'Paused: 12 requests will be sent when you resume it.',
    ],
    [
      'working offline',
      { reason: 'paused', pausedBy: 'offline', text: 'Working offline.' },
      'Working offline.',
    ],
  ];
  test.each(cases)('%s', (_, wait, said) => expect(waitText(waiting(wait), NOW)).toBe(said));

  test('names a paused lane even while working offline', () => {
    const lane = waiting(
      { reason: 'paused', pausedBy: 'offline', text: 'Working offline.' },
      { isPaused: true },
    );
    expect(waitText(lane, NOW)).toBe('Working offline. It is also paused.');
  });

  test('a paused lane without a queue', () => {
    expect(waitText(waiting({ reason: 'paused', pausedBy: 'user' }, { queued: 0 }), NOW)).toBe('Paused.');
  });
});

/** Returns e.g. `14:00`, in the zone of this test. */
function clockOf(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(ms);
}

describe('sources of limits', () => {
  const learned = (changes: Partial<LearnedLimits>): LearnedLimits => ({
    source: 'published',
    policy: null,
    inFlightLimit: null,
    factor: 1,
    refusals: 0,
    changedAtMs: null,
    ...changes,
  });
  test.each([
    [learned({}), 'published', 'The API description states this limit'],
    [
      learned({ factor: 0.5, refusals: 2 }),
      'published, slowed',
      'After 2 refusals 50 % of the limit is used.',
    ],
    [learned({ source: 'stated', policy: '20 per 1 second' }), 'stated by service', '“20 per 1 second”'],
    [learned({ source: 'off', factor: 1.5 }), 'limits off', '150 % of the published limit'],
    [learned({ source: 'adapting', inFlightLimit: 4 }), 'adapting, 4 at once', 'At most 4 requests at once.'],
    [learned({ source: 'adapting' }), 'adapting', 'The service states no limit.'],
  ])('%o', (given, text, meaning) => {
    expect(describeLearned(given).text).toBe(text);
    expect(describeLearned(given).meaning).toContain(meaning);
  });
});

describe('all lanes together', () => {
  test('the meter shows the tightest window if it is more than half used or requests wait', () => {
    expect(describeMeter([busy])).toMatchObject({
      share: 1,
      text: `${busy.title}: 30 of 30 per second`,
      title: `${busy.title}: 30 of 30 per second used. Opens Requests.`,
    });
    expect(describeMeter([aLane({ windows: [minute] })])).toBeNull();
    expect(describeMeter([aLane({ title: 'Spans', queued: 2, windows: [minute] })])).toMatchObject({
      text: 'Spans: 90 of 1,000 per minute',
    });
    expect(describeMeter([aLane({ windows: [aWindow({ count: 0 })] })])).toMatchObject({ share: 1 });
    expect(describeMeter([aLane({ windows: [] })])).toBeNull();
  });

  test('the backlog is shown if there is one', () => {
    expect(describeBacklog([aLane(), aLane()])).toBeNull();
    expect(describeBacklog([busy, aLane({ inFlight: 1 })])).toBe('12 waiting · 3 in progress');
    expect(describeBacklog([aLane({ inFlight: 1 })])).toBe('1 in progress');
    // Requests of another process, even of a killed one, are not a backlog of this window.
    expect(describeBacklog([aLane({ inFlightOfOthers: 10 })])).toBeNull();
    expect(describeQueue(aLane({ inFlightOfOthers: 10 }))).toBe(
      'up to 10 by another window or command, or one that ended',
    );
  });

  test('shows the paused lanes', () => {
    const paused = aLane({ title: 'Catalog', isPaused: true });
    expect(describePause([aLane()], false)).toBeNull();
    expect(describePause([aLane(), paused], false)).toBe('Catalog is paused');
    expect(describePause([paused, paused], false)).toBe('2 kinds of requests are paused');
    expect(describePause([paused, paused], true)).toBe('All requests are paused');
    expect(describePause([paused, aLane()], true)).toBe(
      'All requests are paused except those of 1 kind of request',
    );
    expect(describePause([], true)).toBe('All requests are paused');
  });

  test('must be redrawn when capacity next becomes free', () => {
    expect(nextChangeMs([aLane()], NOW)).toBeNull();
    expect(nextChangeMs([busy], NOW)).toBe(NOW + 400);
    expect(nextChangeMs([{ ...busy, queued: 0 }], NOW + 400)).toBe(NOW + 41_000);
    expect(nextChangeMs([waiting({ untilMs: NOW + 100 }, { windows: [second] })], NOW)).toBe(NOW + 100);
  });

  test('must be redrawn every second while requests wait, even without another event', () => {
    const paused = waiting({ reason: 'paused', pausedBy: 'user' }, { windows: [] });
    expect(nextChangeMs([paused], NOW)).toBe(NOW + 1_000);
    expect(nextChangeMs([aLane({ retrying: 1 })], NOW)).toBe(NOW + 1_000);
    expect(nextChangeMs([{ ...paused, queued: 0 }], NOW)).toBeNull();
  });
});

describe('waiting groups', () => {
  const group = (changes: Partial<WaitingGroup>): WaitingGroup => ({
    operation: 'GET /v3/applications',
    group: 'upload 1',
    priority: 'upload',
    isChosen: false,
    queued: 0,
    retrying: 0,
    inFlight: 0,
    longestWaitMs: 0,
    ahead: 0,
    retryAtMs: null,
    ...changes,
  });
  test.each([
    [group({ queued: 3, longestWaitMs: 1_600, ahead: 40 }), '3 waiting for 1.6 s · 40 ahead of them'],
    [group({ inFlight: 2 }), '2 in progress'],
    [group({ retrying: 1, retryAtMs: 13_000 }), '1 to retry in 3 s'],
    [group({ queued: 1, longestWaitMs: 200, retrying: 2 }), '1 waiting for 200 ms · 2 to retry'],
  ])('%o', (each, text) => {
    expect(describeGroup(each, 10_000)).toBe(text);
  });

  test('a lane whose only request is being retried is busy, and shows when', () => {
    const wait = { text: '1 request failed and is sent again.', untilMs: 14_000, window: null } as const;
    const lane = aLane({ reason: 'retry', retrying: 1, longestWaitMs: 900 });
    const retrying = { ...lane, wait: { ...lane.wait, ...wait } };
    expect(isBusy(retrying)).toBe(true);
    expect(describeQueue(retrying)).toBe('1 to retry, longest 900 ms');
    expect(waitText(retrying, 10_000)).toBe('1 request failed and is sent again in 4 s.');
    expect(describeBacklog([retrying])).toBe('1 waiting');
  });

  test('a service that answers 503 is not shown as silent', () => {
    const lane = aLane({ reason: 'breaker' });
    const text = 'The service answered that it is not available; one request tries again soon.';
    const down = { ...lane, wait: { ...lane.wait, text, untilMs: 12_000 } };
    expect(waitText(down, 10_000)).toBe(
      'The service answered that it is not available. One request will try again in 2 s.',
    );
  });
});

describe('the reason for a delayed refresh of a view', () => {
  const untilMs = NOW + 18 * 60_000;
  const held = aLane({
    queued: 1,
    wait: {
      reason: 'retry-after',
      text: 'The service asked to wait.',
      untilMs,
      window: null,
      error: null,
      pausedBy: null,
    },
  });
  const group: WaitingGroup = {
    operation: held.operation,
    group: 'tab-1.applications',
    priority: 'view',
    isChosen: false,
    queued: 1,
    retrying: 0,
    inFlight: 0,
    longestWaitMs: 0,
    ahead: 0,
    retryAtMs: null,
  };
  const overview = { lanes: [held], waiting: [group] };

  test('is its lane, until the lane is free', () => {
    expect(viewWait(overview, 'tab-1.applications', NOW)).toMatchObject({
      untilMs,
      text: expect.stringContaining('The service asked to wait.'),
    });
    expect(viewWait(overview, 'tab-2.applications', NOW)).toBeNull();
    expect(viewWait(overview, 'tab-1.applications', untilMs + 1)).toBeNull();
    const sent = { ...overview, waiting: [{ ...group, inFlight: 1 }] };
    expect(viewWait(sent, 'tab-1.applications', NOW)).toBeNull();
  });
});
