/** Spans that were not found are searched in wider and wider time ranges. */
import { describe, expect, test } from 'vitest';
import {
  NEW_SEARCH,
  nextSearch,
  notFoundText,
  searchMargin,
  WIDEST_FIRST,
  widened,
  withCall,
  withFound,
} from '../../electron/core/spans/wider-search.ts';
import { MAX_SEARCH_CALLS } from '../../electron/shared/dataset-model.ts';

const HOUR_MS = 3_600_000;

test('each step is wider than the one before and than the usual margin, to the widest', () => {
  expect([searchMargin(null), searchMargin(NEW_SEARCH)]).toEqual([null, null]);
  let search = nextSearch(NEW_SEARCH, 5, HOUR_MS);
  const margins: (number | null)[] = [];
  while (search.end === null) {
    margins.push(searchMargin(search));
    search = nextSearch(withCall(search), 5, HOUR_MS);
  }
  expect(margins).toEqual(WIDEST_FIRST.toReversed().filter((marginMs) => marginMs > HOUR_MS));
  expect(search).toMatchObject({ end: 'widest', calls: margins.length });
  expect(searchMargin(search)).toBeNull();
});

test.each([
  ['all spans are found', {}, 0, 'all-found'],
  ['the service refuses the range', { isRefused: true }, 2, 'refused'],
  ['the calls are used up', { calls: MAX_SEARCH_CALLS }, 2, 'allowance'],
] as const)('it ends if %s', (_name, changes, unresolved, end) => {
  expect(nextSearch({ ...NEW_SEARCH, ...changes }, unresolved, 0).end).toBe(end);
});

test('found spans are counted for each margin', () => {
  const near = { ...NEW_SEARCH, marginMs: HOUR_MS };
  const far = withFound(withFound(withFound(near, 2), 3), 0);
  expect(withFound({ ...far, marginMs: 2 * HOUR_MS }, 1).found).toEqual([
    { marginMs: HOUR_MS, spans: 5 },
    { marginMs: 2 * HOUR_MS, spans: 1 },
  ]);
});

test('a range is widened on both sides, and a bound that is not a time stays', () => {
  const range = { startTime: '2026-03-10T10:00:00Z', endTime: '2026-03-10T12:00:00Z' };
  const wider = widened(range, HOUR_MS);
  expect([wider.startTime, wider.endTime].map((time) => Date.parse(time))).toEqual([
    Date.parse('2026-03-10T09:00:00Z'),
    Date.parse('2026-03-10T13:00:00Z'),
  ]);
  const odd = { startTime: 'once', endTime: '' };
  expect(widened(odd, HOUR_MS)).toEqual(odd);
});

describe('names the spans that were not found', () => {
  test.each([
    ['widest', 1, /^1 span was not found .+ its start\. The service most likely no longer has it\.$/],
    ['widest', 2, /^2 spans were not found .+ their starts\. The service most likely no longer has them\.$/],
    ['refused', 2, /The service refused to search/],
    ['allowance', 2, new RegExp(`The search ended after ${MAX_SEARCH_CALLS} requests`)],
  ] as const)('%s, %i', (end, count, expected) => {
    expect(notFoundText(count, { ...NEW_SEARCH, marginMs: HOUR_MS, end })).toMatch(expected);
  });
});
