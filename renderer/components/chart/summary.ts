/** A chart as text and as a table, for screen readers and for spreadsheets. Pure. */

import { delimitedCells } from '../../../electron/shared/delimited.ts';
import { isoWithOffset, zoneName } from '../../../electron/shared/zone-time.ts';
import { SEVERITY_LOOKS } from '../../lib/chart/look.ts';
import { areDays, momentText } from '../../lib/chart/time-ticks.ts';
import type { ChartMarker, ChartSeries, ChartThreshold, TimeSpan } from '../../lib/chart/types.ts';
import { formatCount, formatNumber, written } from '../../lib/format.ts';
import { allTimes, indexAt } from './buckets.ts';
import { changeText, isUnfinished, meanChange, withChanges } from './changes.ts';

// Created once: creating a formatter costs a hundred times as much as using it, and the cursor of a board writes dozens
// of numbers per frame.
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

/** The exact number, with separators. */
export function exactNumber(value: number): string {
  if (!Number.isFinite(value) || value === 0) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e15)) return String(value);
  return written(exact.format(value));
}

/** The longest text of exact numbers. Not all of them are formatted: there can be many. */
export function longestNumber(values: readonly unknown[]): string {
  let [longest, largest] = [0, 0];
  for (const value of values) {
    if (typeof value !== 'number') continue;
    if (String(value).length > String(longest).length) longest = value;
    if (Math.abs(value) > Math.abs(largest)) largest = value;
  }
  const texts = [exactNumber(longest), exactNumber(largest)];
  return texts.toSorted((one, other) => other.length - one.length)[0] ?? '';
}

/** Level of a threshold at a time; null if it has none at that time. */
export function levelAt({ level }: Pick<ChartThreshold, 'level'>, ms: number): number | null {
  if (typeof level === 'number') return level;
  let found: number | null = null;
  for (const [index, time] of level.times.entries()) {
    if (time > ms) break;
    found = level.values[index] ?? null;
  }
  return found;
}

interface Facts {
  /** Number of values, including partial ones. */
  count: number;
  /** Number of partial values, which are excluded from minimum, maximum and mean. */
  open: number;
  gaps: number;
  /** Null if there are no values. */
  mean: number | null;
  low: { value: number; ms: number } | null;
  high: { value: number; ms: number } | null;
}

function factsOf(series: ChartSeries, span: TimeSpan): Facts {
  const { times, values } = series;
  const facts: Facts = { count: 0, open: 0, gaps: 0, mean: null, low: null, high: null };
  let sum = 0;
  for (const [index, ms] of times.entries()) {
    if (ms < span.startMs || ms > span.endMs) continue;
    const value = values[index] ?? null;
    if (value === null || !Number.isFinite(value)) {
      facts.gaps += 1;
      continue;
    }
    facts.count += 1;
    if (isUnfinished(series, ms)) {
      facts.open += 1;
      continue;
    }
    sum += value;
    if (facts.low === null || value < facts.low.value) facts.low = { value, ms };
    if (facts.high === null || value > facts.high.value) facts.high = { value, ms };
  }
  const whole = facts.count - facts.open;
  facts.mean = whole === 0 ? null : sum / whole;
  return facts;
}

/** Minimum, mean and maximum of a series in the span, for its legend; null if it has no values there. */
export function seriesRange(
  series: ChartSeries,
  span: TimeSpan,
): { min: number; mean: number; max: number; count: number; open: number } | null {
  const { low, high, mean, count, open } = factsOf(series, span);
  if (low === null || high === null || mean === null) return null;
  return { min: low.value, mean, max: high.value, count, open };
}

function seriesSentence(series: ChartSeries, span: TimeSpan, when: (ms: number) => string): string {
  const { count, open, gaps, low, high } = factsOf(series, span);
  const openText = open === 0 ? '' : `, ${formatNumber(open)} of a time that is not over`;
  if (low === null || high === null)
    return count === 0
      ? `${series.name}: no values.`
      : `${series.name}: ${formatCount(count, 'value')}${openText}.`;
  const gapText = gaps === 0 ? '' : `, ${formatCount(gaps, 'gap')}`;
  // Values of an earlier period are drawn at the times of the later period.
  const word = series.earlierOf === undefined ? 'on' : 'beside';
  return (
    `${series.name}: ${formatCount(count, 'value')}${openText}${gapText}; ` +
    `lowest ${formatNumber(low.value)} ${word} ${when(low.ms)}, highest ${formatNumber(high.value)} ${word} ${when(high.ms)}.`
  );
}

/** Maximum number of series that are described; more are only counted. */
const MAX_TOLD = 12;

/** Describes the chart in a few sentences. `series`: the visible ones. */
export function describeChart(chart: {
  series: readonly ChartSeries[];
  thresholds: readonly ChartThreshold[];
  markers: readonly ChartMarker[];
  span: TimeSpan;
  zone: string;
}): string {
  const { series, thresholds, markers, span, zone } = chart;
  const isDay = areDays(allTimes(series), zone);
  const when = (ms: number) => momentText(ms, zone, isDay);
  const told = series.slice(0, MAX_TOLD).map((each) => {
    const change = meanChange(each, series, span);
    const since = change === null ? '' : ` Change of the mean since: ${changeText(change)}.`;
    return `${seriesSentence(each, span, when)}${since}`;
  });
  const rest = series.length - MAX_TOLD;
  const levels = thresholds.map(({ severity, level, side }) => {
    const text = typeof level === 'number' ? formatNumber(level) : 'changes over time';
    return `${SEVERITY_LOOKS[severity].word} threshold: ${text}, ${side} it.`;
  });
  const counts = (['critical', 'warning'] as const).map((severity) => {
    const count = markers.filter(
      (marker) =>
        marker.severity === severity && marker.timeMs >= span.startMs && marker.timeMs <= span.endMs,
    ).length;
    return formatCount(count, `${severity} record`);
  });
  return [
    `${formatCount(series.length, 'series', 'series')} from ${when(span.startMs)} to ${when(span.endMs)}, ${zoneName(zone)}.`,
    ...told,
    ...(rest > 0 ? [`${formatCount(rest, 'more series', 'more series')}.`] : []),
    ...levels,
    ...(markers.length > 0 ? [`${counts.join(', ')}.`] : []),
  ].join(' ');
}

/** `12 Mar 2026, 14:00 to 13 Mar 2026, 14:00`, in the format of the chart's times. */
export function describeSpan(
  series: readonly ChartSeries[],
  { startMs, endMs }: TimeSpan,
  zone: string,
): string {
  const isDay = areDays(allTimes(series), zone);
  return `${momentText(startMs, zone, isDay)} to ${momentText(endMs, zone, isDay)}`;
}

interface TableRow {
  [column: string]: unknown;
  timeMs: number;
  /** Set if a value of the row is partial, because its bin had not ended when it was read. */
  isUnfinished?: true;
}

/** Column name of a series in the table rows. */
export const seriesColumn = (index: number): string => `series-${index}`;

/** One row per time in the span, one column per series; `records` contains the texts of markers. */
export function tableRows(
  series: readonly ChartSeries[],
  markers: readonly ChartMarker[],
  span: TimeSpan,
): TableRow[] {
  const texts = new Map<number, string[]>();
  for (const { timeMs, text } of markers) texts.set(timeMs, [...(texts.get(timeMs) ?? []), text]);
  const times = allTimes([...series, { times: [...texts.keys()].sort((a, b) => a - b) }]);
  return times
    .filter((ms) => ms >= span.startMs && ms <= span.endMs)
    .map((timeMs) => {
      const row: TableRow = { timeMs };
      for (const [index, each] of series.entries()) {
        const at = indexAt(each.times, timeMs);
        row[seriesColumn(index)] = at === -1 ? undefined : each.values[at];
      }
      const said = texts.get(timeMs);
      if (said !== undefined) row['records'] = said.join('; ');
      if (series.some((each) => isUnfinished(each, timeMs) && indexAt(each.times, timeMs) !== -1))
        row.isUnfinished = true;
      return row;
    });
}

const cellText = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/**
 * Header and rows of the table: times with offset and raw values. Gaps are empty, and a separate column marks partial
 * values. The header names the zone.
 */
function cellsOf(
  given: readonly ChartSeries[],
  markers: readonly ChartMarker[],
  span: TimeSpan,
  zone: string,
): unknown[][] {
  const series = withChanges(given);
  const hasRecords = markers.length > 0;
  const shown = tableRows(series, markers, span);
  const hasUnfinished = shown.some((row) => row.isUnfinished);
  const head = [
    `time (${zoneName(zone)})`,
    ...series.map(({ name }) => name),
    ...(hasRecords ? ['records'] : []),
    ...(hasUnfinished ? ['unfinished'] : []),
  ];
  const rows = shown.map((row) => [
    isoWithOffset(row.timeMs, zone),
    ...series.map((_, index) => row[seriesColumn(index)]),
    ...(hasRecords ? [row['records']] : []),
    ...(hasUnfinished ? [row.isUnfinished ? 'yes' : ''] : []),
  ]);
  return [head, ...rows];
}

/** The table as CSV, with line ends as in RFC 4180. */
export function toCsv(
  series: readonly ChartSeries[],
  markers: readonly ChartMarker[],
  span: TimeSpan,
  zone: string,
): string {
  return cellsOf(series, markers, span, zone)
    .map((cells) => delimitedCells(cells.map(cellText)))
    .join('\r\n');
}

/** The table in the clipboard format of spreadsheets and documents: tab-separated cells without line breaks. */
export function toTabs(
  series: readonly ChartSeries[],
  markers: readonly ChartMarker[],
  span: TimeSpan,
  zone: string,
): string {
  const text = (value: unknown) => cellText(value).replace(/[\t\r\n]+/g, ' ');
  return cellsOf(series, markers, span, zone)
    .map((cells) => delimitedCells(cells.map(text), { delimiter: '\t' }))
    .join('\n');
}

/** The span from the first to the last time; null if there are no times. */
export function spanOf(series: readonly ChartSeries[], markers: readonly ChartMarker[]): TimeSpan | null {
  let startMs = Number.POSITIVE_INFINITY;
  let endMs = Number.NEGATIVE_INFINITY;
  for (const ms of [
    ...series.flatMap(({ times }) => [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN]),
    ...markers.map(({ timeMs }) => timeMs),
  ]) {
    if (ms < startMs) startMs = ms;
    if (ms > endMs) endMs = ms;
  }
  return startMs <= endMs ? { startMs, endMs } : null;
}
