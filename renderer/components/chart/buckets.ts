/**
 * Reduces the number of points if a chart is narrower than its data. Nothing is averaged: each pixel column keeps its
 * first, lowest, highest and last value, and gaps between values remain gaps. Pure.
 */
import type { ChartSeries, TimeSpan } from '../../lib/chart/types.ts';

/** A point in the plot. `y` is NaN where the line breaks. */
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

/** Index of the value at exactly this time; -1 if there is none. */
export function indexAt(times: readonly number[], ms: number): number {
  const at = firstAt(times, ms);
  return times[at] === ms ? at : -1;
}

/** The visible values, and one more on each side so that lines reach the edges. */
function slice(times: readonly number[], { startMs, endMs }: TimeSpan): { from: number; to: number } {
  const from = Math.max(0, firstAt(times, startMs) - 1);
  let to = firstAt(times, endMs);
  while (to < times.length && (times[to] ?? 0) <= endMs) to += 1;
  return { from, to: Math.min(times.length, to + 1) };
}

/** Collects points in order, and breaks the line if there was a gap among the omitted values. */
class Line {
  readonly points: PlotPoint[] = [];
  readonly #data: Data;
  #last = -1;
  /** Whether there was a gap since the last point. */
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

  /** Whether the omitted values between two points include a step longer than `gapMs`. */
  #farBetween(from: number, to: number, gapMs: number): boolean {
    const { times } = this.#data;
    if ((times[to] ?? 0) - (times[from] ?? 0) <= gapMs) return false;
    for (let at = from; at < to; at += 1) {
      if ((times[at + 1] ?? 0) - (times[at] ?? 0) > gapMs) return true;
    }
    return false;
  }
}

/** All values of the slice. */
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

/** First, lowest, highest and last value of a range; null if it has no value. */
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

/** Moves from one kept value to the next, and records gaps in between. */
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
 * Points to draw for the values in `span` over `columns` pixel columns: all of them if there are few, otherwise at most
 * four per column (seven with gaps). Adjacent points are connected only if there is no gap between them.
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

/** All times of the series, ascending. */
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

/** Index of the nearest time; -1 if there are no times. */
export function nearestAt(times: readonly number[], ms: number): number {
  const at = firstAt(times, ms);
  if (at === 0) return times.length === 0 ? -1 : 0;
  const before = times[at - 1] ?? Number.NEGATIVE_INFINITY;
  const after = times[at] ?? Number.POSITIVE_INFINITY;
  return ms - before <= after - ms ? at - 1 : at;
}
