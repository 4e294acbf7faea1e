/**
 * Fewer points than there are values, for a chart that is narrower than its data: nothing is averaged. Of every
 * column of pixels the first, lowest, highest and last value stay, and a gap between two of them stays a gap. Pure.
 */
import type { ChartSeries, TimeSpan } from '../../lib/chart/types.ts';

/** `y` is NaN where the line breaks. */
export interface PlotPoint {
  x: number;
  y: number;
}

type Data = Pick<ChartSeries, 'times' | 'values' | 'gapMs'>;

/** Index of the first time at or after `ms`. */
export function firstAt(times: readonly number[], ms: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Number.POSITIVE_INFINITY) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the value at exactly this time, or -1. */
export function indexAt(times: readonly number[], ms: number): number {
  const at = firstAt(times, ms);
  return times[at] === ms ? at : -1;
}

/** The values in view, and one on either side so that lines reach the edges. */
function slice(times: readonly number[], { startMs, endMs }: TimeSpan): { from: number; to: number } {
  const from = Math.max(0, firstAt(times, startMs) - 1);
  let to = firstAt(times, endMs);
  while (to < times.length && (times[to] ?? 0) <= endMs) to += 1;
  return { from, to: Math.min(times.length, to + 1) };
}

/** Collects points in order and breaks the line wherever values that are left out had a gap. */
class Line {
  readonly points: PlotPoint[] = [];
  readonly #data: Data;
  #last = -1;
  /** A gap was passed since the last point. */
  #isBroken = false;

  constructor(data: Data) {
    this.#data = data;
  }

  gap(): void {
    this.#isBroken = true;
  }

  add(index: number): void {
    if (index <= this.#last) return;
    const { times, values, gapMs } = this.#data;
    const x = times[index] ?? 0;
    const before = times[this.#last];
    const isFar = gapMs !== undefined && before !== undefined && this.#farBetween(this.#last, index, gapMs);
    if (before !== undefined && (this.#isBroken || isFar))
      this.points.push({ x: (before + x) / 2, y: Number.NaN });
    this.points.push({ x, y: values[index] ?? Number.NaN });
    this.#last = index;
    this.#isBroken = false;
  }

  /** Is a step longer than a gap somewhere between two points, of which the values between are left out? */
  #farBetween(from: number, to: number, gapMs: number): boolean {
    const { times } = this.#data;
    if ((times[to] ?? 0) - (times[from] ?? 0) <= gapMs) return false;
    for (let at = from; at < to; at += 1) {
      if ((times[at + 1] ?? 0) - (times[at] ?? 0) > gapMs) return true;
    }
    return false;
  }
}

/** Every value of the slice. */
function whole(data: Data, from: number, to: number): PlotPoint[] {
  const line = new Line(data);
  for (let index = from; index < to; index += 1) {
    if (isValue(data.values[index])) line.add(index);
    else line.gap();
  }
  return line.points;
}

function isValue(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

interface Kept {
  first: number;
  low: number;
  high: number;
  last: number;
}

/** First, lowest, highest and last value of a stretch; null where it has none. */
function keptOf(values: Data['values'], from: number, to: number): Kept | null {
  let kept: Kept | null = null;
  for (let index = from; index < to; index += 1) {
    const value = values[index];
    if (!isValue(value)) continue;
    if (kept === null) {
      kept = { first: index, low: index, high: index, last: index };
      continue;
    }
    kept.last = index;
    if (value < (values[kept.low] ?? 0)) kept.low = index;
    if (value > (values[kept.high] ?? 0)) kept.high = index;
  }
  return kept;
}

/** Walks from one kept value to the next and notes gaps on the way. */
function walk(line: Line, data: Data, from: number, to: number, stops: readonly number[]): void {
  let next = 0;
  for (let index = from; index < to; index += 1) {
    if (!isValue(data.values[index])) line.gap();
    else if (index === stops[next]) {
      line.add(index);
      while (stops[next] === index) next += 1;
    }
  }
}

/**
 * Points to draw of the values in `span` over `columns` columns of pixels: all of them where there are few, else at
 * most four a column (seven with its gaps). Two neighbours are joined only where no gap lies between them.
 */
export function bucketPoints(data: Data, span: TimeSpan, columns: number): PlotPoint[] {
  const { times, values } = data;
  const { from, to } = slice(times, span);
  const width = Math.max(1, Math.floor(columns));
  if (to - from <= 4 * width) return whole(data, from, to);
  const line = new Line(data);
  const length = Math.max(1, span.endMs - span.startMs) / width;
  let start = from;
  while (start < to) {
    const column = Math.floor(((times[start] ?? 0) - span.startMs) / length);
    const end = Math.min(to, Math.max(start + 1, firstAt(times, span.startMs + (column + 1) * length)));
    const kept = keptOf(values, start, end);
    const stops = kept === null ? [] : [kept.first, kept.low, kept.high, kept.last].toSorted((a, b) => a - b);
    walk(line, data, start, end, stops);
    start = end;
  }
  return line.points;
}

/** Every time at which one of the series has a place, ascending. */
export function allTimes(series: readonly Pick<ChartSeries, 'times'>[]): readonly number[] {
  const [first, ...rest] = series.filter(({ times }) => times.length > 0);
  if (first === undefined) return [];
  const isSame = rest.every(
    ({ times }) =>
      times === first.times ||
      (times.length === first.times.length && times.every((ms, index) => ms === first.times[index])),
  );
  if (isSame) return first.times;
  return [...new Set(series.flatMap(({ times }) => times))].sort((a, b) => a - b);
}

/** Index of the time nearest to a moment; -1 where there is none. */
export function nearestAt(times: readonly number[], ms: number): number {
  const at = firstAt(times, ms);
  if (at === 0) return times.length === 0 ? -1 : 0;
  const before = times[at - 1] ?? Number.NEGATIVE_INFINITY;
  const after = times[at] ?? Number.POSITIVE_INFINITY;
  return ms - before <= after - ms ? at - 1 : at;
}
