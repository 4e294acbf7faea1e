/** The text of a row in the list of alert rules: the value beside its limit, and the last alert. Pure. */
import { hasFired, isAlertSeverity, recordTime } from '../../../electron/shared/alert-record.ts';
import type { RuleParts } from '../../../electron/shared/alert-rule.ts';
import { formatCount, formatFigure, formatNumber, formatShort } from '../format.ts';
import { type AlertBin, numberField } from './alert-history.ts';

type Row = Record<string, unknown>;

interface RuleStanding {
  /** The value of the last alert, if the rule fired in the range of its summary; otherwise the newest known value. */
  value: number | null;
  /** The limit that the value passed, otherwise the limit that it would pass first. */
  limit: number | null;
  hasFired: boolean;
  /** Start of the bin of the last alert. */
  lastMs: number | null;
  /** Number of alert records in the range of the summary. */
  records: number | null;
  /** Whether the newest known bin is beyond a limit; null if that is unknown. */
  isGoingOn: boolean | null;
}

const isAlert = ({ severity }: AlertBin): boolean => isAlertSeverity(severity);
/** Newest bin with a value. */
const newest = (bins: readonly AlertBin[]): AlertBin | undefined =>
  bins.findLast(({ value }) => value !== null);

/** `summary`: latest record of the rule in a range; undefined if unknown. `bins`: recent bins, oldest first. */
export function ruleStanding(
  rule: RuleParts,
  summary: Row | undefined,
  bins: readonly AlertBin[],
): RuleStanding {
  const last = newest(bins);
  const isGoingOn = last === undefined ? null : isAlert(last);
  if (summary !== undefined && hasFired(summary)) {
    return {
      value: numberField(summary, 'latest_alert_record_value'),
      limit: numberField(summary, 'latest_threshold'),
      hasFired: true,
      lastMs: recordTime(summary['latest_alert_time_bucket']),
      records: numberField(summary, 'alert_record_count'),
      isGoingOn,
    };
  }
  const fired = bins.findLast(isAlert);
  return {
    value: last?.value ?? null,
    limit: last?.warning ?? last?.critical ?? rule.warning ?? rule.critical,
    hasFired: false,
    lastMs: fired?.timeMs ?? null,
    records: null,
    isGoingOn,
  };
}

/** `280 below 305`, `14.9M above 14.84M`, `0.094, limit 0.119`; empty if there is neither a value nor a limit. */
export function standingText(
  { value, limit, hasFired: isBeyond }: RuleStanding,
  rule: Pick<RuleParts, 'isAbove'>,
  isExact = false,
): string {
  const writers = isExact ? [formatNumber] : [formatShort, formatFigure];
  // Rounded numbers must not hide that the limit was passed.
  const write =
    writers.find((each) => value === null || limit === null || each(value) !== each(limit)) ?? formatNumber;
  if (value === null) return limit === null ? '' : `limit ${write(limit)}`;
  if (limit === null) return write(value);
  if (!isBeyond) return `${write(value)}, limit ${write(limit)}`;
  return `${write(value)} ${rule.isAbove ? 'above' : 'below'} ${write(limit)}`;
}

/** `7 records, ended`; empty for a rule that did not fire. */
export function countText({ records, isGoingOn, hasFired: isBeyond }: RuleStanding): string {
  if (!isBeyond) return '';
  const count = records === null || records === 0 ? [] : [formatCount(records, 'record')];
  return [...count, ...(isGoingOn === null ? [] : [isGoingOn ? 'ongoing' : 'ended'])].join(', ');
}
