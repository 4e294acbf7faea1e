/** Drift of a model's columns against a baseline, from a metric query. Pure. */
import { ruleBody } from '../../../electron/shared/alert-rule.ts';
import { objectOf, textOf } from '../../../electron/shared/json-fields.ts';
import type { MetricChoice } from '../../../electron/shared/metrics.ts';
import type { ListQuery, TimeRange } from '../../../electron/shared/model.ts';
import { readAnswer } from './query-answer.ts';
import type { SparkValue } from './spark.ts';

interface DriftChoice {
  record: Record<string, unknown>;
  metric: MetricChoice;
  baselineId: string;
  /** Names of the columns. */
  columns: readonly string[];
}

/** The first metric of drift that the service offers for the model; undefined if it offers none. */
export const driftMetric = (metrics: readonly MetricChoice[]): MetricChoice | undefined =>
  metrics.find(({ type, requiresBaseline }) => type.toLowerCase() === 'drift' && requiresBaseline);

/** The drift by day; null if the record does not name its project, or the metric applies to none of the columns. */
export function driftQuery(
  { record, metric, baselineId, columns }: DriftChoice,
  range: TimeRange,
): ListQuery | null {
  const applying = metric.columns.filter(({ title }) => columns.includes(title)).map(({ id }) => id);
  if (applying.length === 0) return null;
  const body = ruleBody(
    {
      ...{ id: 'drift', projectId: textOf(objectOf(record, 'project'), 'id'), modelId: textOf(record, 'id') },
      ...{ metricId: metric.id, metricType: metric.type, binSize: 'Day', baselineId },
      ...{ category: '', segmentId: '' },
    },
    applying,
    { start: new Date(range.startMs).toISOString(), end: new Date(range.endMs).toISOString() },
  );
  return body === null ? null : { operation: 'queries.run', path: {}, query: {}, body };
}

export interface ColumnDrift {
  values: SparkValue[];
  /** The newest value; null if there is none. */
  last: number | null;
  /** The largest value of the range; null if there is none. */
  most: number | null;
}

/** The drift by name of the column. */
export function readDrift(
  answer: unknown,
  query: ListQuery,
  metric: MetricChoice,
): ReadonlyMap<string, ColumnDrift> {
  const titleOf = (id: string) => metric.columns.find((column) => column.id === id)?.title ?? id;
  const { series } = readAnswer(answer, query.body ?? {}, {
    metric: () => metric.name,
    column: (_, id) => titleOf(id),
    baseline: () => undefined,
  });
  return new Map(
    series.map(({ source, times, values }) => {
      const known = values.filter((value) => value !== null);
      const drift = {
        values: times.map((timeMs, at) => ({ timeMs, value: values[at] ?? null })),
        last: known.at(-1) ?? null,
        most: known.length === 0 ? null : known.reduce((most, value) => Math.max(most, value)),
      };
      return [titleOf(source?.column ?? ''), drift] as const;
    }),
  );
}
