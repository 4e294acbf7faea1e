/**
 * Computes figures of the traces that results refer to. All stored lists of spans are searched for them, some rows at a
 * time.
 */

import type { RunColumns } from '../core/items/run-columns.ts';
import { type FoundTrace, itemUsage, sharedTraces } from '../core/items/run-usage.ts';
import { joinRanges, type ReadRange } from '../core/spans/read-ranges.ts';
import { SPAN_ORDERING, SPAN_VOCABULARY } from '../core/spans/span-rules.ts';
import { type UsedSpan, type UsedTrace, usageOfTrace, usedSpan } from '../core/spans/trace-usage.ts';
import type { RunReads } from '../db/run-reads.ts';
import type { SpanList } from '../db/span-list-reads.ts';
import { isFilterGroup, parseFilterTree } from '../shared/filter-tree.ts';
import { whole } from '../shared/pieces.ts';
import type { TraceUsage } from '../shared/run-usage.ts';
import { USUAL_UNIT_MS, unitOf } from '../shared/span-unit.ts';
import { parseTime } from '../shared/zone-time.ts';

/**
 * Number of rows and traces processed in one step. A step takes a few milliseconds, so that other requests are answered
 * in between.
 */
const ROWS = 1_000;
const TRACES = 500;
/** Maximum number of spans in memory, at some hundred bytes each. Traces beyond it are not read. */
const MAX_SPANS = 300_000;
const SPANS_FOR_UNIT = 2_000;
/** Maximum number of readings whose figures stay in memory. */
const MAX_READINGS = 4;
/** Finds the trace ids of a row without parsing all of its JSON. */
const TRACE_ID = /"trace_id"\s*:\s*"([^"\\]{1,200})"/g;

interface Gathered {
  spans: Map<string, UsedSpan>;
  /** Indices of the lists in which the trace was found. */
  lists: Set<number>;
}

interface ReadList extends SpanList {
  /** Range from which the list has all spans; null if spans are missing, so that the list proves nothing. */
  range: ReadRange | null;
  /** True if the list's filter selects single traces only. */
  isOfSome: boolean;
}

interface Scan {
  key: string;
  wanted: ReadonlySet<string>;
  lists: readonly ReadList[];
  /** Index in `lists`, the next position in that list, and the row before it. */
  at: number;
  from: number;
  row: string;
  /** Number of spans without an id in the current list, by their text. */
  nameless: Map<string, number>;
  gathered: Map<string, Gathered>;
  spans: number;
  unread: Set<string>;
  /** Traces that contain a span that cannot be parsed. */
  damaged: Set<string>;
  /** Joined ranges, by the lists in which a trace was found. */
  ranges: Map<string, ReadRange[]>;
  /** Traces that remain to be summed up once all lists are read. */
  left: [string, Gathered][] | null;
  unitMs: number;
}

type ReadTraces = ReadonlyMap<string, UsedTrace | 'partial' | 'unread'>;

export class TraceUsages {
  #scan: Scan | null = null;
  /** Finished readings, the latest first. Several are kept, because several views show figures. */
  #found: { key: string; version: string; traces: ReadTraces }[] = [];
  #traces = new Map<string, UsedTrace | 'partial' | 'unread'>();
  readonly #maxSpans: number;
  readonly #shared = new WeakMap<RunColumns, ReadonlySet<string>>();

  constructor(maxSpans = MAX_SPANS) {
    this.#maxSpans = maxSpans;
  }

  /** A trace in the latest finished reading; null if it is not there. */
  traceOf(traceId: string): FoundTrace {
    return this.#found[0]?.traces.get(traceId) ?? null;
  }

  /**
   * `itemUsage` of an item of a run. With `latest`, only the latest reading counts; with `any`, the latest one that
   * contains the trace.
   */
  ofItem(columns: RunColumns, place: number, by: 'latest' | 'any'): TraceUsage | null {
    if (this.#found.length === 0 || columns.traces.size === 0) return null;
    const shared = this.#shared.get(columns) ?? sharedTraces(columns);
    this.#shared.set(columns, shared);
    return itemUsage(
      columns,
      place,
      by === 'latest' ? (traceId) => this.traceOf(traceId) : (traceId) => this.#anyOf(traceId),
      shared,
    );
  }

  #anyOf(traceId: string): FoundTrace {
    for (const { traces } of this.#found) {
      const trace = traces.get(traceId);
      if (trace !== undefined) return trace;
    }
    return null;
  }

  /** Reads more rows for these traces. Returns whether all are read. `key`: equal for the same traces. */
  step(
    reads: Pick<RunReads, 'spanLists' | 'spanListsVersion' | 'spanRows'>,
    key: string,
    wanted: () => ReadonlySet<string>,
  ): boolean {
    if (this.#scan?.key !== key) {
      const version = reads.spanListsVersion();
      const known = this.#found.find((each) => each.key === key && each.version === version);
      if (known !== undefined) {
        this.#found = [known, ...this.#found.filter((each) => each !== known)];
        return true;
      }
      this.#scan = newScan(key, wanted(), reads.spanLists().flatMap(listToRead));
      this.#traces = new Map();
      this.#started = version;
    }
    const scan = this.#scan;
    if (scan.at < scan.lists.length) this.#read(scan, reads);
    else if (this.#sum(scan)) {
      const read = { key, version: this.#started, traces: this.#traces };
      this.#found = [read, ...this.#found.filter((each) => each.key !== key)].slice(0, MAX_READINGS);
      this.#scan = null;
      return true;
    }
    return false;
  }

  /** The version of the stored spans at the start of the reading in progress. */
  #started = '';

  #read(scan: Scan, reads: Pick<RunReads, 'spanRows'>): void {
    const list = scan.lists[scan.at];
    if (list === undefined) return;
    let count = 0;
    for (const { position, json } of reads.spanRows(list.generationId, scan.from, ROWS)) {
      if (position >= list.endPosition) break;
      count += 1;
      if (position !== scan.from) list.range = null;
      scan.from = position + 1;
      scan.row = json;
      for (const span of wantedSpans(json, scan)) this.#gather(scan, span, json);
    }
    if (count === ROWS) return;
    endList(list, scan);
    Object.assign(scan, { at: scan.at + 1, from: 0, row: '', nameless: new Map() });
  }

  #gather(scan: Scan, span: UsedSpan, json: string): void {
    const known = scan.gathered.get(span.traceId);
    if (known === undefined && scan.spans >= this.#maxSpans) {
      scan.unread.add(span.traceId);
      return;
    }
    const own = known ?? { spans: new Map<string, UsedSpan>(), lists: new Set<number>() };
    own.lists.add(scan.at);
    scan.gathered.set(span.traceId, own);
    // The latest list is read first, so its version of a span counts.
    const id = span.spanId === '' ? namelessId(scan, json) : span.spanId;
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
    for (const [traceId, { spans, lists }] of scan.left.splice(-TRACES)) {
      const usage = whole(usageOfTrace([...spans.values()], rangesOf(scan, lists), scan.unitMs));
      this.#traces.set(traceId, usage ?? 'partial');
    }
    const isDone = scan.left.length === 0;
    if (isDone) for (const traceId of scan.damaged) this.#traces.set(traceId, 'partial');
    return isDone;
  }
}

const newScan = (key: string, wanted: ReadonlySet<string>, lists: readonly ReadList[]): Scan => ({
  ...{ key, wanted, lists, at: 0, from: 0, gathered: new Map(), spans: 0 },
  ...{ row: '', nameless: new Map(), damaged: new Set(), ranges: new Map() },
  ...{ unread: new Set(), left: null, unitMs: USUAL_UNIT_MS },
});

/** The spans in a row that belong to a wanted trace. */
function wantedSpans(json: string, { wanted, damaged }: Pick<Scan, 'wanted' | 'damaged'>): UsedSpan[] {
  for (const [, traceId = ''] of json.matchAll(TRACE_ID)) {
    if (!wanted.has(traceId)) continue;
    try {
      const span = usedSpan(JSON.parse(json));
      return wanted.has(span.traceId) ? [span] : [];
    } catch {
      // A damaged row counts as missing, as in the view of its list, because the list can be read again.
      damaged.add(traceId);
      return [];
    }
  }
  return [];
}

/**
 * Id for a span without one. It is equal for the same span in two lists, and different for two equal spans in one list.
 */
function namelessId({ nameless }: Pick<Scan, 'nameless'>, json: string): string {
  const before = nameless.get(json) ?? 0;
  nameless.set(json, before + 1);
  return `${before} ${json}`;
}

/** Narrows the range of a list to the rows that are actually stored. */
function endList(list: ReadList, { from, row }: Pick<Scan, 'from' | 'row'>): void {
  if (from < list.endPosition) list.range = null;
  if (list.range === null || list.isComplete) return;
  // More spans with the same start as the last row may be missing.
  const startMs = startOf(row);
  list.range =
    startMs === null ? null : { ...list.range, startMs: Math.max(startMs + 1, list.range.startMs) };
}

function startOf(json: string): number | null {
  try {
    return usedSpan(JSON.parse(json)).startMs;
  } catch {
    // A damaged row has no start time.
    return null;
  }
}

/** Ranges of the lists in which a trace was found, and of lists without a filter from the same applications. */
function rangesOf(scan: Scan, found: ReadonlySet<number>): readonly ReadRange[] {
  const key = [...found].join();
  const known = scan.ranges.get(key);
  if (known !== undefined) return known;
  const applications = new Set(
    scan.lists.filter((_, at) => found.has(at)).map(({ query }) => applicationOf(query)),
  );
  const joined = joinRanges(
    scan.lists.flatMap(({ range, query, isOfSome }, at) =>
      range !== null && (found.has(at) || (!isOfSome && applications.has(applicationOf(query)))) ? range : [],
    ),
  );
  scan.ranges.set(key, joined);
  return joined;
}

const applicationOf = ({ body }: SpanList['query']) => body?.['application_id'];

const TRACE = 'Span::trace_id';
/** Fields of a list's query whose effect is known. Any other field may leave out spans. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['application_id', 'start_time', 'end_time', 'filter', 'ordering', 'page_size'],
]);

/**
 * The list, if it contains all spans of its traces except at the ends of its range; otherwise empty. Its filter may
 * only select traces. It must be complete, or read from the latest span on, so that only parents can be missing and no
 * children.
 */
function listToRead(list: SpanList): ReadList[] {
  const { body = {} } = list.query;
  const { filter, ordering = SPAN_ORDERING } = body;
  if (!list.isComplete && ordering !== SPAN_ORDERING) return [];
  if (Object.keys(body).some((field) => !KNOWN_FIELDS.has(field))) return [];
  const isOfSome = filter !== undefined && filter !== null;
  if (isOfSome && !isOfTraces(filter)) return [];
  return [{ ...list, isOfSome, range: list.hasHoles ? null : rangeOf(list) }];
}

function isOfTraces(filter: unknown): boolean {
  try {
    const node = parseFilterTree(filter, SPAN_VOCABULARY);
    const rules = isFilterGroup(node) ? node.rules : [node];
    return rules.every((rule) => !isFilterGroup(rule) && rule.field === TRACE);
  } catch {
    // A filter that cannot be parsed here may leave out spans.
    return false;
  }
}

/** The time range that a list covers: that of its query, until the time at which it was read. */
function rangeOf({ query: { body }, oldestMs }: SpanList): ReadRange {
  const endMs = parseTime(body?.['end_time']) ?? Number.POSITIVE_INFINITY;
  return {
    startMs: parseTime(body?.['start_time']) ?? Number.NEGATIVE_INFINITY,
    endMs: Math.min(endMs, oldestMs ?? Number.POSITIVE_INFINITY),
  };
}
