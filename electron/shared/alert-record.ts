/** The latest record of an alert rule, from its summary (SERVICE.md F6.5): whether the rule fired, and when. Pure. */
import { textOf } from './json-fields.ts';
import type { ListQuery, TimeRange } from './model.ts';
import { isMoment, parseTime } from './zone-time.ts';

export type Severity = 'critical' | 'warning' | 'normal' | 'other';
type Row = Readonly<Record<string, unknown>>;

/** An alert that is new since the last check of the rules. */
export interface FiredAlert {
  ruleId: string;
  name: string;
  modelName: string;
  severity: Severity;
  /** Start of the time bin in which the rule fired. */
  timeMs: number;
}

/**
 * Reads the time of a record: a number of seconds or milliseconds, distinguished by size; ISO text; or a number as
 * text.
 */
export function recordTime(value: unknown): number | null {
  const isNumeric = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim());
  const ms = parseTime(isNumeric ? Number(value) : value);
  return ms !== null && isMoment(ms) ? ms : null;
}

/** Maps the service's word for a severity; an unknown one becomes `other`. */
export function severityOf(value: unknown): Severity {
  if (typeof value !== 'string') return 'other';
  switch (value.trim().toUpperCase()) {
    case 'CRITICAL':
      return 'critical';
    case 'WARNING':
      return 'warning';
    case 'DEFAULT':
    case 'NORMAL':
    case 'OK':
      return 'normal';
    default:
      return 'other';
  }
}

/** Severity in a summary row; undefined if there is none. */
export const latestSeverity = (summary: Row | undefined): unknown =>
  summary?.['latest_alert_record_severity'] ?? summary?.['severity'];

/** Whether a record has a severity at all. A record without one is not an alert. */
export function hasSeverity(severity: unknown): boolean {
  return typeof severity === 'string' && severity.trim() !== '';
}

/** Whether a record of this severity is an alert. */
export function isAlertSeverity(severity: unknown): boolean {
  return hasSeverity(severity) && severityOf(severity) !== 'normal';
}

/** Whether the rule fired in the range of its summary. A rule without a record, or with a normal one, did not. */
export const hasFired = (summary: Row): boolean => isAlertSeverity(latestSeverity(summary));

/** The service's name for the rule of a summary row, or its id if it has no name. */
export function summaryName(summary: Row): string {
  return textOf(summary, 'name') || textOf(summary, 'alert_rule_name') || textOf(summary, 'alert_rule_id');
}

const DAY_MS = 86_400_000;

/**
 * The last days up to the next midnight in UTC, so that checks on the same day use the same query, whose answer is
 * stored once.
 */
export function daysUpTo(nowMs: number, days: number): TimeRange {
  const endMs = Math.floor(nowMs / DAY_MS) * DAY_MS + DAY_MS;
  return { startMs: endMs - days * DAY_MS, endMs };
}

/** Query parameters of the operations that take a range. */
export function rangeQuery({ startMs, endMs }: TimeRange): { start_time: string; end_time: string } {
  return { start_time: new Date(startMs).toISOString(), end_time: new Date(endMs).toISOString() };
}

/** The latest alert of each rule in a range. */
export function summaryQuery(range: TimeRange): ListQuery {
  return { operation: 'alert-rules.summary', path: {}, query: rangeQuery(range) };
}
