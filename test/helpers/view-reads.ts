/** The requests that views of an offline entry send, view by view, in the form of the window. */
import { rangeQuery } from '../../electron/shared/alert-record.ts';
import {
  chartedColumns,
  readRule,
  recordsOfHistory,
  ruleBody,
  ruleColumns,
  thresholdsQuery,
} from '../../electron/shared/alert-rule.ts';
import { attributeFilter } from '../../electron/shared/attribute-filter.ts';
import { ENTITY_TYPES, entityTypeOf } from '../../electron/shared/catalog-entity.ts';
import { textOf } from '../../electron/shared/json-fields.ts';
import { readMetrics } from '../../electron/shared/metrics.ts';
import type { ListQuery, TimeRange } from '../../electron/shared/model.ts';
import { grainOf, presetRange, usualPreset } from '../../renderer/lib/monitoring/alert-range.ts';
import { fieldsQuery, ruleFilter, spansQuery } from '../../renderer/lib/span-query.ts';
import { DEFAULT_PRESET, presetRange as spanRange } from '../../renderer/lib/span-range.ts';

type Found = Record<string, unknown>;

/** Reads as a view does without the service. Missing data is recorded by name. */
export interface OfflineReader {
  list(query: ListQuery): Promise<Found[]>;
  record(query: ListQuery): Promise<Found | null>;
  /** The stored range to which a view switches; its own range if that is stored. */
  rangeOf(query: ListQuery, own: TimeRange): Promise<TimeRange>;
  /** Profiles of columns, as in the column summaries of a list. */
  profile(query: ListQuery, fields: readonly string[]): Promise<void>;
  nowMs: number;
}

const ask = (
  operation: string,
  path: Record<string, string> = {},
  query: Record<string, string> = {},
): ListQuery => ({
  operation,
  path,
  query,
});
const of = (operation: string, field: string, id: string) =>
  ask(operation, {}, { filter: attributeFilter({ [field]: id }) ?? '' });

/** `withValues`: number of entities whose values are read. */
export async function readApplication(reader: OfflineReader, id: string, withValues: number): Promise<void> {
  const path = { application_id: id };
  await reader.list(ask('applications.list'));
  await reader.record(ask('applications.get', path));
  for (const source of ['', 'GENAI_CHARTS', 'GENAI_ALERTS'])
    await reader.record(ask('applications.metrics', path, source === '' ? {} : { source }));
  await reader.list(ask('attributes.list'));
  await reader.list(of('attributes.list', 'application_id', id));
  await reader.list(of('datasets.list', 'application_id', id));
  const entities = await reader.list(ask('catalog.list', path));
  // Names that were typed into the search, and types chosen in the filters.
  for (const entity_type of ENTITY_TYPES) await reader.list(ask('catalog.list', path, { entity_type }));
  await reader.list(ask('catalog.list', path, { search: textOf(entities[0], 'name').slice(0, 5) }));
  await reader.list(ask('catalog.list', path, { semantic_name: 'UNKNOWN' }));
  for (const entity of entities.slice(0, withValues))
    await reader.list(
      ask('catalog.values', path, { name: textOf(entity, 'name'), entity_type: entityTypeOf(entity, '') }),
    );
  const question = { applicationId: id, filter: null, ordering: '-start_time' };
  const own = spanRange(DEFAULT_PRESET, reader.nowMs);
  const range = { ...own, ...(await reader.rangeOf(spansQuery({ ...question, range: own }), own)) };
  const spans = await reader.list(spansQuery({ ...question, range }));
  await reader.record(fieldsQuery({ ...question, range }));
  await reader.profile(spansQuery({ ...question, range }), ['span_type', 'duration']);
  await reader.profile(ask('catalog.list', path), ['data_type', 'row_count']);
  // The trace of a span as a tree, its session, the span alone, and the other spans of the same kind.
  const [span] = spans;
  if (span === undefined) throw new Error('Expected spans in the range that is kept.');
  for (const kind of ['trace', 'session', 'span']) {
    const filter = ruleFilter(`Span::${kind}_id`, textOf(span, `${kind}_id`));
    await reader.list(spansQuery({ ...question, range, filter }));
  }
  const ofType = ruleFilter('Span::span_type', textOf(span, 'span_type'));
  await reader.list(spansQuery({ ...question, range, filter: ofType, ordering: '-duration' }));
}

export async function readDataset(reader: OfflineReader, id: string): Promise<void> {
  const path = { dataset_id: id };
  await reader.list(ask('datasets.list'));
  for (const operation of ['datasets.get', 'datasets.schema']) await reader.record(ask(operation, path));
  await reader.list(ask('datasets.items', path));
  await reader.profile(ask('datasets.items', path), ['id']);
}

export async function readModel(reader: OfflineReader, id: string): Promise<void> {
  const path = { model_id: id };
  await reader.list(ask('models.list'));
  for (const operation of ['models.get', 'models.metrics']) await reader.record(ask(operation, path));
  for (const operation of ['models.environments', 'models.baselines', 'models.custom-metrics'])
    await reader.list(ask(operation, path));
  await reader.list(of('alert-rules.list', 'model_id', id));
}

export async function readAlertRule(reader: OfflineReader, id: string): Promise<void> {
  const path = { alert_id: id };
  await reader.list(ask('alert-rules.list'));
  const week = presetRange('7d', reader.nowMs);
  const summary = (range: TimeRange) => ask('alert-rules.summary', {}, rangeQuery(range));
  await reader.list(summary(await reader.rangeOf(summary(week), week)));
  const rule = readRule((await reader.record(ask('alert-rules.get', path))) ?? {});
  await reader.record(ask('alert-rules.notification', path));
  const own = presetRange(usualPreset(rule.binSize), reader.nowMs, grainOf(rule.binSize));
  const history = (range: TimeRange, feature = '') =>
    ask('alert-rules.history', path, {
      ...rangeQuery(range),
      ...(feature === '' ? {} : { feature_name: feature }),
    });
  const range = await reader.rangeOf(history(own), own);
  const modelPath = { model_id: rule.modelId };
  for (const operation of ['models.get', 'models.metrics']) await reader.record(ask(operation, modelPath));
  const metrics = readMetrics(await reader.record(ask('models.metrics', modelPath)));
  const metric = metrics.find(({ id: metricId }) => metricId === rule.metricId);
  const features = ruleColumns(rule, metric);
  for (const feature of ['', ...(features.length > 1 ? features : [])]) {
    const query = history(range, feature);
    const bins = recordsOfHistory(await reader.record(query)).flatMap((found) => found ?? []);
    await reader.list({ ...query, operation: 'alert-rules.records' });
    const columns = chartedColumns(rule, metric, feature);
    const { start_time: start, end_time: end } = rangeQuery(range);
    const body = columns.length > 6 ? null : ruleBody(rule, columns, { start, end });
    if (body !== null) await reader.record({ ...ask('queries.run'), body });
    // For bins other than the default, the record contains the thresholds of each bin.
    const newest = bins
      .toSorted((a, b) => Number(b.time) - Number(a.time))
      .slice(0, feature === '' ? 100 : 0);
    for (const { record, time } of newest)
      await reader.record(thresholdsQuery(id, String(time), textOf(record, 'feature_name')));
  }
}

export async function readChart(
  reader: OfflineReader,
  body: NonNullable<ListQuery['body']>,
  modelId: string,
) {
  await reader.record({ ...ask('queries.run'), body });
  for (const operation of ['models.get', 'models.metrics'])
    await reader.record(ask(operation, { model_id: modelId }));
}
