/** Pages of the spans of a build contain the same rows as a full scan, from any position. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpanFilter } from '../../electron/db/build-span-store.ts';
import { type DatasetStore, openDatasetStore } from '../../electron/db/build-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { SpanState } from '../../electron/shared/dataset-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Enough spans for many blocks of counts. */
const SPANS = 42_000;
const KEY_SETS = 5;
const STATES: readonly SpanState[] = [
  'unsent',
  'unsent',
  'added',
  'excluded',
  'unresolved',
  'unsent',
  'unsent',
];
const folder = new DataFolder();
let store: DatasetStore;

const stateOf = (position: number): SpanState => STATES[position % STATES.length] ?? 'unsent';

beforeAll(() => {
  store = openDatasetStore({ file: folder.file('datasets.db'), clock: systemClock, logger: silentLogger });
  store.commit(() =>
    store.spans.add(
      'b',
      0,
      Array.from({ length: SPANS }, (_, position) => ({
        trace_id: `t${position >> 3}`,
        span_id: `s${position}`,
        startMs: position,
        startTime: null,
        name: null,
        spanType: null,
        keys: [`key ${position % KEY_SETS}`],
        record: '{}',
        state: stateOf(position),
      })),
    ),
  );
});
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

const LEFT_IN = ['unsent', 'added', 'unresolved'] as const;
const filters: [name: string, filter: SpanFilter][] = [
  ['all', { states: null, shapeIds: null }],
  ['of one state', { states: ['unsent'], shapeIds: null }],
  ['of several states', { states: LEFT_IN, shapeIds: null }],
  ['of one key set', { states: LEFT_IN, shapeIds: [2] }],
  ['of most key sets', { states: LEFT_IN, shapeIds: [0, 1, 2, 4] }],
  ['of none', { states: LEFT_IN, shapeIds: [] }],
];

test.each(filters)('%s: from any position', (_name, filter) => {
  const { states, shapeIds } = filter;
  const expected = Array.from({ length: SPANS }, (_, position) => position).filter(
    (position) =>
      (states === null || states.includes(stateOf(position))) &&
      (shapeIds === null || shapeIds.includes(position % KEY_SETS)),
  );
  const count = expected.length;
  const middle = Math.floor(count / 2);
  for (const offset of [
    0,
    7,
    middle - 50,
    middle - 49,
    middle,
    count - 51,
    count - 50,
    count - 20,
    count,
    count + 9,
  ]) {
    if (offset < 0) continue;
    const rows = store.spans.page('b', filter, offset, 50);
    expect(rows.map(({ position }) => position)).toEqual(expected.slice(offset, offset + 50));
  }
});

test('counts and times follow every change', () => {
  const { spans, steps } = store;
  const of = (fits: (position: number) => boolean) =>
    Array.from({ length: SPANS }, (_, position) => position).filter(fits);
  const isOut = (position: number) => position < 3_000 || position > SPANS - 5;
  const now = (position: number) =>
    position >= 5_000 && position < 6_000 && stateOf(position) === 'unresolved'
      ? 'excluded'
      : stateOf(position);
  store.commit(() => {
    const step = steps.begin('b', 'unpick', null);
    steps.grow(step, of(isOut));
    steps.takeOut('b', step, of(isOut));
    spans.move('b', { from: 'unresolved', to: 'excluded' }, 5_000, 6_000);
  });
  const left = of((position) => !isOut(position));
  const tallies = Object.entries(spans.tallies('b')).filter(([, count]) => count > 0);
  const expected = Map.groupBy(left, now);
  expect(new Map(tallies)).toEqual(new Map([...expected].map(([state, { length }]) => [state, length])));
  expect(spans.shapes('b').reduce((sum, shape) => sum + shape.spans, 0)).toBe(
    left.filter((position) => now(position) !== 'excluded').length,
  );
  expect(spans.countWithoutRecord('b')).toBe(0);
  expect(spans.range('b')).toEqual({ firstMs: 3_000, lastMs: SPANS - 5 });
  expect(spans.range('none')).toEqual({ firstMs: null, lastMs: null });
  const page = spans.page('b', { states: ['excluded'], shapeIds: null }, 400, 50);
  expect(page.map(({ position }) => position)).toEqual(
    left.filter((position) => now(position) === 'excluded').slice(400, 450),
  );
});
