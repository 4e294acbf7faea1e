/** The axes of a chart: range, marks and titles. */
import type { ChartOptions, Scale } from 'chart.js';
import { tickTexts, timeTicks } from '../../lib/chart/time-ticks.ts';
import type { ChartAxis } from '../../lib/chart/types.ts';
import { formatNumber, written } from '../../lib/format.ts';
import type { PlotPoint } from './buckets.ts';
import type { PlotInput } from './plot-input.ts';

/** Minimum distance of marks on the time axis, in pixels. */
const TICK_ROOM = 84;

/** Name of the axis in Chart.js. */
export const scaleOf = (axis: ChartAxis): 'y' | 'right' => (axis === 'left' ? 'y' : 'right');

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

/** A number on an axis: abbreviated if it is large. */
function axisNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 100_000 && size < 1e15) return written(compact.format(value));
  return formatNumber(size < 1e-12 ? 0 : Number(value.toPrecision(12)));
}

/** Space above and below the values, as a share of their range. */
const ROOM = 0.04;

/** An axis includes zero only if the values then still take at least this share of the height. */
const MIN_SHARE = 0.4;

/**
 * Range of an axis for values from `low` to `high`. It includes zero for bars, and for lines if the values still fill
 * much of the height. Otherwise the values get the whole height, and the axis title says that it does not start at
 * zero.
 */
export function valueLimits(low: number, high: number): { suggestedMin: number; suggestedMax: number } {
  const room = high > low ? (high - low) * ROOM : Math.abs(high) * 0.1 || 1;
  const holdsZero = high > low && high - low >= MIN_SHARE * Math.max(Math.abs(low), Math.abs(high));
  return {
    suggestedMin: low >= 0 ? (holdsZero ? 0 : Math.max(0, low - room)) : low - room,
    suggestedMax: high <= 0 ? (holdsZero ? 0 : Math.min(0, high + room)) : high + room,
  };
}

/** The title of an axis from `min` to `max`. It says so if zero is not included. */
export function valueTitle(title: string, { min, max }: { min: number; max: number }): string {
  const holdsZero = min <= 0 && max >= 0;
  if (title === '' || holdsZero) return title;
  return `${title} (axis from ${axisNumber(min)}, not 0)`;
}

/** The lowest and highest value on an axis. */
function limitsOf(
  axis: ChartAxis,
  input: PlotInput,
  points: readonly (readonly PlotPoint[])[],
): { suggestedMin?: number; suggestedMax?: number } {
  const { span } = input;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const take = (value: number | null): void => {
    if (value === null || !Number.isFinite(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const [index, series] of input.series.entries()) {
    if (series.axis !== axis) continue;
    for (const { y } of points[index] ?? []) take(y);
    if (series.kind === 'bar') take(0);
  }
  for (const threshold of input.thresholds) {
    if (threshold.axis !== axis) continue;
    if (typeof threshold.level === 'number') take(threshold.level);
    else for (const value of threshold.level.values) take(value);
  }
  for (const { timeMs, value, axis: own } of input.markers) {
    if (own === axis && timeMs >= span.startMs && timeMs <= span.endMs) take(value);
  }
  if (low > high) return {};
  return valueLimits(low, high);
}

function valueScale(axis: ChartAxis, input: PlotInput, points: readonly (readonly PlotPoint[])[]) {
  const isUsed = [...input.series, ...input.thresholds, ...input.markers].some((each) => each.axis === axis);
  const title = input.titles[axis];
  const font = { family: input.token('font-text'), size: 11 };
  const words = { display: title !== '', text: title, color: input.token('text-2'), font };
  return {
    type: 'linear' as const,
    position: axis,
    display: isUsed,
    ...(axis === 'left' && input.heldLimits ? input.heldLimits : limitsOf(axis, input, points)),
    border: { display: false },
    ...(input.isTile === true &&
      isUsed && {
        afterFit: (scale: Scale) => {
          scale.width = TILE_AXIS;
        },
      }),
    afterBuildTicks: (scale: Scale) => {
      // The title is set here, because the limits of the axis are known only now.
      Object.assign(scale.options, { title: { ...words, text: valueTitle(title, scale) } });
    },
    grid: { color: input.token('line'), drawOnChartArea: axis === 'left', tickLength: 4 },
    ticks: {
      color: input.token('text-3'),
      font,
      maxTicksLimit: Math.max(3, Math.floor(input.height / 44)),
      callback: (value: number | string) => axisNumber(Number(value)),
    },
    title: words,
  };
}

/** Width in pixels of the value axis of a tile, enough for six digits. */
const TILE_AXIS = 48;

/** Distance in pixels of the first and last point from the edge of the plot, so that their shapes are not cut off. */
const EDGE = 10;

/** Range of the time axis, with a margin on each side beyond which there is no data. */
export function timeLimits({
  span,
  series,
  markers,
  width,
}: Pick<PlotInput, 'span' | 'series' | 'markers' | 'width'>): {
  min: number;
  max: number;
} {
  const edge = ((span.endMs - span.startMs) * EDGE) / Math.max(1, width - 2 * EDGE);
  const times = [
    ...series.flatMap((each) => [each.times[0] ?? span.startMs, each.times.at(-1) ?? span.endMs]),
    ...markers.map(({ timeMs }) => timeMs),
  ];
  return {
    min: times.every((ms) => ms >= span.startMs) ? span.startMs - edge : span.startMs,
    max: times.every((ms) => ms <= span.endMs) ? span.endMs + edge : span.endMs,
  };
}

/** All Chart.js options other than data. */
export function optionsOf(
  input: PlotInput,
  points: readonly (readonly PlotPoint[])[],
): ChartOptions<'line' | 'bar'> {
  const { span, zone } = input;
  const font = { family: input.token('font-text'), size: 11 };
  let texts: string[][] = [];
  return {
    animation: false,
    responsive: false,
    maintainAspectRatio: false,
    devicePixelRatio: input.ratio,
    events: [],
    parsing: false,
    normalized: true,
    layout: { padding: { top: 8, right: 12, left: input.isTile === true ? 0 : 8 } },
    scales: {
      x: {
        type: 'linear',
        offset: false,
        ...timeLimits(input),
        border: { color: input.token('line-strong') },
        grid: { color: input.token('line'), tickLength: 4, offset: false },
        afterBuildTicks: (axis) => {
          const made = timeTicks(
            span.startMs,
            span.endMs,
            zone,
            Math.max(1, Math.floor(axis.width / TICK_ROOM)),
          );
          texts = tickTexts(made, zone);
          axis.ticks = made.ticks.map((value) => ({ value }));
        },
        ticks: {
          color: input.token('text-3'),
          font,
          autoSkip: false,
          maxRotation: 0,
          callback: (_value, index) => texts[index] ?? '',
        },
        // On the left, where messages in the corner of the window do not cover it.
        title: {
          display: input.titles.time !== '',
          text: input.titles.time,
          color: input.token('text-2'),
          font,
          align: 'start',
        },
      },
      y: valueScale('left', input, points),
      right: valueScale('right', input, points),
    },
  };
}
