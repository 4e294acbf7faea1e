/**
 * Records of an alert rule as a timeline: bins with their latest record, thresholds and marks (SERVICE.md
 * F6.5). Pure.
 */

import { isAlertSeverity, recordTime, severityOf } from '../../../electron/shared/alert-record.ts';
import { type RuleParts, recordsOfHistory } from '../../../electron/shared/alert-rule.ts';
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import { textOf } from '../../../electron/shared/json-fields.ts';
import { civilAt, UTC } from '../../../electron/shared/zone-time.ts';
import { momentText } from '../chart/time-ticks.ts';
import type { ChartMarker, ChartSeries, ChartThreshold } from '../chart/types.ts';
import {
  formatDay,
  formatDayOfYear,
  formatFigure,
  formatJsonLine,
  formatMoment,
  formatNumber,
  shownZone,
} from '../format.ts';
import { isObject } from '../records.ts';
import { longestBinMs } from './chart-body.ts';

export interface AlertBin {
  timeMs: number;
  /** The time as the service wrote it, for use in later requests. */
  rawTime: string;
  severity: unknown;
  value: number | null;
  warning: number | null;
  critical: number | null;
  feature: string;
  message: string;
  /** Number of records in this bin. */
  count: number | null;
  record: Record<string, unknown>;
}

/** A finite number, also if it is stored as text or with all its digits; otherwise null. */
export function numberField(record: Record<string, unknown>, field: string): number | null {
  const given = record[field];
  const value = isRawNumber(given) ? given.valueOf() : given;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

function binOf(record: Record<string, unknown>, time: unknown, count: number | null): AlertBin | null {
  const timeMs = recordTime(time);
  if (timeMs === null) return null;
  return {
    timeMs,
    rawTime: String(time),
    severity: record['severity'],
    value: numberField(record, 'alert_value'),
    warning: numberField(record, 'warning_threshold'),
    critical: numberField(record, 'critical_threshold'),
    feature: textOf(record, 'feature_name'),
    message: textOf(record, 'message') || textOf(record, 'failure_reason'),
    count,
    record,
  };
}

/** Time zone of a bin's start: days and longer bins begin at midnight UTC everywhere; hours are shown in local time. */
export function binZone(binSize: string): string {
  return binSize === 'Hour' ? shownZone() : UTC;
}

export function binTimeText(ms: number, binSize: string): string {
  const zone = binZone(binSize);
  const text = momentText(ms, zone, binSize !== 'Hour');
  return zone === UTC ? `${text} UTC` : text;
}

/** The start of a bin, abbreviated: `Mon 07:00` for hours, `23 Nov` for days and longer bins. */
export function shortBinTime(ms: number, binSize: string, nowMs: number): string {
  const zone = binZone(binSize);
  if (binSize === 'Hour') return formatMoment(ms, nowMs, zone);
  return civilAt(ms, zone).year === civilAt(nowMs, zone).year
    ? formatDayOfYear(ms, zone)
    : formatDay(ms, zone);
}

const HOUR = 3_600_000;
const FIXED: Readonly<Record<string, number>> = { Hour: HOUR, Day: 24 * HOUR, Week: 168 * HOUR };
const MONTHS: Readonly<Record<string, number>> = { Month: 1, Quarter: 3 };

/** End of a bin. A bin of unknown size counts as a day. Months differ in length. */
export function binEnd(startMs: number, binSize: string): number {
  const months = MONTHS[binSize];
  if (months === undefined) return startMs + (FIXED[binSize] ?? 24 * HOUR);
  const start = new Date(startMs);
  return start.setUTCMonth(start.getUTCMonth() + months);
}

interface AlertHistory {
  /** Oldest first, one bin per time. */
  bins: AlertBin[];
  /** Number of entries without a readable time. */
  lost: number;
}

/** Reads the response of record-history: `items` of the record, or a list in its place. */
export function readHistory(answer: Record<string, unknown> | null): AlertHistory {
  const byTime = new Map<number, AlertBin>();
  let lost = 0;
  for (const found of recordsOfHistory(answer)) {
    const bin =
      found === null ? null : binOf(found.record, found.time, numberField(found.entry, 'alert_count'));
    if (bin === null) lost += 1;
    else byTime.set(bin.timeMs, bin);
  }
  return { bins: [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs), lost };
}

/** Text beside a mark: the service's message if there is one, otherwise the value and the threshold it crossed. */
export function binText(bin: AlertBin, rule: Pick<RuleParts, 'isAbove'>): string {
  return bin.message === '' ? valueText(bin, rule) : bin.message;
}

/** The value and the threshold it crossed. Numbers are formatted by the settings, and rounded unless `isExact`. */
export function valueText(bin: AlertBin, rule: Pick<RuleParts, 'isAbove'>, isExact = true): string {
  if (bin.value === null) return bin.message === '' ? 'No value.' : bin.message;
  const about = bin.feature === '' ? '' : `${bin.feature}: `;
  const level = severityOf(bin.severity) === 'critical' ? bin.critical : bin.warning;
  // Rounded numbers must not hide that the threshold was crossed.
  const isClear = !isExact && (level === null || formatFigure(bin.value) !== formatFigure(level));
  const write = isClear ? formatFigure : formatNumber;
  const crossed = level === null ? '' : ` ${rule.isAbove ? 'above' : 'below'} ${write(level)}`;
  return `${about}${write(bin.value)}${crossed}`;
}

/** Marks of the bins with alerts. */
export function alertMarkers(bins: readonly AlertBin[], rule: Pick<RuleParts, 'isAbove'>): ChartMarker[] {
  return bins.flatMap((bin) => {
    if (!isAlertSeverity(bin.severity)) return [];
    const severity = severityOf(bin.severity);
    return [
      {
        id: String(bin.timeMs),
        timeMs: bin.timeMs,
        value: bin.value,
        axis: 'left',
        severity,
        text: binText(bin, rule),
      },
    ];
  });
}

/** The values in the records: those of the metric, or of its change. */
export function watchedSeries(bins: readonly AlertBin[], name: string, binSize: string): ChartSeries {
  const longest = longestBinMs(binSize);
  return {
    id: 'watched',
    name,
    kind: 'line',
    axis: 'left',
    times: bins.map(({ timeMs }) => timeMs),
    values: bins.map(({ value }) => value),
    look: 0,
    ...(longest === undefined ? {} : { gapMs: longest * 1.5 }),
  };
}

function thresholdOf(
  severity: 'warning' | 'critical',
  bins: readonly AlertBin[],
  rule: Pick<RuleParts, 'isAbove' | 'warning' | 'critical'>,
): ChartThreshold | null {
  const shared = { id: severity, severity, axis: 'left', side: rule.isAbove ? 'above' : 'below' } as const;
  const known = bins.filter((bin) => bin[severity] !== null);
  const levels = new Set(known.map((bin) => bin[severity]));
  // Thresholds differ between bins if they are automatic or have been edited.
  if (levels.size > 1) {
    const level = { times: known.map(({ timeMs }) => timeMs), values: known.map((bin) => bin[severity]) };
    return { ...shared, level };
  }
  const level = known[0]?.[severity] ?? rule[severity];
  return level === null ? null : { ...shared, level };
}

/** Threshold lines: constant if all bins had the same level, otherwise one level per bin. */
export function alertThresholds(
  bins: readonly AlertBin[],
  rule: Pick<RuleParts, 'isAbove' | 'warning' | 'critical'>,
): ChartThreshold[] {
  return (['warning', 'critical'] as const).flatMap((severity) => thresholdOf(severity, bins, rule) ?? []);
}

/** The fields of AlertThresholdsForBinResponse are undocumented, so the two levels are accepted under several names. */
export function readBinThresholds(record: Record<string, unknown> | null): {
  warning: number | null;
  critical: number | null;
} {
  const level = (word: string): number | null => {
    for (const [key, value] of Object.entries(record ?? {})) {
      if (key.toLowerCase().includes(word)) {
        const found =
          typeof value === 'number' ? value : isObject(value) ? numberField(value, 'value') : null;
        if (found !== null) return found;
      }
    }
    const nested = record?.['thresholds'];
    return isObject(nested) ? readBinThresholds(nested)[word === 'warning' ? 'warning' : 'critical'] : null;
  };
  return { warning: level('warning'), critical: level('critical') };
}

interface ChannelResult {
  channel: string;
  recipient: string;
  status: string;
  message: string;
  /** Null if the status is unknown. */
  isOk: boolean | null;
}

function outcome(status: unknown): boolean | null {
  if (typeof status === 'boolean') return status;
  if (typeof status !== 'string') return null;
  if (/^(success|succeeded|ok|sent|delivered|true|passed)$/i.test(status)) return true;
  return /^(fail|failed|failure|error|false|refused|rejected|bounced)$/i.test(status) ? false : null;
}

function resultOf(entry: unknown, channel: string): ChannelResult[] {
  if (!isObject(entry)) {
    if (entry === null || entry === undefined) return [];
    return [{ channel, recipient: '', status: formatJsonLine(entry), message: '', isOk: outcome(entry) }];
  }
  const status = entry['status'] ?? entry['success'] ?? entry['result'];
  const text = (...fields: string[]) =>
    fields.map((field) => textOf(entry, field)).find((each) => each !== '') ?? '';
  return [
    {
      channel: text('channel', 'type', 'channel_type') || channel,
      recipient: text('recipient', 'email', 'name', 'url', 'service', 'id'),
      status: formatJsonLine(status),
      message: text('message', 'error', 'error_message', 'reason', 'detail'),
      isOk: outcome(status),
    },
  ];
}

/** Results of a test by channel: the record has a list of results, or a field for each channel. */
export function readTestResults(record: Record<string, unknown> | null): ChannelResult[] {
  if (record === null) return [];
  const results = record['results'] ?? record['items'];
  if (Array.isArray(results)) return results.flatMap((entry) => resultOf(entry, ''));
  const source = isObject(results) ? results : record;
  return Object.entries(source).flatMap(([channel, value]) =>
    Array.isArray(value) ? value.flatMap((entry) => resultOf(entry, channel)) : resultOf(value, channel),
  );
}
