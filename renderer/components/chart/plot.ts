/** Wraps Chart.js with a small interface: plain data in, pixel positions out. */

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
import { lookOf } from '../../lib/chart/look.ts';
import type { ChartAxis, ChartSeries } from '../../lib/chart/types.ts';
import { bucketPoints, type PlotPoint } from './buckets.ts';
import { isUnfinished } from './changes.ts';
import type { PlotArea, PlotInput, ValueLimits } from './plot-input.ts';
import { drawAbove, drawBelow, type Layer, shapedPoints } from './plot-layers.ts';
import { optionsOf, scaleOf } from './plot-scales.ts';

Chart.register(LineController, BarController, LineElement, PointElement, BarElement, LinearScale);

type PlotChart = Chart<'line' | 'bar', PlotPoint[]>;
/** The part of a chart that the layers need. The type in Chart.js accepts any data. */
type DrawnChart = Pick<Chart, 'ctx' | 'chartArea' | 'scales'>;
type Dataset = ChartDataset<'line' | 'bar', PlotPoint[]>;

/** Maximum number of points of all series that are drawn in one frame. */
const MAX_POINTS = 7_000;
/** Maximum number of points per pixel column: four values and a gap. */
const POINTS_A_COLUMN = 5;

/** Number of pixel columns into which values are grouped: every pixel if there are few series. */
function columnsFor(width: number, count: number): number {
  const most = Math.floor(MAX_POINTS / Math.max(1, count) / POINTS_A_COLUMN);
  return Math.max(50, Math.min(Math.floor(width), most));
}

/** The colour at a third of its opacity. `colour`: in the format of computed styles. */
function faint(colour: string): string {
  return colour.startsWith('rgb(') ? colour.replace('rgb(', 'rgba(').replace(')', ', 0.32)') : colour;
}

const LINE_WIDTH = 1.75;
/** An earlier period is thinner than the one it is compared with. */
const EARLIER_WIDTH = 1;
/** Dash pattern of the segment that leads to a partial value. */
const OPEN_DASH = [2, 4];

/**
 * The line up to the last finished value, and a dashed line from there to partial values. They are two lines, because
 * Chart.js would ask for the style of every segment of a line.
 */
export function lineParts(
  series: ChartSeries,
  points: PlotPoint[],
): { points: PlotPoint[]; isOpen: boolean }[] {
  const first = points.findIndex(({ x }) => isUnfinished(series, x));
  if (first < 0) return [{ points, isOpen: false }];
  return [
    { points: points.slice(0, first), isOpen: false },
    { points: points.slice(Math.max(0, first - 1)), isOpen: true },
  ];
}

function datasetsOf(series: ChartSeries, input: PlotInput, points: PlotPoint[]): Dataset[] {
  const look = lookOf(series.look);
  const colour = input.token(look.colour);
  const shared = {
    yAxisID: scaleOf(series.axis),
    borderColor: colour,
  };
  if (series.kind === 'bar') {
    const bars: Dataset = {
      ...shared,
      data: points,
      type: 'bar',
      // The border has the colour; a solid fill would hide the lines behind it.
      backgroundColor: points.map(({ x }) => (isUnfinished(series, x) ? 'transparent' : faint(colour))),
      borderWidth: 1,
      maxBarThickness: 40,
      minBarLength: 1,
      order: 1,
    };
    return [bars];
  }
  return lineParts(series, points).map(({ points: data, isOpen }) => ({
    ...shared,
    data,
    type: 'line',
    borderWidth: series.earlierOf === undefined ? LINE_WIDTH : EARLIER_WIDTH,
    borderDash: isOpen ? OPEN_DASH : [...look.dash],
    borderJoinStyle: 'round',
    // A layer of ours draws the points: options for each of thousands of points would cost more than everything else.
    pointRadius: 0,
    pointHitRadius: 0,
    spanGaps: false,
    order: 0,
  }));
}

interface Prepared {
  input: PlotInput;
  points: PlotPoint[][];
  /** The points of each line that are drawn with a shape. */
  shaped: PlotPoint[][];
  options: ChartOptions<'line' | 'bar'>;
}

export class Plot {
  readonly #canvas: HTMLCanvasElement;
  #chart: PlotChart | null = null;
  #input: PlotInput | null = null;
  #shaped: readonly PlotPoint[][] = [];
  #prepared: Prepared | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Whether at least the axes have been drawn. */
  get isBegun(): boolean {
    return this.#chart !== null;
  }

  /** Does the part of the first drawing that does not need the canvas. */
  prepare(input: PlotInput): void {
    this.#prepared = this.#made(input);
  }

  /** Draws only the axes, in the same way as `draw`, which is half of the work of the first drawing. */
  begin(input: PlotInput): void {
    this.#chart ??= this.#create([], this.#made(input).options, input);
  }

  /** Draws immediately, without animation. */
  draw(input: PlotInput): void {
    const { points, shaped, options } = this.#made(input);
    this.#prepared = null;
    this.#input = input;
    this.#shaped = shaped;
    const datasets = input.series.flatMap((series, index) => datasetsOf(series, input, points[index] ?? []));
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

  #made(input: PlotInput): Prepared {
    if (this.#prepared?.input === input) return this.#prepared;
    const columns = columnsFor(input.width, input.series.length);
    const points = input.series.map((each) => bucketPoints(each, input.span, columns));
    const shaped = points.map((each, index) =>
      input.series[index]?.kind === 'line' ? shapedPoints(each) : [],
    );
    return { input, points, shaped, options: optionsOf(input, points) };
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
      shapedOf: (index) => this.#shaped[index] ?? [],
      x: (ms) => chart.scales['x']?.getPixelForValue(ms) ?? 0,
      y: (value, axis) => chart.scales[scaleOf(axis)]?.getPixelForValue(value) ?? 0,
    };
  }

  /** The rectangle in which values are drawn; null before anything is drawn. */
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

  /** The ends of a value axis; null before anything is drawn. */
  limitsOf(axis: ChartAxis): ValueLimits | null {
    const scale = this.#chart?.scales[scaleOf(axis)];
    return scale === undefined ? null : { min: scale.min, max: scale.max };
  }

  momentAt(x: number): number {
    return this.#chart?.scales['x']?.getValueForPixel(x) ?? 0;
  }

  destroy(): void {
    this.#chart?.destroy();
    this.#chart = null;
  }
}
