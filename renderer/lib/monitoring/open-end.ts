/** Marks the last bin of a chart as partial if it had not ended when its value was read. Pure. */
import { civilAt, momentOf } from '../../../electron/shared/zone-time.ts';
import type { ChartSeries } from '../chart/types.ts';

const HOUR = 3_600_000;
const DAYS: Readonly<Record<string, number>> = { Day: 1, Week: 7 };
const MONTHS: Readonly<Record<string, number>> = { Month: 1, Quarter: 3 };

/** End of the bin that starts at `startMs`, on the wall clock of its zone; null if the size is unknown. */
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

/**
 * The series with a mark where their unfinished bin starts. `readMs`: when they were read. Series of an earlier period
 * are unchanged.
 */
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
