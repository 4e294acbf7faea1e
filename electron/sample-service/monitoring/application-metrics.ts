/** What can be charted or watched about an application (SERVICE.md S4.2). */
import { EVALUATIONS } from '../scores.ts';
import type { Stores } from '../stores.ts';

interface ApplicationMetric {
  id: string;
  name: string;
  type: 'traffic' | 'token_count' | 'attribute' | 'latency' | 'evaluator';
  data_type: 'numeric' | 'string';
}

/** So many numeric attributes get a metric of their own. */
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

/** All metrics, or only those that alerts can watch: evaluators are left out there. */
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
