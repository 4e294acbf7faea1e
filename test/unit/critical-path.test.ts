import fc from 'fast-check';
import { expect, test } from 'vitest';
import { criticalPath } from '../../electron/shared/critical-path.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { type SpanNode, spanTree } from '../../electron/shared/span-tree.ts';
import { runs } from '../helpers/runs.ts';

const span = (spanId: string, parentId: string, startMs: number | null, duration: number | null) => ({
  spanId,
  parentId,
  startMs,
  duration,
});
type Span = ReturnType<typeof span>;
const pathOf = (spans: readonly Span[], unitMs = 1) =>
  whole(criticalPath(whole(spanTree(spans)).roots, unitMs)).map(({ node, startMs, endMs }) => [
    node?.spanId ?? null,
    startMs,
    endMs,
  ]);

/** The latest end below a span, including children of spans that have a start. */
function lastOf({ startMs, duration, children }: SpanNode<Span>): number {
  const endMs = startMs === null ? Number.NEGATIVE_INFINITY : startMs + (duration ?? 0);
  return Math.max(endMs, ...children.map(lastOf));
}

/** The earliest start of a root, or of the spans below it if it has none. */
const firstOf = ({ startMs, children }: SpanNode<Span>): number =>
  startMs ?? Math.min(...children.map(firstOf));

test('follows the path from the last end to the work that was waited for', () => {
  const spans = [
    span('root', '', 0, 100),
    span('fetch', 'root', 10, 30),
    span('beside', 'root', 12, 20),
    span('answer', 'root', 45, 50),
    span('call', 'answer', 50, 40),
  ];
  expect(pathOf(spans)).toEqual([
    ['root', 0, 10],
    ['fetch', 10, 40],
    ['root', 40, 45],
    ['answer', 45, 50],
    ['call', 50, 90],
    ['answer', 90, 95],
    ['root', 95, 100],
  ]);
});

test('takes the last of parallel spans, and the one before it that had ended', () => {
  const spans = [
    span('root', '', 0, 100),
    span('long', 'root', 0, 70),
    span('late', 'root', 60, 40),
    span('early', 'root', 20, 30),
  ];
  // `long` was still running when `late` started, so `late` did not wait for it.
  expect(pathOf(spans)).toEqual([
    ['root', 0, 20],
    ['early', 20, 50],
    ['root', 50, 60],
    ['late', 60, 100],
  ]);
});

test('accepts an end that rounding puts after the next start', () => {
  const spans = [span('root', '', 0, 100), span('a', 'root', 0, 50.6), span('b', 'root', 50, 50)];
  expect(pathOf(spans)).toEqual([
    ['a', 0, 50],
    ['b', 50, 100],
  ]);
});

test('names time between spans', () => {
  expect(pathOf([span('a', '', 0, 10), span('b', '', 30, 10)])).toEqual([
    ['a', 0, 10],
    [null, 10, 30],
    ['b', 30, 40],
  ]);
});

test('goes through a span that ends the trace after its parents had ended', () => {
  const spans = [
    span('root', '', 0, 20),
    span('short', 'root', 5, 10),
    span('late', 'short', 12, 500),
    span('later', 'late', 600, 50),
  ];
  expect(pathOf(spans)).toEqual([
    ['root', 0, 5],
    ['short', 5, 12],
    ['late', 12, 512],
    [null, 512, 600],
    ['later', 600, 650],
  ]);
});

test('follows a running span up to the start of a span whose parent is missing', () => {
  const spans = [span('root', '', 0, 5), span('late', 'root', 3, 97), span('orphan', 'gone', 90, 30)];
  expect(pathOf(spans)).toEqual([
    ['root', 0, 3],
    ['late', 3, 90],
    ['orphan', 90, 120],
  ]);
});

test('does not wait for work that runs on beside the next step', () => {
  const spans = [
    span('root', '', 0, 100),
    span('a', 'root', 10, 10),
    span('log', 'a', 15, 45),
    span('b', 'root', 25, 70),
  ];
  expect(pathOf(spans)).toEqual([
    ['root', 0, 10],
    ['a', 10, 15],
    ['log', 15, 20],
    ['root', 20, 25],
    ['b', 25, 95],
    ['root', 95, 100],
  ]);
});

test('goes through spans below one without a start', () => {
  const spans = [
    span('root', '', null, null),
    span('a', 'root', 0, 10),
    span('unknown', 'a', null, 3),
    span('b', 'unknown', 2, 20),
  ];
  expect(pathOf(spans)).toEqual([
    ['a', 0, 2],
    ['b', 2, 22],
  ]);
});

test('is empty without a start, and uses the unit of durations', () => {
  expect(pathOf([span('a', '', null, 5)])).toEqual([]);
  expect(pathOf([])).toEqual([]);
  expect(pathOf([span('a', '', 0, 2)], 1_000)).toEqual([['a', 0, 2_000]]);
});

test('follows 50,000 spans without a parent', () => {
  const spans = Array.from({ length: 50_000 }, (_, at) => span(`s${at}`, 'gone', 2 * at, 1));
  expect(pathOf(spans)).toHaveLength(99_999);
});

test('follows a chain of 20,000 spans', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) =>
    span(`s${at}`, at === 0 ? '' : `s${at - 1}`, at, 50_000 - 2 * at),
  );
  expect(pathOf(chain)).toHaveLength(39_999);
});

test('covers the trace from its first start to its last end without gap or overlap, for any spans', () => {
  const spans = fc.array(
    fc.tuple(fc.nat(12), fc.option(fc.nat(50), { freq: 9 }), fc.option(fc.nat(40), { freq: 9 })),
    { minLength: 1, maxLength: 13 },
  );
  fc.assert(
    fc.property(spans, (all) => {
      const given = all.map(([parent, startMs, duration], at) =>
        span(`s${at}`, parent === at ? '' : `s${parent}`, startMs, duration),
      );
      const { roots } = whole(spanTree(given));
      const path = whole(criticalPath(roots, 1));
      const startMs = Math.min(...roots.map(firstOf));
      const endMs = Math.max(...roots.map(lastOf));
      if (!(startMs < endMs)) expect(path).toEqual([]);
      else expect([path[0]?.startMs, path.at(-1)?.endMs]).toEqual([startMs, endMs]);
      for (const [at, step] of path.entries()) {
        expect(step.endMs).toBeGreaterThan(step.startMs);
        if (at > 0) expect(step.startMs).toBe(path[at - 1]?.endMs);
        // A span is on the path only while it runs.
        if (step.node === null) continue;
        expect(step.startMs).toBeGreaterThanOrEqual(step.node.startMs ?? Number.POSITIVE_INFINITY);
        expect(step.endMs).toBeLessThanOrEqual((step.node.startMs ?? 0) + (step.node.duration ?? 0));
      }
    }),
    { numRuns: runs(500) },
  );
});
