/** The time range and bins of a metric query (SERVICE.md F8.1). */
import type { QueryBody } from '../../api/endpoints.ts';
import { malformed } from '../service-error.ts';
import { parseTime } from '../timestamps.ts';
import { BIN_SIZES, type Bin, binsBetween, DAY_MS, isBinSize } from './bins.ts';

/** Maximum number of bins in one answer. */
const MAX_BINS = 5_000;
const LABEL_DAYS: Readonly<Record<string, number>> = { '7d': 7, '30d': 30, '90d': 90, '6m': 182, '12m': 365 };

interface Range {
  startMs: number;
  endMs: number;
}

function labelRange(label: string, nowMs: number): Range {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (label === 'today') return { startMs: todayMs, endMs: nowMs };
  if (label === 'yesterday') return { startMs: todayMs - DAY_MS, endMs: todayMs };
  if (label === 'ytd') return { startMs: Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1), endMs: nowMs };
  const days = Object.hasOwn(LABEL_DAYS, label) ? LABEL_DAYS[label] : undefined;
  if (days === undefined) throw malformed(`filters.time_label "${label}" is not known.`);
  return { startMs: nowMs - days * DAY_MS, endMs: nowMs };
}

function rangeOf(filters: QueryBody['filters'], nowMs: number): Range {
  const { time_label: label, time_range: range } = filters;
  if (label !== null && label !== undefined && label !== '') return labelRange(label, nowMs);
  if (range === null || range === undefined) throw malformed('filters: send time_label or time_range.');
  const [startMs, endMs] = [parseTime(range.start_time), parseTime(range.end_time)];
  if (startMs === null || endMs === null)
    throw malformed('filters.time_range: start_time and end_time must be times.');
  if (endMs <= startMs) throw malformed('filters.time_range: end_time must be later than start_time.');
  return { startMs, endMs };
}

function checkTimeZone(zone: string | null | undefined): void {
  if (zone === null || zone === undefined || zone === '') return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    throw malformed(`filters.time_zone "${zone}" is not a time zone.`);
  }
}

/** The bins of a query, always in UTC, whatever time zone is requested. Throws a 400. */
export function queryBins(filters: QueryBody['filters'], nowMs: number): Bin[] {
  const size = filters.bin_size ?? 'Day';
  if (!isBinSize(size)) throw malformed(`filters.bin_size must be one of ${BIN_SIZES.join(', ')}.`);
  checkTimeZone(filters.time_zone);
  const { startMs, endMs } = rangeOf(filters, nowMs);
  const bins = binsBetween(startMs, endMs, size, MAX_BINS);
  if (bins === null) throw malformed(`The range holds more than ${MAX_BINS} bins. Take a larger bin_size.`);
  return bins;
}
