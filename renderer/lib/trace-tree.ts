/** The tree of a trace: spans below their parents, with their positions in time. Pure. */

import { criticalPath, msByType } from '../../electron/shared/critical-path.ts';
import { type Pieces, whole } from '../../electron/shared/pieces.ts';
import { type SpanLine, type SpanNode, spanLines, spanTree } from '../../electron/shared/span-tree.ts';
import { type SpanTimes, timesOf, USUAL_UNIT_MS, unitOf } from '../../electron/shared/span-unit.ts';
import { sumUsage, type TreeUsage, type Usage, usageOf } from '../../electron/shared/span-usage.ts';
import { type JsonObject, textField } from './records.ts';
import { typesOf } from './span-types.ts';

/** Fields of a span that the tree needs. Whole records are large, so they are read again when a span is inspected. */
export interface SpanHead extends SpanTimes {
  /** Index in the list that the span was read from. */
  place: number;
  traceId: string;
  name: string;
  type: string;
  status: string;
  usage: Usage;
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
    usage: usageOf(row),
  };
}

export type TraceNode = SpanNode<SpanHead>;
export type TraceLine = SpanLine<SpanHead>;

export interface TraceTree {
  roots: TraceNode[];
  count: number;
  /** Number of failed spans. */
  failed: number;
  /** Distinct span types in the order in which they first occur. */
  types: string[];
  orphans: number;
  cut: number;
  /** Milliseconds per unit of `duration`. */
  unitMs: number;
  startMs: number;
  endMs: number;
  /** Sums over the tree. Figures that several spans state are counted once. */
  usage: TreeUsage;
  path: TracePath;
  /** All lines from top to bottom. */
  lines: readonly TraceLine[];
}

/** The critical path of a trace. */
interface TracePath {
  /** By key of a span: the times in which the trace waits for the span itself, ascending. */
  steps: ReadonlyMap<string, readonly { startMs: number; endMs: number }[]>;
  /** Milliseconds by type of span, longest first. `''`: spans without a type; null: time between spans. */
  byType: readonly { type: string | null; ms: number }[];
}

/** Number of spans used to infer the unit of durations. */
const SPANS_FOR_UNIT = 2_000;
/**
 * Builds the tree of the spans, ordered by start. Accepts any spans: missing or invalid data affects only the span that
 * has it. `usualUnitMs`: unit of durations if none can be inferred.
 */
export function* buildTrace(spans: readonly SpanHead[], usualUnitMs = USUAL_UNIT_MS): Pieces<TraceTree> {
  const unitMs = unitOf(spans.slice(0, SPANS_FOR_UNIT)) ?? usualUnitMs;
  yield undefined;
  const { nodes, roots, lines } = yield* spanTree(spans);
  let [startMs, endMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const node of nodes) {
    if (node.startMs === null) continue;
    startMs = Math.min(startMs, node.startMs);
    endMs = Math.max(endMs, node.startMs + (node.duration ?? 0) * unitMs);
  }
  yield undefined;
  const usage = yield* sumUsage(roots);
  const path = yield* tracePath(roots, unitMs);
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
    usage,
    path,
    lines,
  };
}

function* tracePath(roots: readonly TraceNode[], unitMs: number): Pieces<TracePath> {
  const steps = new Map<string, { startMs: number; endMs: number }[]>();
  const path = yield* criticalPath(roots, unitMs);
  for (const { node, startMs, endMs } of path) {
    if (node === null) continue;
    const own = steps.get(node.key);
    if (own === undefined) steps.set(node.key, [{ startMs, endMs }]);
    else own.push({ startMs, endMs });
  }
  return { steps, byType: msByType(path) };
}

/** The visible lines from top to bottom: the content of collapsed spans is left out. */
export function linesOf({ roots, lines }: TraceTree, closed: ReadonlySet<string>): readonly TraceLine[] {
  return closed.size === 0 ? lines : whole(spanLines(roots, closed));
}

/** Position of a span within the trace, in percent; null if the span has no start. */
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

/** Two steps that are closer than this, in percent of the trace, are drawn as one. */
const STEP_GAP = 0.2;

/** The parts of the critical path in which the trace waits for this span, in percent of the trace. */
export function pathOf(
  node: TraceNode,
  { startMs, endMs, path }: TraceTree,
): { left: number; width: number }[] {
  const total = endMs - startMs;
  const drawn: { left: number; width: number }[] = [];
  for (const step of total <= 0 ? [] : (path.steps.get(node.key) ?? [])) {
    const left = (100 * (step.startMs - startMs)) / total;
    const right = (100 * (step.endMs - startMs)) / total;
    const last = drawn.at(-1);
    if (last !== undefined && left - last.left - last.width < STEP_GAP) last.width = right - last.left;
    else drawn.push({ left, width: right - left });
  }
  return drawn;
}

/** Milliseconds in which the trace waits for the span itself. */
export const pathMsOf = (node: TraceNode, { path }: TraceTree): number =>
  (path.steps.get(node.key) ?? []).reduce((ms, { startMs, endMs }) => ms + endMs - startMs, 0);

/**
 * The effect of a key on a line: moves to another line, or expands or collapses one. Null if the tree does not use the
 * key.
 */
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

/** Indentation in pixels per level: deeper levels are indented less, and the deepest not at all. */
const STEPS: readonly { levels: number; pixels: number }[] = [
  { levels: 3, pixels: 12 },
  { levels: 4, pixels: 2 },
];

/**
 * Indentation of a span at this level, limited so that names stay readable at any depth. `isShort`: the depth is shown
 * as a number instead.
 */
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
