/** Columns of lists of alert rules. */
import type { Snippet } from 'svelte';
import { latestSeverity, recordTime, severityOf } from '../../../../electron/shared/alert-record.ts';
import { readRule } from '../../../../electron/shared/alert-rule.ts';
import { severityWord } from '../../../lib/chart/look.ts';
import type { Column, Row } from '../../../lib/grid/columns.ts';
import { binTimeText } from '../../../lib/monitoring/alert-history.ts';
import { featureText } from '../../../lib/monitoring/alert-rule.ts';
import { CREATED, column, ID, kindColumn, referenceColumn, UPDATED } from '../../resources/columns.ts';

const ruleColumn = (id: string, title: string, width: number, get: (row: Row) => unknown): Column => ({
  id,
  title,
  kind: 'text',
  width,
  get,
  sortField: null,
});

const joinedColumn = (id: string, title: string, width: number, get: (row: Row) => unknown): Column => ({
  id: `latest.${id}`,
  title,
  kind: 'text',
  width,
  get,
});

const metricText = (row: Row): string => {
  const { metricName, features } = readRule(row);
  return features.length === 0 ? metricName : `${metricName} · ${featureText(features)}`;
};

const conditionText = (row: Row): string => {
  const { isAbove, isChange, delta, isAutomatic } = readRule(row);
  const what = isChange ? `change against ${delta ?? 1} before` : 'value';
  return `${what} ${isAbove ? 'above' : 'below'}${isAutomatic ? ' automatic' : ''}`;
};

/** Fields of the rule itself. */
export const RULE_COLUMNS: readonly Column[] = [
  referenceColumn('model', 'Model', 150),
  ruleColumn('metric', 'Metric', 240, metricText),
  ruleColumn('condition', 'Fires on', 150, conditionText),
  column('warning_threshold', 'Warning', 'number', 96),
  column('critical_threshold', 'Critical', 'number', 96),
  kindColumn('priority', 'Priority', 92, { HIGH: 'accent' }),
  column('bin_size', 'Bin', 'text', 70),
  {
    ...column('enable_notification', 'Notifies', 'text', 84),
    get: ({ enable_notification: notifies }) =>
      typeof notifies === 'boolean' ? (notifies ? 'yes' : 'no') : undefined,
  },
  UPDATED,
  CREATED,
  ID,
];

export const RULE_NAME: Column = column('name', 'Name', 'text', 230, { narrow: 170, startsPinned: true });

/** Fields that have a column, or are part of one. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...RULE_COLUMNS.map(({ id }) => id),
  'name',
  'feature_names',
  'compare_to',
  'compare_bin_delta',
  'threshold_type',
  'auto_threshold_params',
  'organization',
]);

const latestWord = (summary: Row | undefined): string | undefined =>
  summary === undefined ? undefined : severityWord(latestSeverity(summary));
/** Start of the bin, formatted for its size. */
function latestTime(summary: Row | undefined): string | undefined {
  const ms = recordTime(summary?.['latest_alert_time_bucket']);
  const size = summary?.['bin_size'];
  return ms === null ? undefined : binTimeText(ms, typeof size === 'string' ? size : '');
}

const SEVERITY_RANK: Readonly<Record<string, number>> = { critical: 3, warning: 2, other: 1, normal: 0 };

/** Larger than any time in milliseconds: a more severe alert comes before a later one. */
const RANK_STEP = 1e14;

/** The most severe first, then the latest; undefined for a rule without an alert. */
function urgency(summary: Row | undefined): number | undefined {
  if (summary === undefined) return undefined;
  const rank = SEVERITY_RANK[severityOf(latestSeverity(summary))] ?? 0;
  return rank * RANK_STEP + (recordTime(summary['latest_alert_time_bucket']) ?? 0);
}

/** Sort values of the columns of the latest alert, from its summary; undefined without one. */
export const LATEST_VALUES: Readonly<Record<string, (summary: Row | undefined) => unknown>> = {
  'latest.severity': urgency,
  'latest.value': (summary) => summary?.['latest_alert_record_value'],
  'latest.time': (summary) => recordTime(summary?.['latest_alert_time_bucket']) ?? undefined,
  'latest.count': (summary) => summary?.['alert_record_count'],
};

/** Columns of the rule's latest alert, which is looked up elsewhere. */
export function latestColumns(latest: (row: Row) => Row | undefined, draw: Snippet<[Row]>): Column[] {
  const number = (id: string, title: string, width: number, field: string): Column => ({
    ...joinedColumn(id, title, width, (row) => latest(row)?.[field]),
    kind: 'number',
  });
  return [
    { ...joinedColumn('severity', 'Latest', 104, (row) => latestWord(latest(row))), draw },
    number('value', 'Latest value', 104, 'latest_alert_record_value'),
    joinedColumn('time', 'Latest bin', 210, (row) => latestTime(latest(row))),
    number('count', 'Records', 84, 'alert_record_count'),
  ];
}

/** Columns of the summary list: the latest alert first, then the rule. */
export function alertColumns(draw: Snippet<[Row]>): Column[] {
  return [
    { ...column('severity', 'Severity', 'text', 110), get: latestWord, draw, startsPinned: true },
    RULE_NAME,
    column('latest_alert_record_value', 'Value', 'number', 100),
    column('latest_threshold', 'Threshold', 'number', 100),
    { ...column('latest_alert_time_bucket', 'Bin', 'text', 210), get: latestTime },
    column('latest_alert_feature_name', 'Column', 'text', 140),
    column('alert_record_count', 'Records', 'number', 90),
    ...RULE_COLUMNS.filter(({ id }) => !['id', 'bin_size', 'created_at'].includes(id)),
  ];
}
