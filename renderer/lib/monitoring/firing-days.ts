/** The days on which an alert rule fired, from its history. Days are in UTC, like the bins. Pure. */
import {
  hasSeverity,
  isAlertSeverity,
  type Severity,
  severityOf,
} from '../../../electron/shared/alert-record.ts';
import type { TimeRange } from '../../../electron/shared/model.ts';
import { UTC } from '../../../electron/shared/zone-time.ts';
import { severityWord } from '../chart/look.ts';
import { formatCount, formatDay } from '../format.ts';
import type { AlertBin } from './alert-history.ts';

const DAY = 86_400_000;

/** `unknown`: the record has no severity. */
type DaySeverity = Severity | 'unknown';

interface FiringDay {
  dayMs: number;
  /** Severity of the most severe record; null for a day without records. */
  severity: DaySeverity | null;
  /** Number of bins with an alert. */
  fired: number;
  /** Whether the day had already ended when its records were read. */
  isFinished: boolean;
}

const RANK: Readonly<Record<DaySeverity, number>> = {
  normal: 0,
  unknown: 1,
  other: 2,
  warning: 3,
  critical: 4,
};

/** Whether counting by day makes sense for the rule: with longer bins most days have no record. */
export const hasFiringDays = (binSize: string): boolean => binSize === 'Hour' || binSize === 'Day';

/** Every day of the range, oldest first. `readAtMs`: when the records were read. */
export function firingDays(
  bins: readonly Pick<AlertBin, 'timeMs' | 'severity'>[],
  range: TimeRange,
  readAtMs: number,
): FiringDay[] {
  const first = Math.floor(range.startMs / DAY) * DAY;
  const days = Array.from(
    { length: Math.max(0, Math.ceil((range.endMs - first) / DAY)) },
    (_, at): FiringDay => {
      const dayMs = first + at * DAY;
      return { dayMs, severity: null, fired: 0, isFinished: dayMs + DAY <= readAtMs };
    },
  );
  for (const bin of bins) {
    const day = days[Math.floor((bin.timeMs - first) / DAY)];
    if (day === undefined) continue;
    const severity = hasSeverity(bin.severity) ? severityOf(bin.severity) : 'unknown';
    if (isAlertSeverity(bin.severity)) day.fired += 1;
    if (day.severity === null || RANK[severity] > RANK[day.severity]) day.severity = severity;
  }
  return days;
}

function stateText({ severity, isFinished }: FiringDay): string {
  if (severity === null) return isFinished ? 'no records' : 'no records yet';
  if (severity === 'unknown') return 'severity not known';
  return severity === 'other' ? 'other severity' : severityWord(severity);
}

/** `9 Mar 2026 UTC: Critical`; `… so far` for a day that had not ended. */
export function dayText(day: FiringDay): string {
  const soFar = day.isFinished || day.severity === null ? '' : ' so far';
  return `${formatDay(day.dayMs, UTC)} UTC: ${stateText(day)}${soFar}`;
}

/**
 * `Fired on 3 of 41 days with records; severity not known on 1 day; no records on 19 days`. An unfinished day is left
 * out of these counts; its alert is mentioned separately.
 */
export function firingText(days: readonly FiringDay[]): string {
  const finished = days.filter(({ isFinished }) => isFinished);
  const known = finished.filter(({ severity }) => severity !== null).length;
  const fired = finished.filter((day) => day.fired > 0).length;
  const unknown = finished.filter(({ severity }) => severity === 'unknown').length;
  const rest = finished.length - known;
  const now = days.find((day) => !day.isFinished && day.fired > 0);
  return [
    known === 0
      ? `No records in ${formatCount(finished.length, 'day')}`
      : `Fired on ${fired} of ${formatCount(known, 'day')} with records`,
    ...(unknown === 0 ? [] : [`severity not known on ${formatCount(unknown, 'day')}`]),
    ...(rest === 0 || known === 0 ? [] : [`no records on ${formatCount(rest, 'day')}`]),
    ...(now === undefined ? [] : [dayText(now)]),
  ].join('; ');
}
