/** Places of single points with their intervals in a small chart over time, in pixels. Pure. */
import type { Interval } from '../../../electron/shared/wilson.ts';
import { formatNumber } from '../format.ts';
import { tickLines, timeTicks } from './time-ticks.ts';

export interface TimedPoint {
  id: string;
  timeMs: number;
  value: number;
  /** Null if it is not known. */
  interval: Interval | null;
  /** Whether the value must not be read as final. */
  isHollow: boolean;
  /** A short name, shown beside the point if there is room. */
  name: string;
  /** The whole description. */
  text: string;
}

interface Size {
  width: number;
  height: number;
}

interface PlacedPoint {
  point: TimedPoint;
  x: number;
  y: number;
  /** Ends of the interval, the upper end first; null without one. */
  reach: { top: number; bottom: number } | null;
  /** Middle and upper edge of the name; null if there is no room for it. */
  name: { x: number; y: number } | null;
}

/** Room around the points: for numbers on the left, the level on the right, and times below. */
export const POINTS_ROOM = { left: 52, right: 104, top: 16, bottom: 22 } as const;
/** Minimum distance of marks on the two axes. */
const TIME_ROOM = 110;
const VALUE_ROOM = 20;
/** Distance of the first and last point from the ends of the axis. */
const EDGE = 12;
const HOUR_MS = 3_600_000;
/** Greatest width of a name, its height, and the usual width of a letter. */
export const NAME_WIDTH = 120;
const NAME_HEIGHT = 15;
const LETTER_WIDTH = 6.4;
const POINT_RADIUS = 6;

/** The shortest of 1, 2 and 5 times a power of ten that is at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((each) => each * power >= least) ?? 10) * power;
}

/** Round values that enclose all given ones, at most `most` steps apart; the lowest first. */
function valueTicks(values: readonly number[], most: number): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // Values that differ only by rounding have no range.
  const range = high - low > Math.abs(high) * 1e-9 ? high - low : Math.abs(high) * 0.1 || 1;
  const step = roundStep(range / Math.max(1, most));
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Places names above or below their points; a name that would cover a point or another name is left out. */
function namePlaces(points: readonly Omit<PlacedPoint, 'name'>[], { width, height }: Size): PlacedPoint[] {
  const extents = points.map(({ x, y, reach }) => ({
    top: Math.min(y - POINT_RADIUS, reach?.top ?? y),
    bottom: Math.max(y + POINT_RADIUS, reach?.bottom ?? y),
    left: x - POINT_RADIUS,
    right: x + POINT_RADIUS,
  }));
  const taken: Box[] = [...extents];
  return points.map((placed, at) => {
    const { top, bottom } = extents[at] ?? { top: placed.y, bottom: placed.y };
    const half = Math.min(NAME_WIDTH, placed.point.name.length * LETTER_WIDTH) / 2;
    const [first, last] = [POINTS_ROOM.left + half, width - POINTS_ROOM.right - half];
    const x = Math.max(first, Math.min(last, placed.x));
    const place = [top - NAME_HEIGHT, bottom].find((y) => {
      const box = { left: x - half, right: x + half, top: y, bottom: y + NAME_HEIGHT };
      const isInside = box.top >= 0 && box.bottom <= height - POINTS_ROOM.bottom + 2;
      if (!isInside || taken.some((other) => overlap(box, other))) return false;
      taken.push(box);
      return true;
    });
    return { ...placed, name: place === undefined ? null : { x, y: place } };
  });
}

/** Everything to draw. `points`: at least one, in the order of time. `level`: a value to compare with. */
export function placePoints(points: readonly TimedPoint[], level: number | null, size: Size, zone: string) {
  const { left, right, top, bottom } = POINTS_ROOM;
  const [plotWidth, plotHeight] = [
    Math.max(1, size.width - left - right),
    Math.max(1, size.height - top - bottom),
  ];
  const times = points.map(({ timeMs }) => timeMs);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const isSingle = last <= first;
  const [startMs, endMs] = isSingle ? [first - HOUR_MS, last + HOUR_MS] : [first, last];
  const x = (ms: number) =>
    left + EDGE + ((ms - startMs) / (endMs - startMs)) * Math.max(1, plotWidth - 2 * EDGE);

  const values = points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]);
  const ticks = valueTicks(level === null ? values : [...values, level], plotHeight / VALUE_ROOM);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const y = (value: number) => top + plotHeight - ((value - low) / (high - low)) * plotHeight;

  const marks = timeTicks(startMs, endMs, zone, Math.max(1, Math.floor(plotWidth / TIME_ROOM)));
  const texts = tickLines(marks, zone);
  return {
    values: ticks.map((value) => ({ y: y(value), text: formatNumber(value) })),
    times: marks.ticks.map((ms, at) => ({ x: x(ms), text: texts[at] ?? '' })),
    level: level === null ? null : y(level),
    points: namePlaces(
      points.map((point) => ({
        ...{ point, x: x(point.timeMs), y: y(point.value) },
        reach: point.interval === null ? null : { top: y(point.interval[1]), bottom: y(point.interval[0]) },
      })),
      size,
    ),
  };
}
