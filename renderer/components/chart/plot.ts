/** Chart.js behind a small face: what is asked of it is plain data, what it answers are places in pixels. */
import {
  BarController,
  BarElement,
  Chart,
  type ChartDataset,
  type ChartOptions,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
} from 'chart.js';
import { formatNumber } from '../../lib/format.ts';
import { bucketPoints, type PlotPoint } from './buckets.ts';
import { lookOf } from './look.ts';
import { drawAbove, drawBelow, type Layer } from './plot-layers.ts';
import { levelAt } from './summary.ts';
import { tickTexts, timeTicks } from './time-ticks.ts';
import type { ChartAxis, ChartMarker, ChartSeries, ChartThreshold, TimeSpan } from './types.ts';

Chart.register(LineController, BarController, LineElement, PointElement, BarElement, LinearScale);

export interface PlotInput {
  /** Those that are shown. */
  series: readonly ChartSeries[];
  thresholds: readonly ChartThreshold[];
  markers: readonly ChartMarker[];
  span: TimeSpan;
  zone: string;
  /** Texts beside the axes. */
  titles: { time: string; left: string; right: string };
  selectedMs: number | null;
  width: number;
  height: number;
  /** Pixels of the screen for one of CSS. */
  ratio: number;
  /** Value of a token. */
  token: (name: string) => string;
}

export interface PlotArea {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

type PlotChart = Chart<'line' | 'bar', PlotPoint[]>;
/** What the layers need of a chart: the plugin's own is typed for any data. */
type DrawnChart = Pick<Chart, 'ctx' | 'chartArea' | 'scales'>;
type Dataset = ChartDataset<'line' | 'bar', PlotPoint[]>;

/** Room that a mark of the time axis needs, in pixels. */
const TICK_ROOM = 84;
/** Points of all series together that are drawn in one frame. */
const MOST_POINTS = 12_000;
const scaleOf = (axis: ChartAxis): 'y' | 'right' => (axis === 'left' ? 'y' : 'right');

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

/** A number beside an axis: short where it is large. */
export function axisNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 100_000 && size < 1e15) return compact.format(value);
  return formatNumber(size < 1e-12 ? 0 : Number(value.toPrecision(12)));
}

/** Columns of pixels that values are gathered in: one for each pixel while the series are few. */
function columnsFor(width: number, count: number): number {
  return Math.max(50, Math.min(Math.floor(width), Math.floor(MOST_POINTS / Math.max(1, count) / 4)));
}

function datasetOf(series: ChartSeries, input: PlotInput, data: PlotPoint[]): Dataset {
  const look = lookOf(series.look);
  const colour = input.token(look.colour);
  const shared = {
    data,
    yAxisID: scaleOf(series.axis),
    borderColor: colour,
  };
  if (series.kind === 'bar') {
    return {
      ...shared,
      type: 'bar',
      backgroundColor: colour,
      borderWidth: 0,
      maxBarThickness: 40,
      minBarLength: 1,
      order: 1,
    };
  }
  return {
    ...shared,
    type: 'line',
    borderWidth: 1.75,
    borderDash: [...look.dash],
    borderJoinStyle: 'round',
    // Points are drawn by a layer of our own: an option for each of thousands would cost more than all of the rest.
    pointRadius: 0,
    pointHitRadius: 0,
    spanGaps: false,
    order: 0,
  };
}

/** What an axis has to hold besides the values: thresholds and markers in view, and zero where bars start. */
function limitsOf(axis: ChartAxis, input: PlotInput): { suggestedMin?: number; suggestedMax?: number } {
  const { span } = input;
  const levels = input.thresholds
    .filter((each) => each.axis === axis)
    .flatMap((each) =>
      typeof each.level === 'number'
        ? [each.level]
        : [levelAt(each, span.startMs), levelAt(each, span.endMs), ...each.level.values].filter(
            (value) => value !== null,
          ),
    );
  const marks = input.markers
    .filter(({ timeMs, axis: own }) => own === axis && timeMs >= span.startMs && timeMs <= span.endMs)
    .flatMap(({ value }) => (value === null ? [] : [value]));
  const hasBars = input.series.some((each) => each.axis === axis && each.kind === 'bar');
  const all = [...levels, ...marks, ...(hasBars ? [0] : [])].filter(Number.isFinite);
  if (all.length === 0) return {};
  return {
    suggestedMin: all.reduce((a, b) => Math.min(a, b)),
    suggestedMax: all.reduce((a, b) => Math.max(a, b)),
  };
}

function valueScale(axis: ChartAxis, input: PlotInput) {
  const isUsed = [...input.series, ...input.thresholds, ...input.markers].some((each) => each.axis === axis);
  const title = input.titles[axis];
  const font = { family: input.token('font-text'), size: 11 };
  return {
    type: 'linear' as const,
    position: axis,
    display: isUsed,
    grace: '4%',
    ...limitsOf(axis, input),
    border: { display: false },
    grid: { color: input.token('line'), drawOnChartArea: axis === 'left', tickLength: 4 },
    ticks: {
      color: input.token('text-3'),
      font,
      maxTicksLimit: Math.max(3, Math.floor(input.height / 44)),
      callback: (value: number | string) => axisNumber(Number(value)),
    },
    title: { display: title !== '', text: title, color: input.token('text-2'), font },
  };
}

function optionsOf(input: PlotInput): ChartOptions<'line' | 'bar'> {
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
    layout: { padding: { top: 8, right: 12 } },
    scales: {
      x: {
        type: 'linear',
        offset: false,
        min: span.startMs,
        max: span.endMs,
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
        title: { display: true, text: input.titles.time, color: input.token('text-2'), font, align: 'end' },
      },
      y: valueScale('left', input),
      right: valueScale('right', input),
    },
  };
}

export class Plot {
  readonly #canvas: HTMLCanvasElement;
  #chart: PlotChart | null = null;
  #input: PlotInput | null = null;
  /** Points of each series as they are drawn. */
  #points: PlotPoint[][] = [];

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Draws at once, without motion. */
  draw(input: PlotInput): void {
    this.#input = input;
    const columns = columnsFor(input.width, input.series.length);
    this.#points = input.series.map((series) => bucketPoints(series, input.span, columns));
    const datasets = input.series.map((series, index) => datasetOf(series, input, this.#points[index] ?? []));
    const options = optionsOf(input);
    if (this.#chart === null) {
      this.#chart = this.#create(datasets, options, input);
      return;
    }
    const chart = this.#chart;
    chart.data.datasets = datasets;
    chart.options = options;
    const isSame =
      chart.width === input.width &&
      chart.height === input.height &&
      chart.currentDevicePixelRatio === input.ratio;
    if (isSame) chart.update('none');
    else chart.resize(input.width, input.height);
  }

  #create(datasets: Dataset[], options: ChartOptions<'line' | 'bar'>, input: PlotInput): PlotChart {
    this.#canvas.style.width = `${input.width}px`;
    this.#canvas.style.height = `${input.height}px`;
    return new Chart<'line' | 'bar', PlotPoint[]>(this.#canvas, {
      type: 'line',
      data: { datasets },
      options,
      plugins: [
        {
          id: 'layers',
          beforeDraw: (chart) => {
            if (this.#input !== null) drawBelow(this.#layer(chart, this.#input));
          },
          afterDatasetsDraw: (chart) => {
            if (this.#input !== null) drawAbove(this.#layer(chart, this.#input));
          },
        },
      ],
    });
  }

  #layer(chart: DrawnChart, input: PlotInput): Layer {
    return {
      context: chart.ctx,
      area: chart.chartArea,
      input,
      pointsOf: (index) => this.#points[index] ?? [],
      x: (ms) => chart.scales['x']?.getPixelForValue(ms) ?? 0,
      y: (value, axis) => chart.scales[scaleOf(axis)]?.getPixelForValue(value) ?? 0,
    };
  }

  /** The rectangle of the values; null before anything is drawn. */
  get area(): PlotArea | null {
    return this.#chart?.chartArea ?? null;
  }

  /** Pixels from the left edge. */
  xOf(ms: number): number {
    return this.#chart?.scales['x']?.getPixelForValue(ms) ?? 0;
  }

  /** Pixels from the top edge. */
  yOf(value: number, axis: ChartAxis): number {
    return this.#chart?.scales[scaleOf(axis)]?.getPixelForValue(value) ?? 0;
  }

  momentAt(x: number): number {
    return this.#chart?.scales['x']?.getValueForPixel(x) ?? 0;
  }

  destroy(): void {
    this.#chart?.destroy();
    this.#chart = null;
  }
}
