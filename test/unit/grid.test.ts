import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyValue, toTsv, viewCell } from '../../renderer/components/grid/cells.ts';
import {
  columnSpan,
  drawnRows,
  MAX_SPACER,
  orderOf,
  rowSpan,
  scrollToShow,
} from '../../renderer/components/grid/geometry.ts';
import { GridModel } from '../../renderer/components/grid/grid-model.svelte.ts';
import { addRange, countRows, hasRow, toggleRow } from '../../renderer/components/grid/ranges.ts';
import {
  arrangeColumns,
  type Column,
  EMPTY_LAYOUT,
  headGroups,
  moveColumn,
  orderColumns,
  ownColumns,
  parseLayout,
  placeForDrop,
} from '../../renderer/lib/grid/columns.ts';

const column = (id: string, extra: Partial<Column> = {}): Column => ({
  id,
  title: id.toUpperCase(),
  kind: 'text',
  width: 100,
  get: (row) => row[id],
  ...extra,
});
const abc = [column('a'), column('b'), column('c')];
const ids = (list: readonly Column[]) => list.map(({ id }) => id).join('');

describe('columns of a grid', () => {
  test('keep the order the user set; pinned ones come first', () => {
    const layout = { ...EMPTY_LAYOUT, order: ['c', 'a', 'b'], pinned: ['b'] };
    expect(ids(orderColumns(abc, layout))).toBe('bca');
  });

  test('a new column is placed beside its neighbour', () => {
    const layout = { ...EMPTY_LAYOUT, order: ['c', 'a', 'b'] };
    expect(ids(orderColumns([column('a'), column('x'), column('b'), column('c')], layout))).toBe('caxb');
  });

  test('a column can be pinned by default, until the user decides', () => {
    const named = [column('a'), column('b', { startsPinned: true })];
    expect(ids(orderColumns(named, EMPTY_LAYOUT))).toBe('ba');
    expect(ids(orderColumns(named, { ...EMPTY_LAYOUT, pinned: [] }))).toBe('ab');
  });

  test('columns of the previous view are replaced by those of the next view, even if they look the same', () => {
    const model = new GridModel();
    const shareOf = (total: number) => [column('share', { get: () => total })];
    const shown = () => model.columns.map(({ get }) => get({}));
    model.setColumns(shareOf(10), 'first');
    model.setColumns(shareOf(11), 'first');
    expect(shown()).toEqual([10]);
    model.setColumns(shareOf(20), 'second');
    expect(shown()).toEqual([20]);
  });

  test('one can start hidden, until the user shows it, and be hidden again', () => {
    const model = new GridModel();
    model.setColumns([column('a'), column('b', { startsHidden: true })], 'view');
    const shown = () => model.arranged.map(({ column: { id } }) => id).join('');
    expect(shown()).toBe('a');
    model.hide('b', false);
    expect(shown()).toBe('ab');
    expect(parseLayout(JSON.parse(JSON.stringify(model.layout)))).toEqual(model.layout);
    model.hide('b', true);
    expect(shown()).toBe('a');
    model.hide('b', false);
    model.reset();
    expect(shown()).toBe('a');
  });

  test('a column that starts hidden in a narrow view is shown in a wide one', () => {
    const model = new GridModel();
    const shown = () => model.arranged.map(({ column: { id } }) => id).join('');
    model.setColumns([column('a'), column('b', { startsHidden: true })], 'view');
    model.setColumns([column('a'), column('b', { startsHidden: false })], 'view');
    expect(shown()).toBe('ab');
  });

  test('a growing column takes the rest of the view, unless it was resized; a tight column keeps its width', () => {
    const columns = [column('a', { isTight: true, width: 10 }), column('b', { grows: true }), column('c')];
    const widths = (viewWidth: number, own: Record<string, number> = {}) =>
      arrangeColumns(columns, { ...EMPTY_LAYOUT, widths: own }, viewWidth).map(({ width }) => width);
    // The handle of the last column needs six more pixels.
    expect(widths(516)).toEqual([10, 400, 100]);
    expect(widths(150)).toEqual([10, 100, 100]);
    expect(widths(516, { b: 150 })).toEqual([10, 150, 100]);
    expect(widths(Number.POSITIVE_INFINITY)).toEqual([10, 100, 100]);
  });

  test('copies have each column once, although it is shown alone and as a part of another', () => {
    const both = column('both', { parts: [column('a'), column('b')] });
    const copied = (...columns: Column[]) => ids(ownColumns(arrangeColumns(columns, EMPTY_LAYOUT)));
    expect(copied(both, column('b'), column('c'))).toBe('abc');
    expect(copied(column('b'), both)).toBe('ba');
  });

  test('hidden ones take no space; widths are clamped', () => {
    const layout = { ...EMPTY_LAYOUT, hidden: ['b'], widths: { a: 5, c: 1e6 } };
    expect(arrangeColumns(abc, layout).map(({ column: { id }, left, width }) => [id, left, width])).toEqual([
      ['a', 0, 48],
      ['c', 48, 1_200],
    ]);
  });

  test('move before another one or to the end', () => {
    expect(ids(orderColumns(abc, moveColumn(abc, EMPTY_LAYOUT, 'c', 'a')))).toBe('cab');
    expect(ids(orderColumns(abc, moveColumn(abc, EMPTY_LAYOUT, 'a', null)))).toBe('bca');
    expect(moveColumn(abc, EMPTY_LAYOUT, 'none', 'a')).toBe(EMPTY_LAYOUT);
  });

  test('are narrow in a narrow grid if the user has not set their width', () => {
    const columns = abc.map((column) => ({ ...column, narrow: 60 }));
    const widths = { a: 90 };
    const widthsIn = (viewWidth: number) =>
      arrangeColumns(columns, { ...EMPTY_LAYOUT, widths }, viewWidth).map(({ width }) => width);
    expect(widthsIn(1_000)).toEqual([90, 100, 100]);
    expect(widthsIn(558)).toEqual([90, 60, 60]);
  });

  test('of text give up a part of their width if all columns fit then, and none otherwise', () => {
    const columns = [...abc, { ...column('n'), kind: 'number' as const }];
    const widthsIn = (viewWidth: number, widths = {}) =>
      arrangeColumns(columns, { ...EMPTY_LAYOUT, widths }, viewWidth).map(({ width }) => width);
    expect(widthsIn(406)).toEqual([100, 100, 100, 100]);
    expect(widthsIn(346)).toEqual([80, 80, 80, 100]);
    expect(widthsIn(310)).toEqual([100, 100, 100, 100]);
    expect(widthsIn(346, { b: 100 })).toEqual([70, 100, 70, 100]);
    // A title is never cut. The pinned column gives up the width that the other columns need.
    const named = [column('a', { startsPinned: true }), column('b'), column('c', { title: 'Long title' })];
    const shared = (viewWidth: number) =>
      arrangeColumns(named, EMPTY_LAYOUT, viewWidth).map(({ width }) => width);
    expect(shared(286)).toEqual([100, 80, 100]);
    expect(shared(266)).toEqual([90, 70, 100]);
  });

  test('a dropped column is placed at the line shown, and stays on its side of the pinned ones', () => {
    const arranged = arrangeColumns(abc, { ...EMPTY_LAYOUT, pinned: ['a'] });
    expect(placeForDrop(arranged, 'c', 120)).toEqual({ before: 'b', line: 100 });
    expect(placeForDrop(arranged, 'b', 290)).toEqual({ before: null, line: 300 });
    expect(placeForDrop(arranged, 'a', 290)).toEqual({ before: 'b', line: 100 });
  });

  test('adjacent columns of one group share a heading', () => {
    const grouped = [
      column('id'),
      column('q', { group: 'Inputs' }),
      column('l', { group: 'Inputs' }),
      column('z'),
    ];
    expect(
      headGroups(arrangeColumns(grouped, EMPTY_LAYOUT)).map(({ title, count }) => [title, count]),
    ).toEqual([
      ['', 1],
      ['Inputs', 2],
      ['', 1],
    ]);
    expect(headGroups(arrangeColumns(abc, EMPTY_LAYOUT))).toEqual([]);
  });

  test('invalid parts of a stored layout are ignored', () => {
    expect(parseLayout('nothing')).toEqual(EMPTY_LAYOUT);
    expect(parseLayout({ order: ['a', 3], widths: { a: 'wide', b: 120 }, hidden: null })).toEqual({
      order: ['a'],
      widths: { b: 120 },
      hidden: [],
      pinned: null,
    });
  });
});

const viewports = fc.record({
  count: fc.integer({ min: 0, max: 5_000_000 }),
  rowHeight: fc.constantFrom(24, 28, 34),
  height: fc.integer({ min: 34, max: 2_160 }),
  scrollTop: fc.integer({ min: 0, max: 40_000_000 }),
});

describe('the window of rows', () => {
  test('covers the view at every scale', () => {
    fc.assert(
      fc.property(viewports, (viewport) => {
        const span = rowSpan(viewport, 4);
        expect(span.spacer).toBeLessThanOrEqual(MAX_SPACER);
        expect(span.end - span.first).toBeLessThanOrEqual(viewport.height / viewport.rowHeight + 11);
        if (viewport.count === 0) return;
        const scrollTop = Math.min(viewport.scrollTop, Math.max(0, span.spacer - viewport.height));
        const visible = rowSpan({ ...viewport, scrollTop }, 0);
        const bottom = visible.top + (visible.end - visible.first) * viewport.rowHeight;
        expect(visible.top).toBeLessThanOrEqual(scrollTop + 1e-3);
        const total = viewport.count * viewport.rowHeight;
        expect(bottom).toBeGreaterThanOrEqual(scrollTop + Math.min(viewport.height, total) - 1e-3);
      }),
    );
  });

  test('every row can be scrolled to, including the first and the last', () => {
    fc.assert(
      fc.property(viewports, fc.nat(), fc.boolean(), (viewport, seed, isNearEnd) => {
        fc.pre(viewport.count > 0 && viewport.height >= viewport.rowHeight);
        // The scale can be correct at both ends only if it is correct everywhere.
        const row = isNearEnd
          ? viewport.count - 1 - (seed % Math.min(3, viewport.count))
          : seed % viewport.count;
        const scrollTop = scrollToShow({ ...viewport, scrollTop: 0 }, row);
        const span = rowSpan({ ...viewport, scrollTop }, 0);
        expect(row).toBeGreaterThanOrEqual(span.first);
        expect(row).toBeLessThan(span.end);
        const top = span.top + (row - span.first) * viewport.rowHeight;
        expect(top).toBeGreaterThanOrEqual(scrollTop - 0.5);
        expect(top + viewport.rowHeight).toBeLessThanOrEqual(scrollTop + viewport.height + 0.5);
      }),
    );
  });

  test('a row already in view does not move', () => {
    const viewport = { count: 1_000, rowHeight: 28, height: 280, scrollTop: 560 };
    expect(scrollToShow(viewport, 22)).toBe(560);
    expect(scrollToShow(viewport, 19)).toBe(19 * 28);
    expect(scrollToShow(viewport, 30)).toBe(31 * 28 - 280);
  });

  test('of many columns only the ones near the view and the pinned ones are drawn', () => {
    const many = Array.from({ length: 200 }, (_, index) => column(`c${index}`));
    const arranged = arrangeColumns(many, { ...EMPTY_LAYOUT, pinned: ['c7'] });
    const span = columnSpan(arranged, 10_000, 800);
    expect(span.pinned.map((each) => each.column.id)).toEqual(['c7']);
    expect(span.shown.length).toBeLessThan(20);
    expect(span.shown[0]?.left).toBe(span.gap + 100);
  });
});

describe('selected rows', () => {
  test('ranges behave as a set of numbers', () => {
    const step = fc.oneof(
      fc.tuple(fc.constant('add' as const), fc.nat(40), fc.nat(40)),
      fc.tuple(fc.constant('toggle' as const), fc.nat(40), fc.constant(0)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let ranges: { from: number; to: number }[] = [];
        const set = new Set<number>();
        for (const [kind, a, b] of steps) {
          if (kind === 'add') {
            ranges = addRange(ranges, { from: a, to: b });
            for (let row = Math.min(a, b); row <= Math.max(a, b); row += 1) set.add(row);
          } else {
            ranges = toggleRow(ranges, a);
            if (!set.delete(a)) set.add(a);
          }
        }
        expect(countRows(ranges)).toBe(set.size);
        for (let row = 0; row <= 41; row += 1) expect(hasRow(ranges, row)).toBe(set.has(row));
      }),
    );
  });
});

describe('cells of a grid', () => {
  test('show a value by the kind of its column; a value of another kind is shown unchanged', () => {
    expect(viewCell(column('n', { kind: 'number' }), 1_234).text).toBe('1,234');
    expect(viewCell(column('n', { kind: 'number' }), 'many').text).toBe('many');
    expect(viewCell(column('t', { kind: 'time' }), 'soon').text).toBe('soon');
    expect(viewCell(column('i', { kind: 'id' }), '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11')).toEqual({
      text: '6a1f0d3e-…1c11',
      title: '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11',
      isMissing: false,
    });
    expect(viewCell(column('j', { kind: 'json' }), { a: 1 }).text).toBe('{"a":1}');
    for (const missing of [null, undefined, '']) expect(viewCell(column('x'), missing).isMissing).toBe(true);
    expect(viewCell(column('x'), false).text).toBe('false');
  });

  test('show constants in words, with the constant in the tooltip', () => {
    const status = column('s', { kind: 'chip', write: (value) => (value === 'ERROR' ? 'Failed' : 'OK') });
    expect(viewCell(status, 'ERROR')).toEqual({ text: 'Failed', title: 'ERROR', isMissing: false });
    expect(viewCell(status, 'OK').title).toBeUndefined();
  });

  test('are copied unchanged, quoted if they would break the table', () => {
    expect(copyValue(0)).toBe('0');
    expect(copyValue(null)).toBe('');
    const rows = [
      { a: 'one\ttwo', b: 'say "yes"' },
      { a: 1, b: null },
    ];
    expect(toTsv([column('a'), column('b')], rows)).toBe('A\tB\n"one\ttwo"\t"say ""yes"""\n1\t');
  });
});

describe('the column under the cursor', () => {
  const column = (id: string): Column => ({ id, title: id, kind: 'text', width: 100, get: () => id });
  const [change, name, answer] = ['change', 'name', 'answer'].map(column) as [Column, Column, Column];
  const under = (grid: GridModel) => grid.arranged[grid.columnIndex]?.column.id;

  test('stays the same when a column comes before it, goes again, or is moved', () => {
    const grid = new GridModel();
    grid.setColumns([name, answer], 'items');
    grid.moveTo(2, 1, false);
    grid.setColumns([change, name, answer], 'items');
    expect(under(grid)).toBe('answer');
    grid.setColumns([name, answer], 'items');
    expect(under(grid)).toBe('answer');
    grid.hide('name', true);
    expect([under(grid), grid.columnIndex]).toEqual(['answer', 0]);
    grid.hide('name', false);
    expect(under(grid)).toBe('answer');
  });

  test('is the first one in a grid where nobody moved it', () => {
    const grid = new GridModel();
    grid.setColumns([name, answer], 'items');
    grid.setColumns([change, name, answer], 'items');
    expect(under(grid)).toBe('change');
  });
});

describe('a place in a grid', () => {
  test('is restored as stored', () => {
    const left = new GridModel();
    left.moveTo(120, 3, false);
    left.scrollTop = 3_000;
    left.scrollLeft = 40;
    const back = new GridModel();
    back.goTo(JSON.parse(JSON.stringify(left.place)));
    expect(back.place).toEqual({ row: 120, columnIndex: 3, scrollTop: 3_000, scrollLeft: 40 });
    back.moveTo(122, 3, true);
    expect(back.selection).toEqual([{ from: 120, to: 122 }]);
  });

  test('is the start if the stored value is invalid', () => {
    for (const kept of [null, undefined, 'x', 7, { row: -4, columnIndex: 'b', scrollTop: null }]) {
      const grid = new GridModel();
      grid.goTo(kept);
      expect(grid.place).toEqual({ row: 0, columnIndex: 0, scrollTop: 0, scrollLeft: 0 });
    }
  });
});

describe('the place in a grid', () => {
  test('is stored and restored without the selection', () => {
    const model = new GridModel();
    model.moveTo(120, 3, false);
    model.scrollTop = 2_800;
    model.scrollLeft = 40;
    const again = new GridModel();
    again.goTo(JSON.parse(JSON.stringify(model.place)));
    expect(again.place).toEqual({ row: 120, columnIndex: 3, scrollTop: 2_800, scrollLeft: 40 });
    expect(again.selection).toEqual([{ from: 120, to: 120 }]);
  });

  test.each([null, 'top', 7, {}, { row: -4, columnIndex: 'x', scrollTop: Number.NaN, scrollLeft: null }])(
    'is the top if %j was stored',
    (kept) => {
      const model = new GridModel();
      model.goTo(kept);
      expect(model.place).toEqual({ row: 0, columnIndex: 0, scrollTop: 0, scrollLeft: 0 });
    },
  );
});

test('column summaries stay shown after an update from a version that stored them as pictures', () => {
  const model = new GridModel({ read: () => ({ showsPictures: true }), write: () => undefined });
  expect(model.showsSummaries).toBe(true);
});

test('resetting the columns keeps the rows of column summaries and filters', () => {
  const kept: unknown[] = [null];
  const memory = { read: () => kept.at(-1), write: (value: unknown) => void kept.push(value) };
  const model = new GridModel(memory);
  model.setShowsFilters(true);
  model.setShowsSummaries(true);
  model.reset();
  const again = new GridModel(memory);
  expect(again).toMatchObject({ showsFilters: true, showsSummaries: true, layout: EMPTY_LAYOUT });
  again.setShowsFilters(false);
  again.setShowsSummaries(false);
  again.reset();
  expect(kept.at(-1)).toBeNull();
});

describe('rows that have elements', () => {
  const viewport = fc.record({
    count: fc.integer({ min: 0, max: 3_000_000 }),
    rowHeight: fc.constantFrom(24, 28, 36),
    height: fc.integer({ min: 24, max: 2_000 }),
    scrollTop: fc.integer({ min: -50, max: MAX_SPACER + 500 }),
  });

  test('have a constant number at every scroll position, and include the rows in view', () => {
    fc.assert(
      fc.property(viewport, (view) => {
        const { first, size } = drawnRows(view);
        const span = rowSpan(view);
        expect(size).toBe(drawnRows({ ...view, scrollTop: 0 }).size);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(first + size).toBeLessThanOrEqual(view.count);
        expect(first).toBeLessThanOrEqual(span.first);
        expect(first + size).toBeGreaterThanOrEqual(span.end);
      }),
    );
  });

  test('are in the order of the list, from the first on', () => {
    const rows = (size: number, first: number) =>
      orderOf(size, first).map((slot) => first + ((slot - (first % size) + size) % size));
    expect(rows(5, 0)).toEqual([0, 1, 2, 3, 4]);
    expect(rows(5, 7)).toEqual([7, 8, 9, 10, 11]);
  });
});
