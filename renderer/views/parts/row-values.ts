/** Values for the rows of lists: histories of alert rules, traffic of models, sizes of datasets, and others. */
import { onDestroy } from 'svelte';
import { rangeQuery } from '../../../electron/shared/alert-record.ts';
import { readMetrics, type ScoreSummary } from '../../../electron/shared/experiment-result.ts';
import { type AlertBin, readHistory } from '../../lib/monitoring/alert-history.ts';
import { readTraffic, type Traffic, trafficQuery } from '../../lib/monitoring/model-traffic.ts';
import { isObject, textField } from '../../lib/records.ts';
import { fieldsQuery } from '../../lib/span-query.ts';
import { clock } from '../../state/clock.svelte.ts';
import { RecordModel } from '../../state/record-state.svelte.ts';
import { RowValues } from '../../state/row-values.svelte.ts';
import { activeConnectionId } from './tab-models.ts';

type Row = Record<string, unknown>;

export interface SpanCount {
  total: number;
  isEstimate: boolean;
}

/** The records of alert rules, oldest first. */
export type RuleHistories = RowValues<readonly AlertBin[]>;

/** Histories by rule id. Released with the component; must be called during its initialization. */
export function ruleHistories(tabId: string): RuleHistories {
  const connectionId = activeConnectionId();
  const histories: RuleHistories = new RowValues({
    makeRecord: (id) => new RecordModel({ connectionId, viewId: `tab-${tabId}.history.${id}` }),
    queryOf: (id, range) => ({
      operation: 'alert-rules.history',
      path: { alert_id: id },
      query: rangeQuery(range),
    }),
    read: (record) => readHistory(record).bins,
  });
  onDestroy(() => histories.release());
  return histories;
}

/** Traffic by `trafficKey`. Released with the component; must be called during its initialization. */
export function modelTraffic(tabId: string): RowValues<Traffic> {
  const connectionId = activeConnectionId();
  const traffic = new RowValues<Traffic>({
    makeRecord: (key) => new RecordModel({ connectionId, viewId: `tab-${tabId}.traffic.${key}` }),
    queryOf: (key, range) => {
      const [id = '', projectId = ''] = key.split('/');
      return trafficQuery({ id, projectId }, range);
    },
    read: (record, query, readAtMs) => readTraffic(record, query, readAtMs ?? clock.nowMs),
  });
  onDestroy(() => traffic.release());
  return traffic;
}

/** Numbers of spans by application id. Released with the component; must be called during its initialization. */
export function applicationSpans(tabId: string): RowValues<SpanCount | null> {
  const connectionId = activeConnectionId();
  const spans = new RowValues<SpanCount | null>({
    makeRecord: (id) => new RecordModel({ connectionId, viewId: `tab-${tabId}.spans.${id}` }),
    queryOf: (applicationId, { startMs, endMs }) =>
      fieldsQuery({ applicationId, range: { id: 'custom', startMs, endMs }, filter: null, ordering: '' }),
    read: ({ total_spans: total, sampled }) =>
      typeof total === 'number' ? { total, isEstimate: sampled === true } : null,
  });
  onDestroy(() => spans.release());
  return spans;
}

/** Numbers of items by dataset id. Released with the component; must be called during its initialization. */
export function datasetSizes(tabId: string): RowValues<number | null> {
  const connectionId = activeConnectionId();
  const sizes = new RowValues<number | null>({
    makeRecord: (id) => new RecordModel({ connectionId, viewId: `tab-${tabId}.size.${id}` }),
    queryOf: (id) => ({ operation: 'datasets.schema', path: { dataset_id: id }, query: {} }),
    read: ({ total_items: total }) => (typeof total === 'number' ? total : null),
  });
  onDestroy(() => sizes.release());
  return sizes;
}

/** Mean scores by experiment id. Released with the component; must be called during its initialization. */
export function experimentScores(tabId: string): RowValues<readonly ScoreSummary[]> {
  const connectionId = activeConnectionId();
  const scores = new RowValues<readonly ScoreSummary[]>({
    makeRecord: (id) => new RecordModel({ connectionId, viewId: `tab-${tabId}.scores.${id}` }),
    queryOf: (id) => ({ operation: 'experiments.metrics', path: { experiment_id: id }, query: {} }),
    read: readMetrics,
  });
  onDestroy(() => scores.release());
  return scores;
}

/** The key of a model's traffic; empty if the traffic cannot be requested. */
export function trafficKey(model: Row): string {
  const [id, projectId] = [
    textField(model, 'id'),
    isObject(model['project']) ? textField(model['project'], 'id') : '',
  ];
  return id === '' || projectId === '' ? '' : `${id}/${projectId}`;
}
