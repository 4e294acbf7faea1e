import { describe, expect, test } from 'vitest';
import type { Freshness, NetworkState } from '../../electron/shared/model.ts';
import {
  canReadOn,
  describeAge,
  describeCompleteness,
  describeCount,
  shortCount,
} from '../../renderer/lib/freshness.ts';
import { showTimesIn } from '../helpers/shown-zone.ts';

showTimesIn('UTC');

const NOW = Date.parse('2026-03-12T14:02:00Z');
const HOUR = 3_600_000;
const error = {
  code: 'TIMEOUT',
  title: 'No answer in time',
  message: '',
  retry: 'later',
  details: {},
} as const;

const fresh: Freshness = {
  newestMs: NOW - 5_000,
  oldestMs: NOW - 6_000,
  isStale: false,
  storedRows: 500,
  totalRows: 500,
  isComplete: true,
  source: 'stored',
  searchedRows: null,
  hasMovedWhileRead: false,
  refresh: { phase: 'idle' },
  requestId: 'r1',
};
const nothing: Freshness = {
  ...fresh,
  newestMs: null,
  oldestMs: null,
  storedRows: 0,
  totalRows: null,
  isComplete: false,
  source: 'none',
};

const say = (freshness: Partial<Freshness>, network: NetworkState['state'] = 'online', base = fresh) =>
  describeAge({ ...base, ...freshness }, network, NOW, 'UTC');

describe('the age chip', () => {
  test('live while young and online', () => {
    expect(say({})).toEqual({ text: 'live', short: 'live', rest: '', tone: 'live', isLoading: false });
    expect(say({ storedRows: 500, totalRows: 5_000, isComplete: false }).text).toBe('live · 500 of 5,000');
  });

  test.each(['unknown', 'unauthorized'] as const)('not live while nothing is connected: %s', (network) => {
    expect(say({}, network)).toMatchObject({ text: '14:01 · under 1 min', tone: 'plain', isLoading: false });
  });

  test('not live while its refresh waits in a lane, or is late', () => {
    const loading = (agoMs: number) =>
      ({ phase: 'loading', fetchedRows: 0, startedAtMs: NOW - agoMs }) as const;
    const waiting = { ...fresh, refresh: loading(1_000) };
    const far = describeAge(waiting, 'online', NOW, 'UTC', NOW + 18 * 60_000);
    expect(far).toMatchObject({
      text: 'as of 14:01 · refresh waits until 14:20',
      short: '<1 min · waiting',
      tone: 'stale',
      isLoading: true,
    });
    const none = { ...nothing, refresh: loading(1_000) };
    expect(describeAge(none, 'online', NOW, 'UTC', NOW + 18 * 60_000).text).toBe('waits until 14:20');
    expect(describeAge(waiting, 'online', NOW, 'UTC', NOW + 500).text).toBe('live');
    expect(say({ refresh: loading(60_000) })).toMatchObject({ text: '14:01 · under 1 min', isLoading: true });
  });

  test('shows the time and the age after that', () => {
    expect(say({ newestMs: NOW - 3 * HOUR })).toMatchObject({ text: '11:02 · 3 h', tone: 'plain' });
    expect(say({ newestMs: NOW - 3 * HOUR, isStale: true }).tone).toBe('stale');
    expect(say({ newestMs: NOW - 50 * HOUR, totalRows: 900, isComplete: false }).text).toBe(
      'as of Tue 12:02 · 500 of 900',
    );
  });

  test.each(['switched-off', 'unreachable'] as const)('offline, whatever else is the case: %s', (network) => {
    expect(say({ newestMs: NOW - HOUR }, network)).toMatchObject({
      text: 'offline · as of 13:02',
      tone: 'offline',
    });
    expect(say({}, network, nothing).text).toBe('offline · not stored');
  });

  test('a failed refresh is shown beside the time', () => {
    const refresh = { phase: 'failed', error, atMs: NOW } as const;
    expect(say({ newestMs: NOW - HOUR, refresh })).toMatchObject({
      text: 'refresh failed · as of 13:02',
      tone: 'failed',
    });
    expect(say({ refresh }, 'online', nothing)).toMatchObject({ text: 'not loaded', tone: 'failed' });
  });

  test('has a short form with the state and the age, and the stored part apart', () => {
    const refresh = { phase: 'failed', error, atMs: NOW } as const;
    const old = { newestMs: NOW - 50 * HOUR, totalRows: 900, isComplete: false };
    expect(say(old)).toMatchObject({ short: '2 days', rest: ' · 500 of 900' });
    expect(say(old, 'switched-off').short).toBe('offline · 2 days');
    expect(say({ ...old, refresh }).short).toBe('failed · 2 days');
    expect(say({}, 'switched-off', nothing).short).toBe('not stored');
  });

  test('loading is shown beside the stored rows', () => {
    const refresh = { phase: 'loading', fetchedRows: 20, startedAtMs: NOW } as const;
    expect(say({ refresh })).toMatchObject({ text: 'live', isLoading: true });
    expect(say({ refresh }, 'online', nothing)).toMatchObject({ text: 'loading', isLoading: true });
  });
});

test('the receipt says how much of the whole is stored', () => {
  expect(describeCompleteness(fresh)).toBe('All 500.');
  expect(describeCompleteness({ ...fresh, totalRows: 5_000, isComplete: false })).toBe('500 of 5,000.');
  expect(describeCompleteness({ ...fresh, totalRows: null, isComplete: false })).toContain('total unknown');
  expect(describeCompleteness(nothing)).toBe('Nothing yet.');
  const wrong = { ...fresh, totalRows: 5e12, isTotalWrong: true };
  expect(describeCompleteness(wrong)).toBe(
    'All 500; the service states 5,000,000,000,000, but its pages end before.',
  );
  const part = { ...wrong, isComplete: false };
  expect(describeCompleteness(part)).toBe(
    '500; the service states 5,000,000,000,000, which is not possible.',
  );
  expect(say(part).text).toBe('live · 500 loaded');
  const removed = { ...nothing, removed: { atMs: NOW, to: '2 GB' } };
  expect(describeCompleteness(removed)).toMatch(
    /^These rows were removed .* on 12 Mar 2026 to stay under 2 GB\.$/,
  );
});

describe('the number of rows', () => {
  const nouns = { one: 'application', many: 'applications' };
  const list = { freshness: fresh, count: 0, narrow: '', isPlain: true, phase: 'ready' } as const;

  test('is not shown before the stored rows are read', () => {
    expect(describeCount({ ...list, phase: 'opening' }, nouns)).toBe('');
    expect(describeCount({ ...list, phase: 'opening', count: 500 }, nouns)).toBe('500 applications');
    expect(describeCount({ ...list, count: 1 }, nouns)).toBe('1 application');
    expect(describeCount({ ...list, isPlain: false, count: 500 }, nouns)).toBe('500 applications');
    expect(describeCount({ ...list, isPlain: false, narrow: 'x', count: 3 }, nouns)).toBe(
      '3 of 500 applications',
    );
  });

  test('is two numbers in a place without room for words', () => {
    expect(shortCount('3 of 1,500 spans')).toBe('3/1,500');
    expect(shortCount('3 of the 40 loaded spans')).toBe('3/40');
    expect(shortCount('1,500 spans')).toBe('1,500 spans');
    // Thousands can be separated by a narrow no-break space.
    expect(shortCount('1\u202f204 of the 12\u202f500 loaded spans')).toBe('1\u202f204/12\u202f500');
  });

  test('is not 0 if the stored rows are not read yet', () => {
    expect(describeCount(list, nouns)).toBe('');
    expect(describeCount({ ...list, isPlain: false }, nouns)).toBe('');
    expect(describeCount({ ...list, isPlain: false, narrow: 'x' }, nouns)).toBe('0 of 500 applications');
    expect(describeCount({ ...list, freshness: nothing }, nouns)).toBe('0 applications');
  });

  test('with column filters shows the matching, the stored and the total number', () => {
    const filtered = { ...list, isPlain: false, count: 3, filters: [{}] };
    expect(describeCount(filtered, nouns)).toBe('3 of 500 applications');
    const partly = { ...fresh, isComplete: false, storedRows: 40 };
    expect(describeCount({ ...filtered, freshness: partly }, nouns)).toBe(
      '3 of 40 stored of 500 applications',
    );
  });
});

test('reads on only if the service has further rows', () => {
  const part = { ...fresh, isComplete: false, totalRows: 570 };
  expect(canReadOn(part)).toBe(true);
  expect(canReadOn(null)).toBe(false);
  expect(canReadOn(nothing)).toBe(false);
  expect(canReadOn(fresh)).toBe(false);
  // The list was read to its end, and its pages contradicted the total.
  expect(canReadOn({ ...part, missingRows: 70 })).toBe(false);
  expect(canReadOn({ ...part, isTotalWrong: true })).toBe(false);
});

describe('kept rows that the service no longer returns', () => {
  const list = {
    ...{ freshness: { ...fresh, storedRows: 503, goneRows: 3 }, count: 503, narrow: '', isPlain: true },
    phase: 'ready' as const,
  };

  test('are counted beside the rows, and in the details of the age', () => {
    expect(describeCount(list, { one: 'item', many: 'items' })).toBe('503 items · 3 gone');
    expect(describeCompleteness(list.freshness)).toBe(
      'All 503. 3 of them are no longer in this list at the service, and kept here.',
    );
    expect(describeCompleteness({ ...fresh, goneRows: 1 })).toContain('1 of them is no longer in this list');
  });
});
