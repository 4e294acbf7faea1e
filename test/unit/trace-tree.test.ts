import { describe, expect, test } from 'vitest';
import { whole } from '../../electron/shared/pieces.ts';
import type { JsonObject } from '../../renderer/lib/records.ts';
import {
  barOf,
  indentOf,
  buildTrace as inPieces,
  linesOf,
  spanHead,
  type TraceTree,
  treeKey,
} from '../../renderer/lib/trace-tree.ts';

const START = Date.parse('2026-03-12T10:00:00Z');
const span = (id: string, parent: string | null, atMs: number, duration: number, more: object = {}) => ({
  span_id: id,
  parent_span_id: parent,
  name: id,
  start_time: new Date(START + atMs).toISOString(),
  duration,
  ...more,
});
const buildTrace = (rows: readonly JsonObject[]) => whole(inPieces(rows.map(spanHead)));
const drawn = (tree: TraceTree, closed: readonly string[] = []) =>
  linesOf(tree, new Set(closed)).map(({ node, level }) => `${'.'.repeat(level - 1)}${node.name}`);

describe('the tree of a trace', () => {
  test('children are under their parent in the order of their start, in any order of arrival', () => {
    const tree = buildTrace([
      span('late', 'root', 500, 100),
      span('leaf', 'early', 120, 50),
      span('early', 'root', 100, 300),
      span('root', null, 0, 1_000),
    ]);
    expect(drawn(tree)).toEqual(['root', '.early', '..leaf', '.late']);
    expect(drawn(tree, ['early'])).toEqual(['root', '.early', '.late']);
    expect(linesOf(tree, new Set()).map(({ place, siblings }) => [place, siblings])).toEqual([
      [1, 1],
      [1, 2],
      [1, 1],
      [2, 2],
    ]);
  });

  test('a span without its parent is a root, and is counted', () => {
    const tree = buildTrace([span('a', 'gone', 0, 10), span('b', 'a', 1, 5)]);
    expect(drawn(tree)).toEqual(['a', '.b']);
    expect(tree).toMatchObject({ orphans: 1, cut: 0 });
    expect(tree.roots[0]?.isOrphan).toBe(true);
  });

  test('a cycle of parents is cut at its earliest span; nothing is lost or drawn twice', () => {
    const tree = buildTrace([
      span('c', 'b', 20, 5),
      span('a', 'c', 0, 50),
      span('b', 'a', 10, 20),
      span('below', 'b', 30, 1),
      span('own', 'own', 40, 1),
    ]);
    expect(drawn(tree)).toEqual(['a', '.b', '..c', '..below', 'own']);
    expect(tree.cut).toBe(2);
  });

  test('two spans with one id, and incomplete rows, each keep their line', () => {
    const tree = buildTrace([
      span('a', null, 0, 10),
      span('a', null, 5, 10),
      {},
      { span_id: 7, duration: -1 },
    ]);
    const lines = linesOf(tree, new Set());
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map(({ node }) => node.key)).size).toBe(4);
    expect(barOf(lines[3]?.node ?? tree.roots[0] ?? expect.fail('no line'), tree)).toBeNull();
  });

  test.each([
    ['ns', 1e6, 1e-6],
    ['µs', 1e3, 1e-3],
    ['ms', 1, 1],
    ['s', 1e-3, 1_000],
  ])('durations in %s are detected by children that start during their parents', (_, scale, unitMs) => {
    const tree = buildTrace([
      span('root', null, 0, 1_000 * scale),
      span('a', 'root', 600, 100 * scale),
      span('b', 'root', 900, 100 * scale),
    ]);
    expect(tree.unitMs).toBe(unitMs);
    expect(tree.endMs - tree.startMs).toBeCloseTo(1_000);
    expect(barOf(tree.roots[0]?.children[0] ?? expect.fail('no child'), tree)).toEqual({
      left: expect.closeTo(60),
      width: expect.closeTo(10),
    });
  });

  test('a trace with a duration of zero has bars without length', () => {
    const tree = buildTrace([span('a', null, 0, 0)]);
    expect(barOf(tree.roots[0] ?? expect.fail('no root'), tree)).toEqual({ left: 0, width: 0 });
    expect(buildTrace([])).toMatchObject({ count: 0, startMs: 0, endMs: 0 });
  });

  test('a chain of 20,000 spans is a tree', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) =>
      span(`${at}`, at === 0 ? null : `${at - 1}`, at, 1),
    );
    const lines = linesOf(buildTrace(chain), new Set());
    expect(lines).toHaveLength(20_000);
    expect(lines.at(-1)?.level).toBe(20_000);
  });
});

describe('keys in the tree', () => {
  const tree = buildTrace([
    span('root', null, 0, 100),
    span('a', 'root', 10, 50),
    span('leaf', 'a', 20, 5),
    span('b', 'root', 70, 5),
  ]);
  const press = (key: string, name: string, closed: readonly string[] = []) => {
    const lines = linesOf(tree, new Set(closed));
    const at = lines.findIndex(({ node }) => node.name === name);
    const done = treeKey(key, lines, at, new Set(closed), 2);
    return done?.to === undefined ? done : lines[done.to]?.node.name;
  };

  test('right opens, then moves in; left closes, then moves out', () => {
    expect(press('ArrowRight', 'a', ['a'])).toEqual({ open: 'a' });
    expect(press('ArrowRight', 'a')).toBe('leaf');
    expect(press('ArrowRight', 'leaf')).toEqual({});
    expect(press('ArrowLeft', 'leaf')).toBe('a');
    expect(press('ArrowLeft', 'a')).toEqual({ close: 'a' });
    expect(press('ArrowLeft', 'a', ['a'])).toBe('root');
    expect(press('ArrowLeft', 'root', ['root'])).toEqual({});
  });

  test('up, down, a page, and the ends stay within the visible lines', () => {
    expect(press('ArrowDown', 'a', ['a'])).toBe('b');
    expect(press('ArrowUp', 'root')).toBe('root');
    expect(press('PageDown', 'a')).toBe('b');
    expect(press('PageUp', 'leaf')).toBe('root');
    expect(press('End', 'root')).toBe('b');
    expect(press('Home', 'b')).toBe('root');
    expect(press('x', 'b')).toBeNull();
  });
});

test('the indent of deeper spans grows less, up to a maximum', () => {
  const pixels = Array.from({ length: 400 }, (_, at) => indentOf(at + 1).pixels);
  expect(pixels.slice(0, 3)).toEqual([0, 12, 24]);
  expect(pixels.every((each, at) => at === 0 || each >= (pixels[at - 1] ?? 0))).toBe(true);
  expect(Math.max(...pixels)).toBeLessThanOrEqual(48);
  expect([1, 4, 5, 400].map((level) => indentOf(level).isShort)).toEqual([false, false, true, true]);
});
