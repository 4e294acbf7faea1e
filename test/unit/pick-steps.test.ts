/**
 * Undo steps of baskets in the store: if a step can no longer be reached, only it and the texts of its spans are
 * deleted.
 */
import { expect, test } from 'vitest';
import { type NewSpan, openDatasetStore } from '../../electron/db/build-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const SPANS = 300;
const ALL = Array.from({ length: SPANS }, (_, position) => position);
const EVEN = ALL.filter((position) => position % 2 === 0);

const spanAt = (position: number): NewSpan => ({
  ...{ trace_id: 't', span_id: `s${position}`, startMs: null, startTime: null, name: null, spanType: null },
  ...{ keys: [], record: `{"n":${position}}`, state: 'unsent' },
});

test('a dropped step deletes its spans; a reachable step keeps them', () => {
  using folder = new DataFolder();
  const store = openDatasetStore({
    file: folder.file('datasets.db'),
    clock: systemClock,
    logger: silentLogger,
  });
  const { spans, steps } = store;
  spans.add('b', 0, ALL.map(spanAt));
  const kept = () => [...spans.records('b', ALL).keys()];
  const sweep = () => {
    while (store.sweep(40, 0) > 0);
  };
  const takeOut = (positions: readonly number[]): number => {
    const step = steps.begin('b', 'unpick', null);
    steps.grow(step, positions);
    steps.takeOut('b', step, positions);
    return step;
  };
  const first = takeOut(EVEN);
  sweep();
  expect(kept()).toHaveLength(SPANS);
  expect(spans.positions('b', 0, SPANS)).toHaveLength(SPANS / 2);

  // The step is undone in pieces, and its spans are read from several positions.
  steps.putBack(first, EVEN);
  steps.turn(first, true, null);
  expect(steps.next('b')).toMatchObject({ undo: null, redo: { step: first, spans: EVEN.length } });
  const inside = [0, 1, 2, 151, 298].map((from) =>
    steps.inside('b', first, from, 3).map((span) => span.position),
  );
  expect(inside).toEqual([[0, 2, 4], [2, 4, 6], [2, 4, 6], [152, 154, 156], [298]]);
  expect(steps.inside('b', first, 299, 3)).toEqual([]);

  // The next step discards the undone one. Steps that are too old are discarded together with the spans that they
  // removed.
  takeOut([7]);
  expect(steps.next('b').redo).toBeNull();
  sweep();
  expect(kept()).toHaveLength(SPANS);
  for (const position of ALL.slice(100, 200)) takeOut([position]);
  sweep();
  expect(kept()).toEqual(ALL.filter((position) => position !== 7));
  expect(spans.positions('b', 0, SPANS)).toHaveLength(SPANS - 101);
  store.close();
});

test('a span selected again while its step was half undone is not restored a second time', () => {
  using folder = new DataFolder();
  const store = openDatasetStore({
    file: folder.file('datasets.db'),
    clock: systemClock,
    logger: silentLogger,
  });
  const { spans, steps } = store;
  spans.add('b', 0, ALL.slice(0, 4).map(spanAt));
  const pick = steps.begin('b', 'pick', null);
  steps.grow(pick, [0, 1, 2, 3]);
  // Two of four spans are removed when the program is killed, and one of the two is selected again.
  steps.takeOut('b', pick, [0, 1]);
  spans.add('b', 4, [spanAt(1)]);
  expect(steps.away(pick, 10).map(({ position }) => position)).toEqual([0]);
  steps.putBack(pick, [0]);
  expect(spans.positions('b', 0, 10)).toEqual([0, 2, 3, 4]);
  store.close();
});
