/** Pages of a build's spans: the same rows from whichever end and by whichever index they are read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpanFilter } from '../../electron/db/build-span-store.ts';
import { type DatasetStore, openDatasetStore } from '../../electron/db/build-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { SpanState } from '../../electron/shared/dataset-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Enough that positions are no longer sorted, but passed in their order. */
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

test.each(filters)('%s: with their count known and without', (_name, filter) => {
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
    for (const known of [count, null]) {
      const rows = store.spans.page('b', filter, offset, 50, known);
      expect(rows.map(({ position }) => position)).toEqual(expected.slice(offset, offset + 50));
    }
  }
});
