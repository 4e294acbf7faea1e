/** The tree of a trace: spans under the spans that began them, with their place in time. Pure. */
import { type Pieces, whole } from '../../electron/shared/pieces.ts';
import { type JsonObject, textField } from './records.ts';
import { type SpanTimes, timesOf, USUAL_UNIT_MS, unitOf } from './span-duration.ts';
import { typesOf } from './span-types.ts';

/** All that the tree shows of a span: whole records are heavy, and are read again when one is looked at. */
export interface SpanHead extends SpanTimes {
  /** In the list it was read from. */
  place: number;
  traceId: string;
  name: string;
  type: string;
  status: string;
}

export function spanHead(row: JsonObject, place: number): SpanHead {
  const times = timesOf(row);
  return {
    ...times,
    place,
    traceId: textField(row, 'trace_id'),
    name: textField(row, 'name') || times.spanId || 'Span',
    type: textField(row, 'span_type'),
    status: textField(row, 'status_code'),
  };
}

export interface TraceNode extends SpanHead {
  /** Of its own, also where two spans have the same id. */
  key: string;
  children: TraceNode[];
  parent: TraceNode | null;
  /** Its parent is named, and is not among these spans. */
  isOrphan: boolean;
  /** It would be under itself; its place as a root is a choice. */
  isCut: boolean;
}

export interface TraceTree {
  roots: TraceNode[];
  count: number;
  /** Spans that failed. */
  failed: number;
  /** Types of spans, each once, in the order of the spans. */
  types: string[];
  orphans: number;
  cut: number;
  /** Milliseconds that one of `duration` stands for. */
  unitMs: number;
  startMs: number;
  endMs: number;
  /** All of it from top to bottom. */
  lines: readonly TraceLine[];
}

const startOf = ({ startMs }: TraceNode) => startMs ?? Number.POSITIVE_INFINITY;
const byStart = (a: TraceNode, b: TraceNode) => (startOf(a) === startOf(b) ? 0 : startOf(a) - startOf(b));

/** Names the parent of every span; where that goes round in a circle, the earliest of it becomes a root. */
function* linkParents(nodes: readonly TraceNode[]): Pieces<void> {
  const byId = new Map<string, TraceNode>();
  for (const [at, node] of nodes.entries()) {
    if (at % A_PIECE === 0) yield undefined;
    const { spanId } = node;
    if (spanId !== '' && !byId.has(spanId)) byId.set(spanId, node);
  }
  for (const [at, node] of nodes.entries()) {
    if (at % A_PIECE === 0) yield undefined;
    const { parentId } = node;
    if (parentId === '') continue;
    node.parent = byId.get(parentId) ?? null;
    node.isOrphan = node.parent === null;
  }
  const known = new Set<TraceNode>();
  for (const [index, node] of nodes.entries()) {
    if (index % A_PIECE === 0) yield undefined;
    const way = new Set<TraceNode>();
    let at: TraceNode | null = node;
    while (at !== null && !known.has(at) && !way.has(at)) {
      way.add(at);
      at = at.parent;
    }
    if (at !== null && way.has(at)) cutCircle(at);
    for (const each of way) known.add(each);
  }
}

function cutCircle(on: TraceNode): void {
  let first = on;
  for (let at = on.parent; at !== null && at !== on; at = at.parent) if (byStart(at, first) < 0) first = at;
  first.parent = null;
  first.isCut = true;
}

/** So many tell the unit of all durations. */
const SPANS_FOR_UNIT = 2_000;
/** Spans between two pauses: less than a millisecond. */
const A_PIECE = 500;

/**
 * The tree of these spans, in the order of their start. Any spans do: what is missing or wrong in one stays its own.
 * `usualUnitMs`: of durations, where the spans do not tell.
 */
export function* buildTrace(spans: readonly SpanHead[], usualUnitMs = USUAL_UNIT_MS): Pieces<TraceTree> {
  const unitMs = unitOf(spans.slice(0, SPANS_FOR_UNIT)) ?? usualUnitMs;
  yield undefined;
  const seen = new Set<string>();
  const nodes: TraceNode[] = [];
  for (const [index, span] of spans.entries()) {
    if (index % A_PIECE === 0) yield undefined;
    const { spanId: id } = span;
    const key = id === '' || seen.has(id) ? `${id} ${index}` : id;
    seen.add(key);
    nodes.push({ ...span, key, children: [], parent: null, isOrphan: false, isCut: false });
  }
  yield* linkParents(nodes);
  const roots: TraceNode[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index % A_PIECE === 0) yield undefined;
    (node.parent?.children ?? roots).push(node);
  }
  for (const [index, node] of nodes.entries()) {
    if (index % A_PIECE === 0) yield undefined;
    node.children.sort(byStart);
  }
  roots.sort(byStart);
  yield undefined;
  let [startMs, endMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const node of nodes) {
    if (node.startMs === null) continue;
    startMs = Math.min(startMs, node.startMs);
    endMs = Math.max(endMs, node.startMs + (node.duration ?? 0) * unitMs);
  }
  yield undefined;
  const lines = yield* linesInPieces(roots, NONE_CLOSED);
  const isTimed = Number.isFinite(startMs);
  return {
    roots,
    count: nodes.length,
    failed: nodes.filter(({ status }) => status.toUpperCase() === 'ERROR').length,
    types: typesOf(nodes.map(({ type }) => type)),
    orphans: nodes.filter(({ isOrphan }) => isOrphan).length,
    cut: nodes.filter(({ isCut }) => isCut).length,
    unitMs,
    startMs: isTimed ? startMs : 0,
    endMs: isTimed ? endMs : 0,
    lines,
  };
}

export interface TraceLine {
  node: TraceNode;
  /** From 1. */
  level: number;
  place: number;
  siblings: number;
}

const NONE_CLOSED: ReadonlySet<string> = new Set();

/** What is in sight, from top to bottom: nothing under a closed span. */
export function linesOf({ roots, lines }: TraceTree, closed: ReadonlySet<string>): readonly TraceLine[] {
  return closed.size === 0 ? lines : whole(linesInPieces(roots, closed));
}

function* linesInPieces(roots: readonly TraceNode[], closed: ReadonlySet<string>): Pieces<TraceLine[]> {
  const lines: TraceLine[] = [];
  const waiting: TraceLine[] = [];
  const add = (nodes: readonly TraceNode[], level: number) => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at];
      if (node !== undefined) waiting.push({ node, level, place: at + 1, siblings: nodes.length });
    }
  };
  add(roots, 1);
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    lines.push(line);
    if (lines.length % A_PIECE === 0) yield undefined;
    if (!closed.has(line.node.key)) add(line.node.children, line.level + 1);
  }
  return lines;
}

/** Where a span lies in the trace, in percent; null without a start. */
export function barOf(
  node: TraceNode,
  { startMs, endMs, unitMs }: TraceTree,
): { left: number; width: number } | null {
  if (node.startMs === null) return null;
  const total = endMs - startMs;
  if (total <= 0) return { left: 0, width: 0 };
  return {
    left: (100 * (node.startMs - startMs)) / total,
    width: (100 * (node.duration ?? 0) * unitMs) / total,
  };
}

/** What a key of the keyboard does from a line: another line, or one opened or closed. Null: not a key of the tree. */
export function treeKey(
  key: string,
  lines: readonly TraceLine[],
  at: number,
  closed: ReadonlySet<string>,
  page: number,
): { to?: number; open?: string; close?: string } | null {
  const line = lines[at];
  if (line === undefined) return null;
  const last = lines.length - 1;
  const isParent = line.node.children.length > 0;
  const isClosed = closed.has(line.node.key);
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(last, at + 1) };
    case 'ArrowUp':
      return { to: Math.max(0, at - 1) };
    case 'PageDown':
      return { to: Math.min(last, at + page) };
    case 'PageUp':
      return { to: Math.max(0, at - page) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: last };
    case 'ArrowRight':
      if (!isParent) return {};
      return isClosed ? { open: line.node.key } : { to: at + 1 };
    case 'ArrowLeft': {
      if (isParent && !isClosed) return { close: line.node.key };
      const { parent } = line.node;
      return parent === null ? {} : { to: lines.findIndex(({ node }) => node === parent) };
    }
    default:
      return null;
  }
}

/** Pixels of a level, while there are few; those below it move in by less, and from the last one on no further. */
const STEPS: readonly { levels: number; pixels: number }[] = [
  { levels: 3, pixels: 12 },
  { levels: 4, pixels: 2 },
];

/** How far a span of this level is moved in: names stay readable however deep it stands. `isShort`: its depth is said. */
export function indentOf(level: number): { pixels: number; isShort: boolean } {
  let left = Math.max(0, level - 1);
  let pixels = 0;
  for (const step of STEPS) {
    const taken = Math.min(left, step.levels);
    pixels += taken * step.pixels;
    left -= taken;
  }
  return { pixels, isShort: level - 1 > (STEPS[0]?.levels ?? 0) };
}
