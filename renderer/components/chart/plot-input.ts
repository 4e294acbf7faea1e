/** What a plot is drawn from, and where its values lie on the canvas. */
import type { ChartMarker, ChartSeries, ChartThreshold, TimeSpan } from '../../lib/chart/types.ts';

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
