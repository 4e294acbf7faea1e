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
import { lookOf } from '../../lib/chart/look.ts';
import type { ChartAxis, ChartSeries } from '../../lib/chart/types.ts';
import { bucketPoints, type PlotPoint } from './buckets.ts';
import type { PlotArea, PlotInput } from './plot-input.ts';
import { drawAbove, drawBelow, type Layer } from './plot-layers.ts';
import { optionsOf, scaleOf } from './plot-scales.ts';

Chart.register(LineController, BarController, LineElement, PointElement, BarElement, LinearScale);

type PlotChart = Chart<'line' | 'bar', PlotPoint[]>;
/** What the layers need of a chart: the plugin's own is typed for any data. */
type DrawnChart = Pick<Chart, 'ctx' | 'chartArea' | 'scales'>;
type Dataset = ChartDataset<'line' | 'bar', PlotPoint[]>;

/** Points of all series together that are drawn in one frame. */
const MOST_POINTS = 7_000;
/** Points of one column of pixels: four values, and a gap now and then. */
const POINTS_A_COLUMN = 5;

/** Columns of pixels that values are gathered in: one for each pixel while the series are few. */
function columnsFor(width: number, count: number): number {
  const most = Math.floor(MOST_POINTS / Math.max(1, count) / POINTS_A_COLUMN);
  return Math.max(50, Math.min(Math.floor(width), most));
}

/** The colour at a third of its strength; `colour` as a computed style gives it. */
function faint(colour: string): string {
  return colour.startsWith('rgb(') ? colour.replace('rgb(', 'rgba(').replace(')', ', 0.32)') : colour;
}

const LINE_WIDTH = 1.75;
/** An earlier period stands back behind the one that it is compared with. */
const EARLIER_WIDTH = 1;
/** Of the step to a value that is not whole yet. */
const OPEN_DASH = [2, 4];

const isOpen = ({ openFromMs }: ChartSeries, ms: number): boolean =>
  openFromMs !== undefined && ms >= openFromMs;

/** How a step of a line differs from the line: only where the end is open, because each of thousands is asked. */
export function stepDash(series: ChartSeries): {
  borderDash?: (step: { p1: { parsed: { x: number | null } } }) => number[] | undefined;
} {
  if (series.openFromMs === undefined) return {};
  return {
    borderDash: ({ p1 }) => (isOpen(series, p1.parsed.x ?? Number.NEGATIVE_INFINITY) ? OPEN_DASH : undefined),
  };
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
      // The edge carries the colour; a full ground would hide the lines before it.
      backgroundColor: data.map(({ x }) => (isOpen(series, x) ? 'transparent' : faint(colour))),
      borderWidth: 1,
      maxBarThickness: 40,
      minBarLength: 1,
      order: 1,
    };
  }
  return {
    ...shared,
    type: 'line',
    borderWidth: series.earlierOf === undefined ? LINE_WIDTH : EARLIER_WIDTH,
    borderDash: [...look.dash],
    segment: stepDash(series),
    borderJoinStyle: 'round',
    // Points are drawn by a layer of our own: an option for each of thousands would cost more than all of the rest.
    pointRadius: 0,
    pointHitRadius: 0,
    spanGaps: false,
    order: 0,
  };
}

interface Prepared {
  input: PlotInput;
  points: PlotPoint[][];
  options: ChartOptions<'line' | 'bar'>;
}

export class Plot {
  readonly #canvas: HTMLCanvasElement;
  #chart: PlotChart | null = null;
  #input: PlotInput | null = null;
  /** Points of each series as they are drawn. */
  #points: PlotPoint[][] = [];
  #prepared: Prepared | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Has it been drawn, if only its axes? */
  get isBegun(): boolean {
    return this.#chart !== null;
  }

  /** What a first drawing costs before the canvas is touched. */
  prepare(input: PlotInput): void {
    this.#prepared = this.#made(input);
  }

  /** The axes as `draw` will have them, nothing within: half of the work of a first drawing. */
  begin(input: PlotInput): void {
    this.#chart ??= this.#create([], this.#made(input).options, input);
  }

  /** Draws at once, without motion. */
  draw(input: PlotInput): void {
    const { points, options } = this.#made(input);
    this.#prepared = null;
    this.#input = input;
    this.#points = points;
    const datasets = input.series.map((series, index) => datasetOf(series, input, points[index] ?? []));
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
    return { input, points, options: optionsOf(input, points) };
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
