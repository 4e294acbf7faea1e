/** Time bins of metric queries and alert rules, in UTC. Weeks begin on Monday. */
export const BIN_SIZES = ['Hour', 'Day', 'Week', 'Month', 'Quarter'] as const;
export type BinSize = (typeof BIN_SIZES)[number];

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** First Monday after 1 January 1970, which was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const FIXED: Readonly<Partial<Record<BinSize, number>>> = { Hour: HOUR_MS, Day: DAY_MS, Week: WEEK_MS };
const MONTHS: Readonly<Partial<Record<BinSize, number>>> = { Month: 1, Quarter: 3 };

export interface Bin {
  startMs: number;
  endMs: number;
}

export function isBinSize(text: unknown): text is BinSize {
  return BIN_SIZES.some((size) => size === text);
}

/** The bin that contains a moment. */
export function binOf(timeMs: number, size: BinSize): Bin {
  const lengthMs = FIXED[size];
  if (lengthMs !== undefined) {
    const shiftMs = size === 'Week' ? FIRST_MONDAY_MS : 0;
    const startMs = Math.floor((timeMs - shiftMs) / lengthMs) * lengthMs + shiftMs;
    return { startMs, endMs: startMs + lengthMs };
  }
  const months = MONTHS[size] ?? 1;
  const date = new Date(timeMs);
  const first = Math.floor(date.getUTCMonth() / months) * months;
  const year = date.getUTCFullYear();
  return { startMs: Date.UTC(year, first, 1), endMs: Date.UTC(year, first + months, 1) };
}

/** The bin `count` bins before another one; after it, if `count` is negative. */
export function binBefore(bin: Bin, size: BinSize, count: number): Bin {
  const lengthMs = FIXED[size];
  if (lengthMs !== undefined) {
    return { startMs: bin.startMs - count * lengthMs, endMs: bin.endMs - count * lengthMs };
  }
  const date = new Date(bin.startMs);
  const month = date.getUTCMonth() - count * (MONTHS[size] ?? 1);
  return binOf(Date.UTC(date.getUTCFullYear(), month, 1), size);
}

export const COMPARISONS = {
  'Previous Day': { days: 1, months: 0 },
  'Previous Week': { days: 7, months: 0 },
  'Previous Month': { days: 0, months: 1 },
  'Previous Quarter': { days: 0, months: 3 },
  'Previous Year': { days: 0, months: 12 },
} as const;
export type Comparison = keyof typeof COMPARISONS;

export function isComparison(text: unknown): text is Comparison {
  return typeof text === 'string' && Object.hasOwn(COMPARISONS, text);
}

/** The bin of an earlier period that a bin is compared with. A day that a month lacks becomes the month's last day. */
export function comparedBin(bin: Bin, size: BinSize, comparison: Comparison): Bin {
  const { days, months } = COMPARISONS[comparison];
  const date = new Date(bin.startMs - days * DAY_MS);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), last);
  const timeMs = date.getTime() % DAY_MS;
  return binOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, day) + timeMs, size);
}

/** Bins that begin in [startMs, endMs), and the bin that contains the start; null if there are more than `most`. */
export function binsBetween(startMs: number, endMs: number, size: BinSize, most: number): Bin[] | null {
  const bins: Bin[] = [];
  for (let bin = binOf(startMs, size); bin.startMs < endMs; bin = binBefore(bin, size, -1)) {
    if (bins.length >= most) return null;
    bins.push(bin);
  }
  return bins;
}
