/** Spans under their parents, ordered by start. Pure. */
import { isRawNumber } from './exact-json.ts';
import type { Pieces } from './pieces.ts';
import { parseTime } from './zone-time.ts';

/** Identity, parent and start of a span. */
export interface SpanPlace {
  spanId: string;
  parentId: string;
  startMs: number | null;
}

/** An id as text; empty if there is none. */
export const idField = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || isRawNumber(value) ? String(value) : '';
};

export const spanPlace = (row: Readonly<Record<string, unknown>>): SpanPlace => ({
  spanId: idField(row['span_id']),
  parentId: idField(row['parent_span_id']),
  startMs: parseTime(row['start_time']),
});

/** A span in a tree. `S`: additional fields of the span. */
export type SpanNode<S extends SpanPlace> = S & {
  /** Unique key, even if two spans have the same id. */
  key: string;
  children: SpanNode<S>[];
  parent: SpanNode<S> | null;
  /** Whether the span names a parent that is missing from these spans. */
  isOrphan: boolean;
  /** Whether the span was made a root to break a cycle of parents. */
  isCut: boolean;
};

export interface SpanLine<S extends SpanPlace> {
  node: SpanNode<S>;
  /** 1-based. */
  level: number;
  place: number;
  siblings: number;
}

interface SpanTree<S extends SpanPlace> {
  /** Nodes in the original order of the spans. */
  nodes: SpanNode<S>[];
  roots: SpanNode<S>[];
  /** All lines from top to bottom. */
  lines: readonly SpanLine<S>[];
}

/** Number of spans between two pauses: less than a millisecond of work. */
const A_PIECE = 500;
const startOf = ({ startMs }: SpanPlace) => startMs ?? Number.POSITIVE_INFINITY;
const byStart = (a: SpanPlace, b: SpanPlace) => (startOf(a) === startOf(b) ? 0 : startOf(a) - startOf(b));

/** Links every span to its parent; of a cycle, the earliest span becomes a root. */
function* linkParents<S extends SpanPlace>(nodes: readonly SpanNode<S>[]): Pieces<void> {
  const byId = new Map<string, SpanNode<S>>();
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
  const known = new Set<SpanNode<S>>();
  for (const [index, node] of nodes.entries()) {
    if (index % A_PIECE === 0) yield undefined;
    const path = new Set<SpanNode<S>>();
    let at: SpanNode<S> | null = node;
    while (at !== null && !known.has(at) && !path.has(at)) {
      path.add(at);
      at = at.parent;
    }
    if (at !== null && path.has(at)) cutCircle(at);
    for (const each of path) known.add(each);
  }
}

function cutCircle<S extends SpanPlace>(on: SpanNode<S>): void {
  let first = on;
  for (let at = on.parent; at !== null && at !== on; at = at.parent) if (byStart(at, first) < 0) first = at;
  first.parent = null;
  first.isCut = true;
}

/** Accepts any spans: missing or invalid data affects only the span itself. */
export function* spanTree<S extends SpanPlace>(spans: readonly S[]): Pieces<SpanTree<S>> {
  const seen = new Set<string>();
  const nodes: SpanNode<S>[] = [];
  for (const [index, span] of spans.entries()) {
    if (index % A_PIECE === 0) yield undefined;
    const { spanId: id } = span;
    const key = id === '' || seen.has(id) ? `${id} ${index}` : id;
    seen.add(key);
    nodes.push({ ...span, key, children: [], parent: null, isOrphan: false, isCut: false });
  }
  yield* linkParents(nodes);
  const roots: SpanNode<S>[] = [];
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
  return { nodes, roots, lines: yield* spanLines(roots, NONE_CLOSED) };
}

const NONE_CLOSED: ReadonlySet<string> = new Set();

/** Lines from top to bottom, without the spans below a collapsed one. */
export function* spanLines<S extends SpanPlace>(
  roots: readonly SpanNode<S>[],
  closed: ReadonlySet<string>,
): Pieces<SpanLine<S>[]> {
  const lines: SpanLine<S>[] = [];
  const waiting: SpanLine<S>[] = [];
  const add = (nodes: readonly SpanNode<S>[], level: number) => {
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
