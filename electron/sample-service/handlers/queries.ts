/** Metric queries of models and of applications (SERVICE.md S4.6, F8). */
import { type LlmQueryBody, type MonitoringQueryBody, monitoringQueryBody } from '../../api/endpoints.ts';
import type { ModelColumn } from '../../api/records.ts';
import { applicationMetrics, seriesOfSpans } from '../monitoring/application-metrics.ts';
import {
  type Bin,
  type BinSize,
  COMPARISONS,
  type Comparison,
  comparedBin,
  isBinSize,
  isComparison,
} from '../monitoring/bins.ts';
import { columnsOf, fitsColumn, type Metric, metricsOf, metricValue } from '../monitoring/metrics.ts';
import { queryBins } from '../monitoring/query-times.ts';
import { trafficOf } from '../monitoring/traffic.ts';
import { referenceTo } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { requireApplication } from './applications.ts';
import { requireBaseline } from './baselines.ts';
import type { Handlers } from './handler.ts';
import { modelReference, requireModel } from './models.ts';
import { requireProject } from './projects.ts';

const QUERY_TYPES: readonly string[] = ['MONITORING', 'EMBEDDING', 'ANALYTICS'];
type ModelQuery = MonitoringQueryBody['queries'][number];

/** A time in the form of the service: ISO with an offset. */
const isoTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

/** Maximum number of queries in one request. */
const MAX_QUERIES = 100;

function refuseRepeatedKeys(queries: readonly { query_key: string }[]): void {
  if (queries.length > MAX_QUERIES) throw malformed(`queries holds more than ${MAX_QUERIES} queries.`);
  const keys = queries.map((query) => query.query_key);
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
  if (repeated !== undefined) throw malformed(`queries: the query_key "${repeated}" comes twice.`);
}

function queryColumns(metric: Metric, query: ModelQuery, model: JsonRecord): (ModelColumn | null)[] {
  if (metric.about === 'none') return [null];
  const columns = columnsOf(model).filter((column) => fitsColumn(metric.about, column));
  const names = query.columns ?? [];
  if (names.length === 0) throw malformed(`The metric ${metric.id} needs columns.`);
  return names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw malformed(`The metric ${metric.id} has no column "${name}".`);
    return column;
  });
}

interface Asked {
  bins: readonly Bin[];
  size: BinSize;
  comparison: Comparison | null;
}

/** The comparison period of a query; null if none was requested. Throws a 400 for an unknown one. */
function comparisonOf(text: string | null | undefined): Comparison | null {
  if (text === null || text === undefined || text === '') return null;
  if (isComparison(text)) return text;
  throw malformed(`time_comparison must be one of ${Object.keys(COMPARISONS).join(', ')}.`);
}

function modelSeries(service: Service, query: ModelQuery, { bins, size, comparison }: Asked): JsonRecord {
  const model = requireModel(service, query.model_id);
  const metric = metricsOf(service.stores, model).find(({ id }) => id === query.metric);
  if (metric === undefined) throw new ServiceError(400, `The model has no metric "${query.metric}".`);
  const baselineId = query.baseline_id ?? '';
  const baseline = baselineId === '' ? null : requireBaseline(service, baselineId);
  const columns = queryColumns(metric, query, model);
  const variant = [baselineId, query.categories?.join(',') ?? ''].join('/');
  const traffic = trafficOf(service.stores, query.model_id);
  const series = columns.map((column) => ({ modelId: query.model_id, metric, column, variant, traffic }));
  const nowMs = service.clock.nowMs();
  const isSeveral = columns.length > 1;
  const names = [
    'timestamp',
    ...columns.map((column) => (isSeveral ? `${query.metric},${column?.name ?? ''}` : query.metric)),
  ];
  const rows = (of: readonly Bin[]) =>
    of.map((bin) => [isoTime(bin.startMs), ...series.map((entry) => metricValue(entry, bin, nowMs))]);
  return {
    query_key: query.query_key,
    model: modelReference(model),
    metric: query.metric,
    viz_type: query.viz_type ?? 'line',
    columns: columns.flatMap((column) => column?.name ?? []),
    col_names: names,
    data: rows(bins),
    // The form of a comparison is not published: here it is one row for each requested bin, with its own earlier time.
    ...(comparison === null
      ? {}
      : {
          comparison: {
            time_comparison: comparison,
            col_names: names,
            data: rows(bins.map((bin) => comparedBin(bin, size, comparison))),
          },
        }),
    ...(baseline === null ? {} : { baseline: referenceTo(baseline) }),
  };
}

function monitoring(service: Service, body: MonitoringQueryBody): JsonRecord {
  if (!QUERY_TYPES.includes(body.query_type)) {
    throw malformed(`query_type must be one of ${QUERY_TYPES.join(', ')}.`);
  }
  refuseRepeatedKeys(body.queries);
  const comparison = comparisonOf(body.time_comparison);
  const bins = queryBins(body.filters, service.clock.nowMs());
  const size = isBinSize(body.filters.bin_size) ? body.filters.bin_size : 'Day';
  const project = requireProject(service, body.project_id);
  return {
    organization: project['organization'],
    project: referenceTo(project),
    query_type: body.query_type,
    time_comparison: body.time_comparison ?? null,
    filters: body.filters,
    results: Object.fromEntries(
      body.queries.map((query) => [query.query_key, modelSeries(service, query, { bins, size, comparison })]),
    ),
  };
}

/** The form of the answer to an LLM query is not published: here it is that of a monitoring query. */
function llm(service: Service, body: LlmQueryBody): JsonRecord {
  refuseRepeatedKeys(body.queries);
  const bins = queryBins(body.filters, service.clock.nowMs());
  const application = requireApplication(service, body.application_id);
  const metrics = applicationMetrics(service.stores, body.application_id, 'GENAI_CHARTS');
  const spans = bins.map(({ startMs, endMs }) =>
    service.stores.spans.between(body.application_id, startMs, endMs),
  );
  const results = body.queries.map((query) => {
    const metric = metrics.find(({ id }) => id === query.metric);
    if (metric === undefined) {
      throw new ServiceError(400, `The application has no metric "${query.metric}".`);
    }
    const valueIn = seriesOfSpans(metric);
    const series = {
      query_key: query.query_key,
      metric: query.metric,
      viz_type: query.viz_type ?? 'line',
      columns: [],
      col_names: ['timestamp', query.metric],
      data: bins.map((bin, index) => [isoTime(bin.startMs), valueIn(spans[index] ?? [])]),
    };
    return [query.query_key, series] as const;
  });
  return {
    application: referenceTo(application),
    project: application['project'],
    query_type: body.query_type ?? 'LLM',
    filters: body.filters,
    results: Object.fromEntries(results),
  };
}

function isMonitoring(body: MonitoringQueryBody | LlmQueryBody): body is MonitoringQueryBody {
  return monitoringQueryBody.safeParse(body).success;
}

export const queryHandlers = {
  'queries.run': (service, request) => {
    const { body } = request;
    return { kind: 'record', data: isMonitoring(body) ? monitoring(service, body) : llm(service, body) };
  },
} satisfies Pick<Handlers, 'queries.run'>;
