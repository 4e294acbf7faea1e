/** What a build looks like in a grid: each picked span with the item it becomes, keys with their coverage. */
import { attributesOf, coverageOf, lacksAny, mappingProblems, mapSpan } from '../core/span-mapping.ts';
import type { DatasetStore, SpanFilter, StoredSpan } from '../db/build-store.ts';
import {
  BUCKETS,
  type BuildKey,
  type BuildRow,
  type BuildRowFilter,
  type BuildRowPage,
  type ItemBuckets,
  type Mapping,
  type MappingCheck,
  type SpanState,
} from '../shared/dataset-model.ts';

/** A message carries about this much; the rows after it are asked for with the next window. */
const PAGE_CHARACTERS = 90_000;
const ROW_CHARACTERS = 20_000;
const LEAST_CUT = 100;
const MOST_SAMPLE = 200;

const STATES: Partial<Record<BuildRowFilter, readonly SpanState[]>> = {
  'to-send': ['unsent', 'unresolved', 'sending', 'unknown', 'acknowledged', 'given-up'],
  unresolved: ['unresolved'],
  excluded: ['excluded'],
  added: ['added'],
  acknowledged: ['acknowledged'],
  unknown: ['unknown', 'sending'],
};

/** Spans that the filter leaves. `missing`: spans that lack a key of the mapping, excluded ones left out. */
export function filterOf(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
  show: BuildRowFilter,
  mapping: Mapping,
): SpanFilter {
  if (show !== 'missing') return { states: STATES[show] ?? null, shapeIds: null };
  const shapeIds = store.spans
    .shapes(buildId)
    .filter(({ keys }) => lacksAny(keys, mapping))
    .map(({ shapeId }) => shapeId);
  return {
    states: ['unsent', 'added', 'unresolved', 'sending', 'unknown', 'acknowledged', 'given-up'],
    shapeIds,
  };
}

export function readPage(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
  mapping: Mapping,
  { show, offset, limit }: { show: BuildRowFilter; offset: number; limit: number },
): BuildRowPage {
  const filter = filterOf(store, buildId, show, mapping);
  const spans = store.spans.page(buildId, filter, offset, limit);
  const rows: BuildRow[] = [];
  let characters = 0;
  for (const span of spans) {
    const { row } = toRow(store, buildId, span, mapping);
    characters += JSON.stringify(row).length;
    if (rows.length > 0 && characters > PAGE_CHARACTERS) break;
    rows.push(row);
  }
  return { rows, matchingRows: store.spans.count(buildId, filter) };
}

type SpanRecord = Record<string, unknown>;

/** The record of a span as it came; null where only its identity is known. */
export function recordOf(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
  position: number,
): SpanRecord | null {
  return parseRecord(store.spans.records(buildId, [position]).get(position));
}

export function parseRecord(text: string | undefined): SpanRecord | null {
  if (text === undefined) return null;
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : null;
}

/** One row. `isWhole`: long texts are not cut. */
export function toRow(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
  span: StoredSpan,
  mapping: Mapping,
  isWhole = false,
): { row: BuildRow; record: SpanRecord | null } {
  const record = recordOf(store, buildId, span.position);
  const mapped = record === null ? null : mapSpan(attributesOf(record), mapping);
  const cut = mapped === null || isWhole ? null : cutItem(mapped.item);
  const row: BuildRow = {
    position: span.position,
    trace_id: span.traceId,
    span_id: span.spanId,
    name: span.name,
    span_type: span.spanType,
    start_time: span.startTime,
    state: span.state,
    item: cut?.item ?? mapped?.item ?? null,
    isCut: cut?.isCut ?? false,
    missing: (mapped?.missing ?? []).flatMap((index) => mapping[index] ?? []),
    itemId: span.itemId,
    message: span.message,
    batch: span.batch,
  };
  return { row, record };
}

/** Cuts long values so that a row stays small: a long text ends with …, anything else long becomes such a text. */
function cutItem(item: ItemBuckets): { item: ItemBuckets; isCut: boolean } {
  const size = JSON.stringify(item).length;
  if (size <= ROW_CHARACTERS) return { item, isCut: false };
  const fields = BUCKETS.reduce((sum, bucket) => sum + Object.keys(item[bucket]).length, 0);
  const most = Math.max(LEAST_CUT, Math.floor(ROW_CHARACTERS / Math.max(1, fields)));
  const cut = (fieldsOf: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(fieldsOf).map(([field, value]) => [field, cutValue(value, most)]));
  return {
    item: {
      inputs: cut(item.inputs),
      expected_outputs: cut(item.expected_outputs),
      metadata: cut(item.metadata),
      extras: cut(item.extras),
    },
    isCut: true,
  };
}

function cutValue(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length > most ? `${value.slice(0, most)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : value;
}

export function checkMapping(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
  mapping: Mapping,
): Omit<MappingCheck, 'unfilled'> {
  return { problems: mappingProblems(mapping), ...coverageOf(store.spans.shapes(buildId), mapping) };
}

/** Every key of the picked spans, most frequent first. */
export function keyCounts(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
): { key: string; count: number; of: number }[] {
  const shapes = store.spans.shapes(buildId);
  const of = shapes.reduce((sum, { spans }) => sum + spans, 0);
  const counts = new Map<string, number>();
  for (const { keys, spans } of shapes) {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + spans);
  }
  return [...counts]
    .map(([key, count]) => ({ key, count, of }))
    .toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}

const SAMPLED_SHAPES = 40;
const SPANS_PER_SHAPE = 3;
const MOST_SAMPLES = 3;

/** Types and sample values of keys, from a few spans of every frequent key set. */
export function withSamples(
  store: Pick<DatasetStore, 'spans'>,
  buildId: string,
  keys: readonly { key: string; count: number; of: number }[],
): BuildKey[] {
  const positions = store.spans
    .shapes(buildId)
    .slice(0, SAMPLED_SHAPES)
    .flatMap(({ shapeId }) => store.spans.samplePositions(buildId, shapeId, SPANS_PER_SHAPE));
  const records = [...store.spans.records(buildId, positions).values()].map((text) =>
    attributesOf(parseRecord(text)),
  );
  return keys.map(({ key, count, of }) => {
    const values = records.filter((attributes) => Object.hasOwn(attributes, key)).map((one) => one[key]);
    const texts = [...new Set(values.map(sampleText))];
    return {
      key,
      count,
      of,
      types: [...new Set(values.map(typeName))].toSorted(),
      samples: texts.slice(0, MOST_SAMPLES),
    };
  });
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function sampleText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MOST_SAMPLE ? `${text.slice(0, MOST_SAMPLE)}…` : text;
}
