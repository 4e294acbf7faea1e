/** A chart's query, parsed from the body of POST /v3/queries (SERVICE.md F8.1). Pure. */
import { isRawNumber } from './exact-json.ts';
import { type JsonObject, objectOf, objectsOf, textOf, textsOf } from './json-fields.ts';

export interface QueryParts {
  key: string;
  modelId: string;
  metric: string;
  baselineId: string;
  segmentId: string;
  columns: string[];
  categories: string[];
  isBar: boolean;
}

export type Subject =
  | { kind: 'model'; projectId: string; modelId: string }
  | { kind: 'application'; applicationId: string };

export interface ChartParts {
  subject: Subject;
  queries: QueryParts[];
  /** Empty if the query has a time range instead. */
  timeLabel: string;
  range: { start: string; end: string };
  zone: string;
  binSize: string;
  comparison: string;
}

function queryParts(query: JsonObject): QueryParts {
  const segment = query['segment'];
  return {
    key: textOf(query, 'query_key'),
    modelId: textOf(query, 'model_id'),
    metric: textOf(query, 'metric'),
    baselineId: textOf(query, 'baseline_id'),
    segmentId:
      textOf(query, 'segment_id') || textOf(segment, 'id') || (typeof segment === 'string' ? segment : ''),
    columns: textsOf(query, 'columns'),
    categories: textsOf(query, 'categories'),
    isBar: textOf(query, 'viz_type') === 'bar',
  };
}

/** A bound of a range, which may be sent as a number. */
function boundOf(range: JsonObject, field: string): string {
  const value = range[field];
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || isRawNumber(value)
      ? String(value)
      : '';
}

/** The query parts in a body, field by field. */
export function readBody(body: JsonObject): ChartParts {
  const queries = objectsOf(body, 'queries').map(queryParts);
  const filters = objectOf(body, 'filters');
  const range = objectOf(filters, 'time_range');
  const applicationId = textOf(body, 'application_id');
  return {
    subject:
      applicationId !== '' && textOf(body, 'project_id') === ''
        ? { kind: 'application', applicationId }
        : { kind: 'model', projectId: textOf(body, 'project_id'), modelId: queries[0]?.modelId ?? '' },
    queries,
    timeLabel: textOf(filters, 'time_label'),
    range: { start: boundOf(range, 'start_time'), end: boundOf(range, 'end_time') },
    zone: textOf(filters, 'time_zone'),
    binSize: textOf(filters, 'bin_size'),
    comparison: textOf(body, 'time_comparison'),
  };
}
