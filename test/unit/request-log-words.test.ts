import { describe, expect, test } from 'vitest';
import type { RequestAttempt, RequestLogRow } from '../../electron/shared/traffic-model.ts';
import {
  attemptSpans,
  attemptText,
  axisOf,
  barOf,
  isFiltering,
  type LogFilter,
  matchesFilter,
  NO_FILTER,
  niceCeil,
  outcomeOf,
  outcomeText,
  rateRows,
  sentHeaderRows,
  shortPath,
  stampText,
  timingText,
} from '../../renderer/lib/request-log.ts';
import { aRequest } from '../helpers/traffic.ts';

function row(changes: Partial<RequestLogRow> = {}): RequestLogRow {
  const { tries: _, origin: __, body: ___, bodyKept: ____, error: _____, ...rest } = aRequest();
  return { ...rest, seq: 1, ...changes };
}

describe('the result of a request', () => {
  test.each([
    [{ status: 200, errorCode: null }, 'answered', '200'],
    [{ status: 200, errorCode: 'ANSWER_INVALID' }, 'answered', '200, unexpected answer'],
    [{ status: 302, errorCode: 'REDIRECTED' }, 'answered', '302, redirected elsewhere'],
    [{ status: 429, errorCode: 'RATE_LIMITED' }, 'refused', '429'],
    [{ status: 404, errorCode: 'NOT_FOUND' }, 'client-error', '404'],
    [{ status: 503, errorCode: 'SERVICE_UNAVAILABLE' }, 'server-error', '503'],
    [{ status: null, errorCode: 'TIMEOUT' }, 'failed', 'no answer in time'],
    [{ status: null, errorCode: 'CANCELLED' }, 'cancelled', 'cancelled'],
    [{ status: null, errorCode: null }, 'failed', 'no answer'],
  ] as const)('%o', (ended, outcome, text) => {
    expect(outcomeOf(ended)).toBe(outcome);
    expect(outcomeText(ended)).toBe(text);
  });
});

describe('the filter of the request log', () => {
  const only = (change: Partial<LogFilter>) => ({ ...NO_FILTER, ...change });
  const lost = row({ status: null, errorCode: 'TIMEOUT', group: 'upload 7', url: '/v3/events?note=a%20b' });

  test('matches everything until it is set', () => {
    expect(isFiltering(NO_FILTER)).toBe(false);
    expect(isFiltering(only({ text: '  ' }))).toBe(false);
    expect(isFiltering(only({ statusClass: 'failed' }))).toBe(true);
    expect(matchesFilter(lost, NO_FILTER)).toBe(true);
  });

  test.each([
    [{ operation: 'GET /v3/applications' }, true],
    [{ operation: 'POST /v3/events' }, false],
    [{ statusClass: 'failed' }, true],
    [{ statusClass: 'answered' }, false],
    [{ text: 'TIMEOUT' }, true],
    [{ text: 'upload 7' }, true],
    [{ text: '6F2C2F4E' }, true],
    [{ text: 'a b' }, true],
    [{ text: 'applications' }, true],
    [{ text: 'spans' }, false],
    [{ text: 'timeout', statusClass: 'answered' }, false],
  ] as const)('%o', (change, isFound) => expect(matchesFilter(lost, only(change))).toBe(isFound));

  test('a status matches as text too; a cancelled request did not fail', () => {
    expect(matchesFilter(row({ status: 429 }), only({ text: '429' }))).toBe(true);
    const cancelled = row({ status: null, errorCode: 'CANCELLED' });
    expect(matchesFilter(cancelled, only({ statusClass: 'failed' }))).toBe(false);
    expect(matchesFilter(cancelled, only({ statusClass: 'problems' }))).toBe(false);
    expect(matchesFilter(cancelled, only({ statusClass: 'cancelled' }))).toBe(true);
  });
});

describe('bars of the request log', () => {
  const fast = row({ startedAtMs: 1_000, atMs: 1_050, queuedMs: 10, networkMs: 40 });
  const slow = row({ startedAtMs: 2_000, atMs: 4_000, queuedMs: 500, networkMs: 300 });

  test('the scale ends at round numbers', () => {
    expect([0, 1, 43, 200, 950, 1_001, 2_243].map(niceCeil)).toEqual([1, 1, 50, 200, 1_000, 1_500, 3_000]);
  });

  test('by length they start together; time that was neither waiting nor network is between', () => {
    const axis = axisOf([fast, slow], 'length');
    expect(axis.lengthMs).toBe(2_000);
    expect(barOf(slow, axis)).toEqual({ left: 0, queued: 25, between: 60, network: 15 });
    expect(barOf(fast, axis)).toEqual({ left: 0, queued: 0.5, between: 0, network: 2 });
  });

  test('by time they are at their own times', () => {
    const axis = axisOf([slow, fast], 'time');
    expect(axis).toEqual({ mode: 'time', startMs: 1_000, lengthMs: 3_000 });
    expect(barOf(slow, axis).left).toBeCloseTo(100 / 3);
    expect(barOf(fast, axis).left).toBe(0);
  });

  test('empty and contradictory numbers draw valid bars', () => {
    expect(axisOf([], 'time')).toMatchObject({ lengthMs: 1 });
    const odd = row({ startedAtMs: 5_000, atMs: 4_000, queuedMs: 10, networkMs: 10 });
    const bar = barOf(odd, axisOf([odd], 'length'));
    expect(bar).toEqual({ left: 0, queued: 50, between: 0, network: 50 });
  });

  test('are described in words', () => {
    expect(timingText(fast)).toBe('waited 10 ms, network 40 ms');
    expect(timingText({ ...slow, attempts: 2 })).toBe(
      'waited 500 ms, network 300 ms, between attempts 1.2 s, 2 attempts',
    );
    expect(timingText(slow)).toBe('waited 500 ms, network 300 ms, on this computer 1.2 s');
    expect(timingText({ ...fast, isShared: true })).toContain('shared the answer');
  });
});

describe('an attempt of a request', () => {
  const attempt: RequestAttempt = {
    sentAtMs: 1_000,
    networkMs: 31,
    status: 429,
    errorCode: 'RATE_LIMITED',
    outcome: 'answered',
    sentBytes: 0,
    receivedBytes: 180,
    contentType: 'application/json',
    rate: { limit: '30 per 1 second', remaining: '0', reset: null, retryAfter: '2', date: null },
    headers: {},
    retriedFor: null,
  };

  test('shows the status, or the outcome without one', () => {
    expect(attemptText(attempt)).toBe('429, rate limit reached');
    expect(attemptText({ ...attempt, status: 200, errorCode: null })).toBe('200');
    const lost = { ...attempt, status: null, errorCode: 'CONNECTION_LOST' } as const;
    expect(attemptText({ ...lost, outcome: 'unknown' })).toBe(
      'connection lost; it may have been carried out',
    );
    expect(attemptText({ ...lost, outcome: 'unsent' })).toBe('connection lost; it was not sent');
  });

  test('shows the received rate headers unchanged', () => {
    expect(rateRows(attempt.rate)).toEqual([
      { name: 'X-RateLimit-Limit', value: '30 per 1 second' },
      { name: 'X-RateLimit-Remaining', value: '0' },
      { name: 'Retry-After', value: '2' },
    ]);
  });
});

test('the day is shown if it is not today', () => {
  const now = Date.UTC(2026, 2, 12, 12);
  expect(stampText(now - 3_600_000, now, 'UTC')).toBe('11:00:00');
  expect(stampText(now - 86_400_000, now, 'UTC')).toBe('2026-03-11 12:00:00');
});

describe('the timeline of a request', () => {
  test('attempts are at their times, with waiting between them', () => {
    const tries = [
      { sentAtMs: 1_100, networkMs: 100 },
      { sentAtMs: 1_900, networkMs: 100 },
    ];
    expect(attemptSpans(tries, { startedAtMs: 1_000, atMs: 2_000 })).toEqual([
      { left: 10, width: 10 },
      { left: 90, width: 10 },
    ]);
  });

  test('every part stays within the timeline if the clock was set back', () => {
    const [span] = attemptSpans([{ sentAtMs: 900, networkMs: 50 }], { startedAtMs: 1_000, atMs: 990 });
    expect(span?.left).toBe(0);
    expect(span?.width).toBeLessThanOrEqual(100);
  });

  test('the sent request is shown without the token, with a content type if there was a body', () => {
    const names = (bytes: number) => sentHeaderRows({ sentBytes: bytes }, 'whole').map(({ name }) => name);
    expect(names(0)).toEqual(['accept', 'authorization']);
    expect(names(9)).toEqual(['accept', 'authorization', 'content-type']);
    expect(sentHeaderRows({ sentBytes: 9 }, 'file').at(-1)?.value).toBe('multipart/form-data');
    expect(JSON.stringify(sentHeaderRows({ sentBytes: 9 }, 'whole'))).toContain('Bearer [token]');
  });
});

test('a path is readable: its filter without escapes, its ids short, and what separates its parts as it was sent', () => {
  const filter = encodeURIComponent('{"field":"a b","value":"x&y=1%"}');
  expect(shortPath(`/v3/rules/c99dfc00-0000-4000-8000-000000000090?filter=${filter}&limit=5`)).toBe(
    '/v3/rules/c99dfc…90?filter={"field":"a b","value":"x%26y%3D1%25"}&limit=5',
  );
});
