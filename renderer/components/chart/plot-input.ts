/** Input of a plot, and the positions of its values on the canvas. */
import type { ChartMarker, ChartSeries, ChartThreshold, TimeSpan } from '../../lib/chart/types.ts';

export interface PlotInput {
  series: readonly ChartSeries[];
  thresholds: readonly ChartThreshold[];
  markers: readonly ChartMarker[];
  span: TimeSpan;
  zone: string;
  /** Titles of the axes. */
  titles: { time: string; left: string; right: string };
  selectedMs: number | null;
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
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
