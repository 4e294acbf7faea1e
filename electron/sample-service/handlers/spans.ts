/** Spans, their fields, and the deletion of traces and sessions (SERVICE.md F2). */
import type { SpansFieldsBody, SpansQueryBody } from '../../api/endpoints.ts';
import {
  isSpanColumn,
  SPAN_ORDERING,
  SPAN_VOCABULARY,
  spanField,
  unknownSpanField,
} from '../../core/spans/span-rules.ts';
import { type FilterGroup, matchesFilter, parseFilterTree } from '../../core/text/filters.ts';
import { compareByOrdering, parseOrdering } from '../../core/text/ordering.ts';
import type { Answer, PageRequest } from '../envelope.ts';
import { parsing } from '../lists.ts';
import type { Service } from '../service.ts';
import { malformed } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { requireApplication } from './applications.ts';
import { spanRange } from './dataset-items.ts';
import type { Handlers } from './handler.ts';

/**
 * Maximum number of spans whose fields are counted; if there are more, the counts are those of a sample (SERVICE.md
 * F2.2).
 */
const SAMPLE_SIZE = 10_000;
function filterOf(body: SpansFieldsBody): FilterGroup | null {
  const { filter } = body;
  if (filter === null || filter === undefined) return null;
  const tree = parsing(() => parseFilterTree(filter, SPAN_VOCABULARY));
  const unknown = unknownSpanField(tree);
  if (unknown === null) return tree;
  throw malformed(
    `filter: "${unknown}" is not a field of a span. Use Span::<column> or SpanAttribute::<key>.`,
  );
}

/** The spans in the range that match the filter, oldest first, at most `most`. */
function selectSpans(service: Service, body: SpansFieldsBody, most: number): JsonRecord[] {
  const { startMs, endMs } = spanRange(body);
  const filter = filterOf(body);
  requireApplication(service, body.application_id);
  const spans = service.stores.spans.between(body.application_id, startMs, endMs, most);
  return filter === null
    ? spans
    : spans.filter((span) => matchesFilter(filter, (field) => spanField(span, field)));
}

/** The order by start time, which the store supports; null for any other ordering. */
function byStart(ordering: string | null): 'oldest' | 'newest' | null {
  if (ordering === null || ordering === SPAN_ORDERING) return 'newest';
  return ordering === 'start_time' ? 'oldest' : null;
}

function query(service: Service, body: SpansQueryBody, page: PageRequest): Answer {
  const ordering = body.ordering === undefined || body.ordering === '' ? null : body.ordering;
  const order = byStart(ordering);
  if (order !== null && filterOf(body) === null) {
    const { startMs, endMs } = spanRange(body);
    requireApplication(service, body.application_id);
    const found = service.stores.spans.page(body.application_id, { startMs, endMs, order, ...page });
    return { kind: 'page', ...found, ...page };
  }
  const terms = parsing(() => parseOrdering(ordering ?? SPAN_ORDERING));
  const unknown = terms.find(({ field }) => !isSpanColumn(field));
  if (unknown !== undefined) throw malformed(`ordering: "${unknown.field}" is not a column of a span.`);
  const selected = selectSpans(service, body, -1).toSorted(
    (a, b) =>
      compareByOrdering(
        terms,
        (field) => a[field],
        (field) => b[field],
      ) || (String(a['span_id']) < String(b['span_id']) ? -1 : 1),
  );
  const items = selected.slice(page.offset, page.offset + page.limit);
  return { kind: 'page', items, total: selected.length, ...page };
}

function countOf(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function fields(service: Service, body: SpansFieldsBody): JsonRecord {
  const selected = selectSpans(service, body, SAMPLE_SIZE + 1);
  const sampled = selected.length > SAMPLE_SIZE;
  const keys = new Map<string, number>();
  const outputs = new Map<string, number>();
  for (const span of selected.slice(0, SAMPLE_SIZE)) {
    for (const key of Object.keys(Object(span['span_attributes']))) countOf(keys, key);
    const results = Array.isArray(span['evaluators']) ? span['evaluators'] : [];
    for (const result of results) {
      countOf(outputs, JSON.stringify([result.evaluator_rule_name, result.output_name]));
    }
  }
  const { startMs, endMs } = spanRange(body);
  const total = sampled ? service.stores.spans.count(body.application_id, startMs, endMs) : selected.length;
  return {
    total_spans: total,
    sampled,
    span_attributes: [...keys].toSorted().map(([key, count]) => ({ key, count })),
    evaluator_outputs: [...outputs].map(([text, count]) => {
      const [ruleName, outputName] = JSON.parse(text) as unknown[];
      return { rule_name: ruleName, output_name: outputName, count };
    }),
  };
}

export const spanHandlers = {
  'spans.query': (service, request) => query(service, request.body, request.page),

  'spans.fields': (service, request) => ({ kind: 'record', data: fields(service, request.body) }),

  'traces.delete': (service, request) => {
    const { application_id: applicationId, trace_ids: ids } = request.body;
    requireApplication(service, applicationId);
    service.stores.spans.removeTraces(applicationId, ids);
    return { kind: 'empty' };
  },

  'sessions.delete': (service, request) => {
    const { application_id: applicationId, session_ids: ids } = request.body;
    requireApplication(service, applicationId);
    service.stores.spans.removeSessions(applicationId, ids);
    return { kind: 'empty' };
  },
} satisfies Pick<Handlers, 'spans.query' | 'spans.fields' | 'traces.delete' | 'sessions.delete'>;
