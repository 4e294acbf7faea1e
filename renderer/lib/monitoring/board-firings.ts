/** Marks on the time axis of a chart of a board: the bins in which its alert rules fired. Pure. */
import { isAlertSeverity, type Severity, severityOf } from '../../../electron/shared/alert-record.ts';
import type { ChartMarker } from '../chart/types.ts';
import { formatCount } from '../format.ts';
import type { AlertBin } from './alert-history.ts';

const DAYS: Readonly<Record<string, number>> = { today: 1, yesterday: 2, '7d': 8, '30d': 31, '90d': 91 };

/** Days that a time label of a board covers, with the present one. */
export const daysOf = (label: string): number => DAYS[label] ?? 366;

/**
 * One mark for each bin of the chart in which a rule fired, with the worst severity, at the bottom. `times`: beginnings of
 * the bins, ascending; alerts before the first are left out.
 */
export function firingMarkers(
  rules: readonly { name: string; bins: readonly AlertBin[] }[],
  times: readonly number[],
): ChartMarker[] {
  const found = new Map<number, { severity: Severity; counts: Map<string, number> }>();
  for (const { name, bins } of rules)
    for (const { timeMs, severity } of bins) {
      const at = times.findLast((time) => time <= timeMs);
      if (at === undefined || !isAlertSeverity(severity)) continue;
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
