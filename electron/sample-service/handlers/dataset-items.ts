/** Adding items to a dataset, from a list or from spans (SERVICE.md S4.9, F3.2 and F3.3). */
import type { AddItemsBody, AddSpansBody } from '../../api/endpoints.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { parseTime } from '../timestamps.ts';
import { requireApplication } from './applications.ts';
import { BUCKETS, requireDataset } from './datasets.ts';
import type { Handlers } from './handler.ts';

/** An item as it is read back: the four buckets, times, and all other fields as they were sent. */
function itemRecord(service: Service, item: JsonRecord): JsonRecord {
  const now = new Date(service.clock.nowMs()).toISOString();
  const buckets = Object.fromEntries(BUCKETS.map((bucket) => [bucket, item[bucket] ?? {}]));
  return { source_name: null, source_id: null, ...item, ...buckets, created_at: now, updated_at: now };
}

/** Rejects the whole request if an id already exists, or is repeated. */
function refuseRepeatedIds(service: Service, datasetId: string, items: AddItemsBody['items']): void {
  const seen = new Set<string>();
  const issues = items.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const isRepeated = seen.has(id) || service.stores.items.has(datasetId, id);
    seen.add(id);
    if (!isRepeated) return [];
    const message = `items[${index}]: the dataset holds an item with the id ${id} already.`;
    return [{ reason: 'DuplicateItem', message, help: 'No item of this request was stored.' }];
  });
  if (issues.length === 0) return;
  throw new ServiceError(400, `${issues.length} of ${items.length} items were refused.`, { issues });
}

/** The time range of a selection of spans. Throws a 400 if it is invalid. */
export function spanRange(body: { start_time: string; end_time: string }): {
  startMs: number;
  endMs: number;
} {
  const [startMs, endMs] = [parseTime(body.start_time), parseTime(body.end_time)];
  if (startMs === null || endMs === null) {
    throw malformed('start_time and end_time must be times like "2025-09-27T17:00:00Z".');
  }
  if (endMs <= startMs) throw malformed('end_time must be later than start_time.');
  return { startMs, endMs };
}

function spanOf(value: JsonRecord | null, range: { startMs: number; endMs: number }): JsonRecord | null {
  const startMs = parseTime(value?.['start_time']);
  return value !== null && startMs !== null && startMs >= range.startMs && startMs < range.endMs
    ? value
    : null;
}

/** The spans in the given order. Throws a 422 with one entry for each span outside the range. */
function resolveSpans(service: Service, body: AddSpansBody): JsonRecord[] {
  const range = spanRange(body);
  const found = body.spans.map((span) =>
    spanOf(service.stores.spans.get(body.application_id, span.trace_id, span.span_id), range),
  );
  const issues = body.spans.flatMap((span, index) =>
    found[index] !== null
      ? []
      : [
          {
            reason: 'SpanNotFound',
            message: `Span ${span.span_id} of trace ${span.trace_id} was not found between ${body.start_time} and ${body.end_time}.`,
            help: 'Check the identifiers and the time range; no item was written.',
          },
        ],
  );
  if (issues.length > 0) {
    const message = `${issues.length} of ${body.spans.length} spans could not be resolved; no item was written.`;
    throw new ServiceError(422, message, { issues });
  }
  return found.filter((span) => span !== null);
}

function refuseRepeatedSpans(body: AddSpansBody): void {
  const keys = body.spans.map((span) => `${span.trace_id} ${span.span_id}`);
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (repeated >= 0) throw malformed(`spans[${repeated}] names a span that is named before.`);
}

/** The value of an attribute, by its key as in spans.fields or by the key without its origin. */
function attribute(attributes: JsonRecord, key: string): unknown {
  const name = [key, `system.${key}`, `user.${key}`].find((candidate) =>
    Object.hasOwn(attributes, candidate),
  );
  return name === undefined ? undefined : attributes[name];
}

/** The four buckets of an item made from a span; fields whose key the span lacks are left out. */
function mapSpan(span: JsonRecord, mapping: AddSpansBody['mapping']): JsonRecord {
  const value = span['span_attributes'];
  const attributes = typeof value === 'object' && value !== null ? (value as JsonRecord) : {};
  return Object.fromEntries(
    BUCKETS.map((bucket) => {
      const fields = Object.entries(mapping[bucket] ?? {}).map(([field, key]) => [
        field,
        attribute(attributes, key),
      ]);
      return [bucket, Object.fromEntries(fields.filter(([, found]) => found !== undefined))];
    }),
  );
}

export const datasetItemHandlers = {
  'datasets.add-items': (service, request) => {
    const datasetId = request.path('dataset_id');
    requireDataset(service, datasetId);
    const { items } = request.body;
    refuseRepeatedIds(service, datasetId, items);
    const records = items.map((item) => {
      const id = item.id ?? service.random.uuid();
      return { ...itemRecord(service, item), id };
    });
    service.stores.items.addAll(datasetId, records);
    return { kind: 'array', items: records.map((record) => record.id) };
  },

  'datasets.add-spans': (service, request) => {
    const datasetId = request.path('dataset_id');
    requireDataset(service, datasetId);
    const { body } = request;
    if (BUCKETS.every((bucket) => Object.keys(body.mapping[bucket] ?? {}).length === 0)) {
      throw malformed('mapping must map at least one field of inputs, expected_outputs, metadata or extras.');
    }
    requireApplication(service, body.application_id);
    refuseRepeatedSpans(body);
    const records = resolveSpans(service, body).map((span) => ({
      ...itemRecord(service, mapSpan(span, body.mapping)),
      id: service.random.uuid(),
      source_name: 'span',
      source_id: String(span['span_id']),
    }));
    service.stores.items.addAll(datasetId, records);
    const items = records.map(({ id }, index) => {
      const span = body.spans[index];
      return { trace_id: span?.trace_id, span_id: span?.span_id, item_id: id };
    });
    return { kind: 'record', data: { items } };
  },
} satisfies Pick<Handlers, 'datasets.add-items' | 'datasets.add-spans'>;
