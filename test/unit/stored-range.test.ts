/** If no answer is stored for the requested time range, a stored answer for another range is shown. */
import { describe, expect, test } from 'vitest';
import { canonicalQuery } from '../../electron/library/list-query.ts';
import { storedRangeOf } from '../../electron/library/stored-range.ts';
import type { ListQuery, TimeRange } from '../../electron/shared/model.ts';
import { toStored, wantedPreset } from '../../renderer/lib/moved-range.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 10);
const upTo = (endMs: number, days: number): TimeRange => ({ startMs: endMs - days * DAY, endMs });
const times = ({ startMs, endMs }: TimeRange) => ({
  start_time: new Date(startMs).toISOString(),
  end_time: new Date(endMs).toISOString(),
});

const FORMS: Readonly<Record<string, (range: TimeRange, about?: string) => ListQuery>> = {
  parameters: (range, about = 'a') => ({
    operation: 'alert-rules.history',
    path: { alert_id: about },
    query: times(range),
  }),
  body: (range, about = 'a') => ({
    operation: 'spans.query',
    path: {},
    query: {},
    body: { ordering: '-start_time', application_id: about, ...times(range) },
  }),
  filters: (range, about = 'a') => ({
    operation: 'queries.run',
    path: {},
    query: {},
    body: { queries: [{ model_id: about }], filters: { time_range: times(range), bin_size: 'Day' } },
  }),
};

describe.each(Object.entries(FORMS))('a range in %s', (_, form) => {
  const asked = canonicalQuery(form(upTo(NOW, 7)));
  const found = (...stored: ListQuery[]) => storedRangeOf(asked, () => stored.map(canonicalQuery));

  test('the latest of the same length, before any of another length', () => {
    const [older, newer, longer] = [upTo(NOW - 3 * DAY, 7), upTo(NOW - DAY, 7), upTo(NOW, 30)];
    expect(found(form(older), form(longer), form(newer))).toEqual(newer);
    expect(found(form(older), form(longer))).toEqual(older);
  });

  test('of other lengths the latest, and among these the longest', () => {
    const [short, long] = [upTo(NOW - DAY, 1), upTo(NOW - DAY, 30)];
    expect(found(form(upTo(NOW - 9 * DAY, 90)), form(short), form(long))).toEqual(long);
  });

  test('none of another query, and not the requested one', () => {
    expect(found(form(upTo(NOW - DAY, 7), 'b'), form(upTo(NOW, 7)))).toBeNull();
    expect(found()).toBeNull();
  });
});

test('a query without a range has none', () => {
  const stored = () => {
    throw new Error('looked at');
  };
  expect(storedRangeOf({ operation: 'datasets.list', path: {}, query: {} }, stored)).toBeNull();
});

describe('a view switches to the stored range', () => {
  const iso = ({ startMs, endMs }: TimeRange) => ({
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
  });
  const params = { range: '7d', ...iso(upTo(NOW, 7)) };

  test('of the same length it stays the same preset, chosen or not', () => {
    const earlier = upTo(NOW - DAY, 7);
    for (const isChosen of [true, false]) {
      const next = toStored(params, earlier, isChosen);
      expect(next).toMatchObject(iso(earlier));
      expect(next).not.toHaveProperty('range');
    }
  });

  test('of another length only if the user did not choose the current one; the wanted preset is remembered', () => {
    const other = upTo(NOW - DAY, 90);
    expect(toStored(params, other, true)).toBeNull();
    const next = toStored(params, other, false);
    expect(next).toMatchObject({ range: 'custom', ...iso(other) });
    expect(wantedPreset(next ?? {})).toBe('7d');
  });

  test('not if nothing is stored, and not from a typed range', () => {
    expect(toStored(params, undefined, false)).toBeNull();
    expect(toStored({ ...params, range: 'custom' }, upTo(NOW - DAY, 7), false)).toBeNull();
  });
});
