/** Metrics of an application for charts and alerts (SERVICE.md S4.2). */
import { keysOf } from '../../shared/catalog-entity.ts';
import { EVALUATIONS } from '../scores.ts';
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';

interface ApplicationMetric {
  id: string;
  name: string;
  type: 'traffic' | 'token_count' | 'attribute' | 'latency' | 'evaluator';
  data_type: 'numeric' | 'string';
}

/** Number of numeric attributes that have a metric. */
const ATTRIBUTE_METRICS = 24;

const numeric = (type: ApplicationMetric['type'], id: string, name: string): ApplicationMetric => ({
  id,
  name,
  type,
  data_type: 'numeric',
});

const FIXED: readonly ApplicationMetric[] = [
  numeric('traffic', 'span_count', 'Spans'),
  numeric('traffic', 'trace_count', 'Traces'),
  numeric('traffic', 'session_count', 'Sessions'),
  numeric('token_count', 'input_tokens', 'Input tokens'),
  numeric('token_count', 'output_tokens', 'Output tokens'),
  numeric('token_count', 'total_tokens', 'Tokens'),
  numeric('latency', 'latency_avg', 'Latency, average'),
  numeric('latency', 'latency_p50', 'Latency, median'),
  numeric('latency', 'latency_p95', 'Latency, 95th percentile'),
];

/** All metrics, or only those that alerts can watch, without evaluators. */
export function applicationMetrics(
  stores: Stores,
  applicationId: string,
  source: 'GENAI_CHARTS' | 'GENAI_ALERTS',
): ApplicationMetric[] {
  const attributes = stores.catalog
    .entities({
      applicationId,
      entityType: 'attribute',
      dataTypes: ['numeric'],
      semanticNames: [],
      search: null,
      limit: ATTRIBUTE_METRICS,
      offset: 0,
    })
    .items.map((entity) => numeric('attribute', entity.name, entity.name));
  const evaluators = Object.values(EVALUATIONS).flatMap(({ title, outputs }) =>
    outputs.map((output) => numeric('evaluator', output, `${title}: ${output}`)),
  );
  return [...FIXED, ...attributes, ...(source === 'GENAI_CHARTS' ? evaluators : [])];
}

type SpansValue = (spans: readonly JsonRecord[]) => number | null;

const numbersOf = (values: readonly unknown[]): number[] =>
  values.filter((value) => typeof value === 'number');
const distinct = (spans: readonly JsonRecord[], field: string): number =>
  new Set(spans.map((span) => span[field]).filter((value) => value !== null && value !== undefined)).size;
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Number((sumOf(values) / values.length).toFixed(4));

/** Quantile by nearest rank; null if there are no values. */
function quantileOf(values: readonly number[], part: number): number | null {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(part * values.length) - 1)] ?? null;
}

const attributesOf = (spans: readonly JsonRecord[], name: string): number[] =>
  numbersOf(
    spans.flatMap((span) => {
      const attributes: JsonRecord = Object(span['span_attributes']);
      return keysOf(name).flatMap((key) => attributes[key] ?? []);
    }),
  );
/** Durations of whole traces, which are those of their root spans. */
const durationsOf = (spans: readonly JsonRecord[]): number[] =>
  numbersOf(spans.filter((span) => span['parent_span_id'] === null).map((span) => span['duration']));

const BY_ID: Readonly<Record<string, SpansValue>> = {
  span_count: (spans) => spans.length,
  trace_count: (spans) => distinct(spans, 'trace_id'),
  session_count: (spans) => distinct(spans, 'session_id'),
  latency_avg: (spans) => meanOf(durationsOf(spans)),
  latency_p50: (spans) => quantileOf(durationsOf(spans), 0.5),
  latency_p95: (spans) => quantileOf(durationsOf(spans), 0.95),
};

/** The value of a metric of an application in one bin, computed from the spans of the bin. */
export function seriesOfSpans({ id, type }: ApplicationMetric): SpansValue {
  const known = BY_ID[id];
  if (known !== undefined) return known;
  if (type === 'token_count') return (spans) => sumOf(attributesOf(spans, `gen_ai.usage.${id}`));
  if (type === 'attribute') return (spans) => meanOf(attributesOf(spans, id));
  return (spans) =>
    meanOf(
      numbersOf(
        spans
          .flatMap((span) => (Array.isArray(span['evaluators']) ? span['evaluators'] : []))
          .filter((result: JsonRecord) => result['output_name'] === id)
          .map((result: JsonRecord) => result['value']),
      ),
    );
}
