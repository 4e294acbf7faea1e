/** The last bin of a chart where it had not ended when its value was read: a part of what it will be. Pure. */
import { civilAt, momentOf } from '../../../electron/shared/zone-time.ts';
import type { ChartSeries } from '../chart/types.ts';

const HOUR = 3_600_000;
const DAYS: Readonly<Record<string, number>> = { Day: 1, Week: 7 };
const MONTHS: Readonly<Record<string, number>> = { Month: 1, Quarter: 3 };

/** When the bin that starts at `startMs` ends, on the wall clock of its zone; null where the size is not known. */
export function binEnd(startMs: number, binSize: string, zone: string): number | null {
  if (binSize === 'Hour') return startMs + HOUR;
  const [days, months] = [DAYS[binSize] ?? 0, MONTHS[binSize] ?? 0];
  if (days + months === 0) return null;
  const start = civilAt(startMs, zone);
  return momentOf({ ...start, day: start.day + days, month: start.month + months }, zone);
}

interface Bins {
  binSize: string;
  zone: string;
}

/** The series as they were read at `readMs`: those of the current period know from when on they are open. */
export function withOpenEnd(
  series: readonly ChartSeries[],
  { binSize, zone }: Bins,
  readMs: number,
): ChartSeries[] {
  return series.map((each) => {
    const last = each.times.at(-1);
    const end = last === undefined || each.earlierOf !== undefined ? null : binEnd(last, binSize, zone);
    return end === null || end <= readMs ? each : { ...each, openFromMs: last };
  });
}
