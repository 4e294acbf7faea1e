/** The critical path of a trace: the spans whose durations determine when it ends. Pure. */

import { type Pieces, sortInPieces } from './pieces.ts';
import type { SpanNode, SpanPlace } from './span-tree.ts';

/** A span with a start and a duration in the unit of its trace. */
interface TimedSpan extends SpanPlace {
  duration: number | null;
}

/** A time in which the end of the trace waits for this span itself; `node` is null if it waits for no span. */
interface PathStep<N> {
  node: N | null;
  startMs: number;
  endMs: number;
}

/**
 * Inaccurate clocks and rounded durations make a span end a little after the start of the one that waited for it. Such
 * an overlap is still treated as a sequence if it is not longer than this time and this share of the shorter span.
 */
const MAX_OVERLAP_MS = 1;
const MAX_OVERLAP_SHARE = 0.01;
const A_PIECE = 500;

interface Timed<N> {
  node: N;
  startMs: number;
  endMs: number;
  /** End of the span or of a span below it, whichever is later. */
  lastMs: number;
}

interface Frame<N> {
  /** Null: the trace itself. */
  span: Timed<N> | null;
  startMs: number;
  /** The path is already known from this time to the end. */
  atMs: number;
  /** Duration of the last child on the path, which started at `atMs`; null before the first one is found. */
  waitingMs: number | null;
  /** By descending end; those of the trace by the end of the last span below them. */
  children: readonly Timed<N>[];
  next: number;
}

/**
 * Walks backwards from the last end. A span waits for the child that ended last, then for the one that ended before
 * that child started, and so on; the time between them is its own. Children that run in parallel with a step are not
 * part of the path. If a span ended before a descendant that ends the trace, the path goes through the descendant. The
 * steps are in order of time and have no gaps from the first start of a root to the last end. The path is empty if no
 * span has a start.
 */
export function* criticalPath<S extends TimedSpan>(
  roots: readonly SpanNode<S>[],
  unitMs: number,
): Pieces<PathStep<SpanNode<S>>[]> {
  type N = SpanNode<S>;
  const timedOf = yield* timeSpans(roots, unitMs);
  const byEnd = (nodes: readonly N[], endOf: (span: Timed<N>) => number): Pieces<Timed<N>[]> =>
    sortInPieces(
      started(nodes).flatMap((node) => timedOf.get(node) ?? []),
      (a, b) => endOf(b) - endOf(a) || b.startMs - a.startMs,
    );
  const children = yield* byEnd(roots, ({ lastMs }) => lastMs);
  if (children.length === 0) return [];
  const startMs = children.reduce((least, each) => Math.min(least, each.startMs), Number.POSITIVE_INFINITY);
  const atMs = children.reduce((last, each) => Math.max(last, each.lastMs), startMs);
  const steps: PathStep<N>[] = [];
  const frames: Frame<N>[] = [{ span: null, startMs, atMs, waitingMs: null, children, next: 0 }];
  for (let count = 1; ; count += 1) {
    if (count % A_PIECE === 0) yield undefined;
    const frame = frames.at(-1);
    if (frame === undefined) return steps.reverse();
    const child = nextChild(frame);
    if (child === null) {
      addStep(steps, frame, frame.startMs);
      frames.pop();
      continue;
    }
    const endMs = Math.min(isOutlived(frame) ? child.lastMs : child.endMs, frame.atMs);
    addStep(steps, frame, endMs);
    const from = Math.max(child.startMs, frame.startMs);
    frame.atMs = from;
    frame.waitingMs = endMs - from;
    const below = yield* byEnd(child.node.children, ({ endMs }) => endMs);
    frames.push({ span: child, startMs: from, atMs: endMs, waitingMs: null, children: below, next: 0 });
  }
}

/** Milliseconds of the path by type of span, the longest first; the type null stands for time without a span. */
export function msByType<N extends { type: string }>(
  path: readonly PathStep<N>[],
): { type: string | null; ms: number }[] {
  const msOf = new Map<string | null, number>();
  for (const { node, startMs, endMs } of path) {
    const type = node?.type ?? null;
    msOf.set(type, (msOf.get(type) ?? 0) + endMs - startMs);
  }
  return longestFirst(msOf);
}

/** The types in order of their milliseconds. */
export const longestFirst = (
  msOf: ReadonlyMap<string | null, number>,
): { type: string | null; ms: number }[] =>
  [...msOf].map(([type, ms]) => ({ type, ms })).sort((one, other) => other.ms - one.ms);

/** Nearest spans with a start: each node itself, or its nearest descendants. */
function started<S extends TimedSpan>(nodes: readonly SpanNode<S>[]): SpanNode<S>[] {
  const found: SpanNode<S>[] = [];
  const waiting = [...nodes].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.startMs !== null) found.push(node);
    else for (const child of node.children) waiting.push(child);
  }
  return found;
}

/** The spans with a start, by node. */
function* timeSpans<S extends TimedSpan>(
  roots: readonly SpanNode<S>[],
  unitMs: number,
): Pieces<Map<SpanNode<S>, Timed<SpanNode<S>>>> {
  const order: SpanNode<S>[] = [...roots];
  for (let at = 0; at < order.length; at += 1) {
    if (at % A_PIECE === 0) yield undefined;
    for (const child of order[at]?.children ?? []) order.push(child);
  }
  const timedOf = new Map<SpanNode<S>, Timed<SpanNode<S>>>();
  const lastOf = new Map<SpanNode<S>, number>();
  // Parents come before their children, so the reverse order knows the ends of all spans below a span.
  for (let at = order.length - 1; at >= 0; at -= 1) {
    if (at % A_PIECE === 0) yield undefined;
    const node = order[at];
    if (node === undefined) continue;
    const { startMs } = node;
    const endMs = startMs === null ? Number.NEGATIVE_INFINITY : startMs + (node.duration ?? 0) * unitMs;
    const lastMs = node.children.reduce((last, child) => Math.max(last, lastOf.get(child) ?? last), endMs);
    lastOf.set(node, lastMs);
    if (startMs !== null) timedOf.set(node, { node, startMs, endMs, lastMs });
  }
  return timedOf;
}

/** Whether the span had ended at `atMs`, so that the path continues in a span below it. Always true for the trace. */
const isOutlived = <N>({ span, atMs, waitingMs }: Frame<N>): boolean =>
  span === null || (waitingMs === null && atMs > span.endMs);

/** The child that the frame waited for at its `atMs`; null if there is none. */
function nextChild<N>(frame: Frame<N>): Timed<N> | null {
  if (frame.span !== null && isOutlived(frame)) {
    const last = lastChild(frame);
    if (last !== null) return last;
  }
  for (; frame.next < frame.children.length; frame.next += 1) {
    const child = frame.children[frame.next];
    if (child === undefined || !isWaitedFor(child, frame)) continue;
    frame.next += 1;
    return child;
  }
  return null;
}

/** The child that ran last before `atMs`, including the spans below it. */
function lastChild<N>({ children, startMs, atMs }: Frame<N>): Timed<N> | null {
  let found: Timed<N> | null = null;
  for (const child of children)
    if (child.startMs < atMs && child.lastMs > startMs && (found === null || child.lastMs > found.lastMs))
      found = child;
  return found;
}

function isWaitedFor<N>({ startMs, endMs }: Timed<N>, frame: Frame<N>): boolean {
  if (startMs >= frame.atMs) return false;
  if (frame.span === null) return true;
  if (endMs <= frame.startMs) return false;
  if (frame.waitingMs === null) return true;
  const shorterMs = Math.min(endMs - startMs, frame.waitingMs);
  return endMs - frame.atMs <= Math.max(MAX_OVERLAP_MS, MAX_OVERLAP_SHARE * shorterMs);
}

/** Adds the time from `fromMs` to `atMs` as the span's own; after the span's end it belongs to no span. */
function addStep<N>(steps: PathStep<N>[], { span, atMs }: Frame<N>, fromMs: number): void {
  const ownEndMs = span === null ? fromMs : Math.min(Math.max(span.endMs, fromMs), atMs);
  if (ownEndMs < atMs) steps.push({ node: null, startMs: ownEndMs, endMs: atMs });
  if (span !== null && fromMs < ownEndMs) steps.push({ node: span.node, startMs: fromMs, endMs: ownEndMs });
}
