/** Input of a plot, and the positions of its values on the canvas. */
import type { ChartMarker, ChartSeries, ChartThreshold, TimeSpan } from '../../lib/chart/types.ts';

/** Lower and upper end of a value axis. */
export interface ValueLimits {
  min: number;
  max: number;
}

export interface PlotInput {
  series: readonly ChartSeries[];
  thresholds: readonly ChartThreshold[];
  markers: readonly ChartMarker[];
  span: TimeSpan;
  zone: string;
  /** Titles of the axes. */
  titles: { time: string; left: string; right: string };
  selectedMs: number | null;
  /** Fixed limits of the left axis, e.g. while a threshold is dragged; null if the axis follows the values. */
  heldLimits?: ValueLimits | null;
  /**
   * Whether this is one of several charts on a page. Its value axis then has a fixed width, so that the times of all
   * charts are aligned.
   */
  isTile?: boolean;
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
  /** Value of a CSS token. */
  token: (name: string) => string;
}

export interface PlotArea {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
