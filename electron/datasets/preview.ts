/** The preview of a build in a grid: each picked span with the item made from it. */
import { cutFields, valueLimit } from '../core/items/cut-item.ts';
import { eachPicked } from '../core/spans/picked-records.ts';
import { lacksAny } from '../core/spans/span-mapping.ts';
import type { DatasetStore, SpanFilter, StoredSpan } from '../db/build-store.ts';
import { cutText } from '../shared/cut-text.ts';
import type { BuildAnswers } from '../shared/dataset-contract.ts';
import {
  BUCKETS,
  type BuildRow,
  type BuildRowFilter,
  type BuildRowPage,
  type ItemBuckets,
  type Mapping,
  SPAN_STATES,
  type SpanState,
} from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { expectedText } from '../shared/expected-output.ts';
import { spanTexts } from '../shared/messages/span-messages.ts';
import type { BuildLedger } from './build-ledger.ts';
import type { FoundNearDuplicate } from './near-duplicate-thread.ts';
import { itemOfRecord, parseRecord } from './span-item.ts';

/** Approximate message limit in characters. Further rows are requested with the next page. */
const PAGE_CHARACTERS = 90_000;
/** Maximum characters of an input or output in a cell. */
const MAX_LINE_CHARACTERS = 300;

const STATES: Partial<Record<BuildRowFilter, readonly SpanState[]>> = {
  'to-send': ['unsent', 'unresolved', 'sending', 'unknown', 'acknowledged', 'given-up'],
  unresolved: ['unresolved'],
  excluded: ['excluded'],
  added: ['added'],
  acknowledged: ['acknowledged'],
  unknown: ['unknown', 'sending'],
};

/** A build with the store that holds its spans. */
export interface Looked {
  store: Pick<DatasetStore, 'spans' | 'spanFiles'>;
  ledger: BuildLedger;
  /** Near-duplicates by position. */
  nearDuplicates?: ReadonlyMap<number, FoundNearDuplicate>;
}

const LEFT_IN = SPAN_STATES.filter((state) => state !== 'excluded');

/**
 * The filter as positions or states of spans, and the number of matches. `missing`: spans that lack a key, without
 * excluded ones.
 */
function filterOf(
  { ledger }: Looked,
  show: BuildRowFilter,
  mapping: Mapping,
): { filter: SpanFilter; count: number } {
  const { tallies } = ledger.core;
  if (show === 'missing') {
    const lacking = ledger.shapes().filter(({ keys }) => lacksAny(keys, mapping));
    return {
      filter: { states: LEFT_IN, shapeIds: lacking.map(({ shapeId }) => shapeId) },
      count: lacking.reduce((sum, { spans }) => sum + spans, 0),
    };
  }
  const states = STATES[show] ?? null;
  const count = (states ?? SPAN_STATES).reduce((sum, state) => sum + tallies[state], 0);
  return { filter: { states, shapeIds: null }, count };
}

function spansOf(
  looked: Looked,
  mapping: Mapping,
  { show, offset, limit }: { show: BuildRowFilter; offset: number; limit: number },
): { spans: StoredSpan[]; count: number } {
  const { store, ledger, nearDuplicates } = looked;
  if (show === 'near-duplicates') {
    const positions = [...(nearDuplicates?.keys() ?? [])];
    const spans = positions.slice(offset, offset + limit).map((at) => store.spans.at(ledger.id, at));
    return { spans: spans.filter((span) => span !== null), count: positions.length };
  }
  const { filter, count } = filterOf(looked, show, mapping);
  const spans = store.spans.page(ledger.id, filter, offset, limit);
  return { spans, count };
}

export function readPage(
  looked: Looked,
  mapping: Mapping,
  { show, offset, limit }: { show: BuildRowFilter; offset: number; limit: number },
): BuildRowPage {
  const { spans, count } = spansOf(looked, mapping, { show, offset, limit });
  const { store, ledger } = looked;
  const positions = spans.map(({ position }) => position);
  const records = store.spans.records(ledger.id, positions);
  const edits = store.spans.edits(ledger.id, positions);
  const ofFile = store.spanFiles.among(ledger.id, positions);
  const rows: BuildRow[] = [];
  let characters = 0;
  for (const span of spans) {
    const record = parseRecord(records.get(span.position));
    const isOfFile = ofFile.has(span.position);
    const row = toRow(looked, span, { record, edited: edits.get(span.position), isOfFile }, mapping);
    characters += JSON.stringify(row).length;
    if (rows.length > 0 && characters > PAGE_CHARACTERS) break;
    rows.push(row);
  }
  return { rows, matchingRows: count };
}

/** Complete records from a position on, as many as fit into a message. */
export function readRecords({ store, ledger }: Looked, position: number): BuildAnswers['records'] {
  const records: SpanRecord[] = [];
  let characters = 0;
  for (const { position: next, text } of eachPicked(store.spans, ledger.id, position)) {
    if (records.length > 0 && characters + text.length > PAGE_CHARACTERS) return { records, next };
    characters += text.length;
    records.push(parseRecord(text) ?? {});
  }
  return { records, next: null };
}

/** One complete span. Throws INVALID_ARGUMENT if it no longer exists. */
export function readOne(looked: Looked, mapping: Mapping, position: number): BuildAnswers['span'] {
  const { store, ledger } = looked;
  const span = store.spans.at(ledger.id, position);
  if (span === null) {
    throw new AppError('INVALID_ARGUMENT', `There is no span at position ${position} any more.`);
  }
  const record = parseRecord(store.spans.records(ledger.id, [position]).get(position));
  const edited = store.spans.edits(ledger.id, [position]).get(position);
  const isOfFile = store.spanFiles.among(ledger.id, [position]).has(position);
  const item = record === null ? null : itemOfRecord(record, mapping, undefined).item;
  return {
    row: toRow(looked, span, { record, edited, isOfFile }, mapping, { isWhole: true }),
    record,
    expected: expectedText(item, mapping),
  };
}

type SpanRecord = Record<string, unknown>;

/** `isWhole`: whether long texts are returned completely. */
function toRow(
  { nearDuplicates }: Looked,
  span: StoredSpan,
  { record, edited, isOfFile }: { record: SpanRecord | null; edited: string | undefined; isOfFile: boolean },
  mapping: Mapping,
  { isWhole } = { isWhole: false },
): BuildRow {
  const nearDuplicate = nearDuplicates?.get(span.position);
  const mapped = record === null ? null : itemOfRecord(record, mapping, edited);
  const cut = mapped === null || isWhole ? null : cutItem(mapped.item);
  const said = record === null ? null : spanTexts(record);
  return {
    position: span.position,
    trace_id: span.traceId,
    span_id: span.spanId,
    name: span.name,
    span_type: span.spanType,
    start_time: span.startTime,
    input: lineOf(said?.input),
    output: lineOf(said?.output),
    state: span.state,
    item: cut?.item ?? mapped?.item ?? null,
    isCut: cut?.isCut ?? false,
    isEdited: edited !== undefined,
    isOfFile,
    missing: (mapped?.missing ?? []).flatMap((index) => mapping[index] ?? []),
    nearDuplicate:
      nearDuplicate === undefined ? null : { of: nearDuplicate.of, likeness: nearDuplicate.likeness },
    itemId: span.itemId,
    message: span.message,
    batch: span.batch,
  };
}

function lineOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), MAX_LINE_CHARACTERS);
}

function cutItem(item: ItemBuckets): { item: ItemBuckets; isCut: boolean } {
  const most = valueLimit(
    BUCKETS.map((bucket) => item[bucket]),
    JSON.stringify(item).length,
  );
  if (most === null) return { item, isCut: false };
  return {
    item: {
      inputs: cutFields(item.inputs, most),
      expected_outputs: cutFields(item.expected_outputs, most),
      metadata: cutFields(item.metadata, most),
      extras: cutFields(item.extras, most),
    },
    isCut: true,
  };
}
