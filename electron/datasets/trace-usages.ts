/** Figures of the traces that results name: all stored lists of spans are read for them, some rows at once. */

import type { RunColumns } from '../core/items/run-columns.ts';
import { type FoundTrace, itemUsage, sharedTraces } from '../core/items/run-usage.ts';
import { SPAN_ORDERING, SPAN_VOCABULARY } from '../core/spans/span-rules.ts';
import { type UsedSpan, type UsedTrace, usageOfTrace, usedSpan } from '../core/spans/trace-usage.ts';
import type { RunReads } from '../db/run-reads.ts';
import type { SpanList } from '../db/span-list-reads.ts';
import { isFilterGroup, parseFilterTree } from '../shared/filter-tree.ts';
import { whole } from '../shared/pieces.ts';
import type { TraceUsage } from '../shared/run-usage.ts';
import { USUAL_UNIT_MS, unitOf } from '../shared/span-unit.ts';
import { parseTime } from '../shared/zone-time.ts';

/** Rows and traces of one step: some milliseconds, so that other requests are answered in between. */
const ROWS = 1_000;
const TRACES = 500;
/** Spans in memory: some hundred bytes each. Further traces are not read. */
const MAX_SPANS = 300_000;
const SPANS_FOR_UNIT = 2_000;
/** Finds the traces of a row without reading all of it as JSON. */
const TRACE_ID = /"trace_id"\s*:\s*"([^"\\]{1,200})"/g;

interface Gathered {
  spans: Map<string, UsedSpan>;
  /** The latest end of the ranges in which it was found. */
  toMs: number;
}

interface Scan {
  key: string;
  wanted: ReadonlySet<string>;
  lists: readonly SpanList[];
  /** Place in `lists`, and the next position in that list. */
  at: number;
  from: number;
  gathered: Map<string, Gathered>;
  spans: number;
  unread: Set<string>;
  /** Traces that are left to sum up once all lists are read. */
  left: [string, Gathered][] | null;
  unitMs: number;
}

export class TraceUsages {
  #scan: Scan | null = null;
  #found: { key: string; traces: ReadonlyMap<string, UsedTrace | 'partial' | 'unread'> } | null = null;
  #traces = new Map<string, UsedTrace | 'partial' | 'unread'>();
  readonly #maxSpans: number;
  readonly #shared = new WeakMap<RunColumns, ReadonlySet<string>>();

  constructor(maxSpans = MAX_SPANS) {
    this.#maxSpans = maxSpans;
  }

  /** The traces of the latest finished reading; null for others. */
  traceOf(traceId: string): FoundTrace {
    return this.#found?.traces.get(traceId) ?? null;
  }

  /** `itemUsage` of an item of a run. */
  ofItem(columns: RunColumns, place: number): TraceUsage | null {
    if (this.#found === null || columns.traces.size === 0) return null;
    const shared = this.#shared.get(columns) ?? sharedTraces(columns);
    this.#shared.set(columns, shared);
    return itemUsage(columns, place, (traceId) => this.traceOf(traceId), shared);
  }

  /** Reads some more rows for these traces; returns whether all are read. `key`: equal for the same traces. */
  step(
    reads: Pick<RunReads, 'spanLists' | 'spanListsVersion' | 'spanRows'>,
    key: string,
    wanted: () => ReadonlySet<string>,
  ): boolean {
    if (this.#scan?.key !== key) {
      const now = `${key} ${reads.spanListsVersion()}`;
      if (this.#found?.key === now) return true;
      this.#scan = newScan(key, wanted(), reads.spanLists().filter(hasWholeTraces));
      this.#traces = new Map();
      this.#started = now;
    }
    const scan = this.#scan;
    if (scan.at < scan.lists.length) this.#read(scan, reads);
    else if (this.#sum(scan)) {
      this.#found = { key: this.#started, traces: this.#traces };
      this.#scan = null;
      return true;
    }
    return false;
  }

  /** The key of the reading in progress, with the spans that were stored at its start. */
  #started = '';

  #read(scan: Scan, reads: Pick<RunReads, 'spanRows'>): void {
    const list = scan.lists[scan.at];
    if (list === undefined) return;
    const toMs = endOf(list);
    let count = 0;
    for (const { position, json } of reads.spanRows(list.generationId, scan.from, ROWS)) {
      if (position >= list.endPosition) break;
      count += 1;
      scan.from = position + 1;
      for (const span of wantedSpans(json, scan.wanted)) this.#gather(scan, span, toMs);
    }
    if (count === ROWS) return;
    scan.at += 1;
    scan.from = 0;
  }

  #gather(scan: Scan, span: UsedSpan, toMs: number): void {
    const known = scan.gathered.get(span.traceId);
    if (known === undefined && scan.spans >= this.#maxSpans) {
      scan.unread.add(span.traceId);
      return;
    }
    const own = known ?? { spans: new Map<string, UsedSpan>(), toMs };
    own.toMs = Math.max(own.toMs, toMs);
    scan.gathered.set(span.traceId, own);
    // The latest list is read first; a span without an id cannot be told from another.
    const id = span.spanId === '' ? `${own.spans.size}` : span.spanId;
    if (own.spans.has(id)) return;
    own.spans.set(id, span);
    scan.spans += 1;
  }

  #sum(scan: Scan): boolean {
    if (scan.left === null) {
      scan.left = [...scan.gathered];
      const some: UsedSpan[] = [];
      for (const [, { spans }] of scan.left) {
        if (some.length >= SPANS_FOR_UNIT) break;
        some.push(...spans.values());
      }
      scan.unitMs = unitOf(some) ?? USUAL_UNIT_MS;
      for (const traceId of scan.unread) this.#traces.set(traceId, 'unread');
    }
    for (const [traceId, { spans, toMs }] of scan.left.splice(-TRACES))
      this.#traces.set(traceId, whole(usageOfTrace([...spans.values()], toMs, scan.unitMs)) ?? 'partial');
    return scan.left.length === 0;
  }
}

const newScan = (key: string, wanted: ReadonlySet<string>, lists: readonly SpanList[]): Scan => ({
  ...{ key, wanted, lists, at: 0, from: 0, gathered: new Map(), spans: 0 },
  ...{ unread: new Set(), left: null, unitMs: USUAL_UNIT_MS },
});

/** The spans of a row that belong to a wanted trace. */
function wantedSpans(json: string, wanted: ReadonlySet<string>): UsedSpan[] {
  for (const [, traceId = ''] of json.matchAll(TRACE_ID)) {
    if (!wanted.has(traceId)) continue;
    try {
      const span = usedSpan(JSON.parse(json));
      return wanted.has(span.traceId) ? [span] : [];
    } catch {
      // A damaged row of a list that can be read again counts as missing, as in its view.
      return [];
    }
  }
  return [];
}

const TRACE = 'Span::trace_id';

/**
 * Whether the traces of a list have all of their spans in it, apart from the ends of its range: it has no filter but one
 * for traces, and it is complete, or read from the latest span on, so that parents are missing and not their children.
 */
function hasWholeTraces({ query: { body = {} }, isComplete }: SpanList): boolean {
  const { filter, ordering = SPAN_ORDERING } = body;
  if (!isComplete && ordering !== SPAN_ORDERING) return false;
  if (filter === undefined || filter === null) return true;
  try {
    const node = parseFilterTree(filter, SPAN_VOCABULARY);
    const rules = isFilterGroup(node) ? node.rules : [node];
    return rules.every((rule) => !isFilterGroup(rule) && rule.field === TRACE);
  } catch {
    // A filter that cannot be parsed here can leave out anything.
    return false;
  }
}

/** The end of the range of a list, or the time at which it was read. */
function endOf({ query, oldestMs }: SpanList): number {
  const end = parseTime(query.body?.['end_time']) ?? Number.POSITIVE_INFINITY;
  return Math.min(end, oldestMs ?? Number.POSITIVE_INFINITY);
}
