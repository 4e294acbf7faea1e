/** The days on which an alert rule fired, from the records of its history. In UTC, like the bins. Pure. */
import { type Severity, severityOf } from '../../../electron/shared/alert-record.ts';
import type { TimeRange } from '../../../electron/shared/model.ts';
import { formatCount } from '../format.ts';
import type { AlertBin } from './alert-history.ts';

const DAY = 86_400_000;

interface FiringDay {
  dayMs: number;
  /** The most severe record; null for a day without any record. */
  severity: Severity | null;
  /** Number of bins that are no normal ones. */
  fired: number;
}

const RANK: Readonly<Record<Severity, number>> = { normal: 0, other: 1, warning: 2, critical: 3 };

/** Every day of the range, the oldest first. */
export function firingDays(
  bins: readonly Pick<AlertBin, 'timeMs' | 'severity'>[],
  range: TimeRange,
): FiringDay[] {
  const first = Math.floor(range.startMs / DAY) * DAY;
  const days = Array.from(
    { length: Math.max(0, Math.ceil((range.endMs - first) / DAY)) },
    (_, at): FiringDay => ({ dayMs: first + at * DAY, severity: null, fired: 0 }),
  );
  for (const bin of bins) {
    const day = days[Math.floor((bin.timeMs - first) / DAY)];
    if (day === undefined) continue;
    const severity = severityOf(bin.severity);
    if (severity !== 'normal') day.fired += 1;
    if (day.severity === null || RANK[severity] > RANK[day.severity]) day.severity = severity;
  }
  return days;
}

/** `Fired on 3 of 41 days with records; no records on 19 days` */
export function firingText(days: readonly FiringDay[]): string {
  const known = days.filter(({ severity }) => severity !== null).length;
  const fired = days.filter((day) => day.fired > 0).length;
  if (known === 0) return `No records in ${formatCount(days.length, 'day')}`;
  const rest = days.length - known;
  const lacks = rest === 0 ? '' : `; no records on ${formatCount(rest, 'day')}`;
  return `Fired on ${fired} of ${formatCount(known, 'day')} with records${lacks}`;
}
