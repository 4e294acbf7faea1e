/** Columns for lists of alert rules. */
import type { Snippet } from 'svelte';
import { latestSeverity, recordTime, severityOf } from '../../../../electron/shared/alert-record.ts';
import { readRule } from '../../../../electron/shared/alert-rule.ts';
import { severityWord } from '../../../lib/chart/look.ts';
import type { Column, Row } from '../../../lib/grid/columns.ts';
import { binTimeText } from '../../../lib/monitoring/alert-history.ts';
import { featureText } from '../../../lib/monitoring/alert-rule.ts';
import { textField } from '../../../lib/records.ts';
import {
  CREATED,
  column,
  ID,
  kindColumn,
  referenceColumn,
  UPDATED,
  yesNoColumn,
} from '../../resources/columns.ts';

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

const hidden = (column: Column): Column => ({ ...column, startsHidden: true });

const RULE_NAME: Column = column('name', 'Name', 'text', 230);
const PARTS: readonly Column[] = [
  referenceColumn('model', 'Model', 150),
  ruleColumn('metric', 'Metric', 240, metricText),
];

/** Fields of the rule itself. */
const RULE_COLUMNS: readonly Column[] = [
  kindColumn('priority', 'Priority', 92, { HIGH: 'accent' }),
  ...[
    ...PARTS,
    ruleColumn('condition', 'Fires on', 150, conditionText),
    column('warning_threshold', 'Warning', 'number', 96),
    column('critical_threshold', 'Critical', 'number', 96),
    column('bin_size', 'Bin', 'text', 70),
    yesNoColumn('enable_notification', 'Notifies', 84),
    UPDATED,
    CREATED,
    ID,
  ].map(hidden),
];

/** Fields that have a column or are part of one. */
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
/** Start of the bin, formatted according to the bin size. */
function latestTime(summary: Row | undefined): string | undefined {
  const ms = recordTime(summary?.['latest_alert_time_bucket']);
  const size = summary?.['bin_size'];
  return ms === null ? undefined : binTimeText(ms, typeof size === 'string' ? size : '');
}

const SEVERITY_RANK: Readonly<Record<string, number>> = { critical: 3, warning: 2, other: 1, normal: 0 };

/** Larger than any time in milliseconds, so that a more severe alert comes before a later one. */
const RANK_STEP = 1e14;

/** Sort value: the most severe alert comes first, then the latest; undefined for a rule without an alert. */
function urgency(summary: Row | undefined): number | undefined {
  if (summary === undefined) return undefined;
  const rank = SEVERITY_RANK[severityOf(latestSeverity(summary))] ?? 0;
  return rank * RANK_STEP + (recordTime(summary['latest_alert_time_bucket']) ?? 0);
}

/** Sort values for the columns about the latest alert, from its summary; undefined without a summary. */
export const LATEST_VALUES: Readonly<Record<string, (summary: Row | undefined) => unknown>> = {
  'latest.severity': urgency,
  'latest.value': (summary) => summary?.['latest_alert_record_value'],
  'latest.time': (summary) => recordTime(summary?.['latest_alert_time_bucket']) ?? undefined,
  'latest.count': (summary) => summary?.['alert_record_count'],
};

/** Id of the rule of a row, in the list of rules or in the list of latest records. */
export const ruleIdOf = (row: Row): string => textField(row, 'alert_rule_id') || textField(row, 'id');

/** Sort fields for the latest alert: `joined` in the list of rules, otherwise fields of the latest records. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  severity: 'latest_alert_record_severity',
  value: 'latest_alert_record_value',
  time: 'latest_alert_time_bucket',
  count: 'alert_record_count',
};

interface RuleRows {
  /** The latest record of the row's rule; undefined if unknown. */
  latest: (row: Row) => Row | undefined;
  /** Whether the rows are rules, whose latest records come from another list. */
  isJoined: boolean;
  draws: Readonly<Record<'severity' | 'rule' | 'values' | 'value' | 'last', Snippet<[Row]>>>;
}

/** Columns for rows of two lines: the object of the rule, its values, and its latest alert. */
export function ruleLineColumns({ latest, isJoined, draws }: RuleRows): Column[] {
  const own = (id: string, title: string, width: number, get: (row: Row) => unknown): Column => ({
    ...joinedColumn(id, title, width, get),
    sortField: isJoined ? `latest.${id}` : (OWN_FIELDS[id] ?? null),
  });
  const number = (id: string, title: string, width: number, field: string): Column => ({
    ...own(id, title, width, (row) => latest(row)?.[field]),
    kind: 'number',
  });
  return [
    {
      ...own('severity', 'State', 100, (row) => latestWord(latest(row))),
      draw: draws.severity,
      startsPinned: true,
    },
    {
      ...RULE_NAME,
      title: 'Rule',
      width: 230,
      narrow: 210,
      grows: true,
      draw: draws.rule,
      parts: [RULE_NAME, ...PARTS],
    },
    {
      ...joinedColumn('values', 'Recent values', 190, () => undefined),
      draw: draws.values,
      sortField: null,
      parts: [],
    },
    {
      ...number('value', 'Value and limit', 196, 'latest_alert_record_value'),
      kind: 'text',
      draw: draws.value,
    },
    { ...own('time', 'Last alert', 130, (row) => latestTime(latest(row))), draw: draws.last },
    hidden({
      ...joinedColumn('threshold', 'Passed limit', 100, (row) => latest(row)?.['latest_threshold']),
      kind: 'number',
      sortField: null,
    }),
    hidden({
      ...joinedColumn('feature', 'Column', 140, (row) => latest(row)?.['latest_alert_feature_name']),
      sortField: null,
    }),
    hidden(number('count', 'Records', 90, 'alert_record_count')),
    ...RULE_COLUMNS,
  ];
}
