/** Marks on the time axis of a board's chart: the bins in which alert rules fired. Pure. */
import { isAlertSeverity, type Severity, severityOf } from '../../../electron/shared/alert-record.ts';
import type { ChartMarker } from '../chart/types.ts';
import { formatCount } from '../format.ts';
import type { AlertBin } from './alert-history.ts';
import { binEnd } from './open-end.ts';

const DAYS: Readonly<Record<string, number>> = { today: 1, yesterday: 2, '7d': 8, '30d': 31, '90d': 91 };

/** Days that a time label of a board covers, including today. */
export const daysOf = (label: string): number => DAYS[label] ?? 366;

/** The last of the ascending `times` that is not after `timeMs`; undefined if all are later. */
function beginningOf(timeMs: number, times: readonly number[]): number | undefined {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= timeMs) low = middle + 1;
    else high = middle;
  }
  return times[low - 1];
}

interface Bins {
  /** Starts of the bins, ascending. */
  times: readonly number[];
  binSize: string;
  zone: string;
}

/**
 * One mark at the bottom for each bin of the chart in which a rule fired, with the worst severity. Alerts outside the
 * bins are left out.
 */
export function firingMarkers(
  rules: readonly { name: string; bins: readonly AlertBin[] }[],
  { times, binSize, zone }: Bins,
): ChartMarker[] {
  const last = times.at(-1);
  if (last === undefined) return [];
  // If the bin size is unknown, the last bin is taken to be as long as the one before it.
  const endMs = binEnd(last, binSize, zone) ?? 2 * last - (times.at(-2) ?? last - 1);
  const found = new Map<number, { severity: Severity; counts: Map<string, number> }>();
  for (const { name, bins } of rules)
    for (const { timeMs, severity } of bins) {
      if (timeMs >= endMs || !isAlertSeverity(severity)) continue;
      const at = beginningOf(timeMs, times);
      if (at === undefined) continue;
      const mark = found.get(at) ?? { severity: 'warning', counts: new Map<string, number>() };
      if (severityOf(severity) === 'critical') mark.severity = 'critical';
      mark.counts.set(name, (mark.counts.get(name) ?? 0) + 1);
      found.set(at, mark);
    }
  return [...found].map(([timeMs, { severity, counts }]) => ({
    ...{ id: `fired ${timeMs}`, timeMs, value: null, axis: 'left', severity },
    text: [...counts]
      .map(([name, count]) => (count === 1 ? `${name} fired` : `${name} fired ${formatCount(count, 'time')}`))
      .join(', '),
  }));
}
