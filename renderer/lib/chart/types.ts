/** Data of a chart over time: plain data, independent of the canvas and of IPC. */
import type { Severity } from '../../../electron/shared/alert-record.ts';

export type ChartAxis = 'left' | 'right';

export interface ChartSeries {
  /** Does not change as long as the chart exists: hidden series are remembered by id. */
  id: string;
  name: string;
  kind: 'line' | 'bar';
  axis: ChartAxis;
  /** Milliseconds since 1970, ascending, without duplicates. */
  times: readonly number[];
  /** One value for each time; null is a gap. */
  values: readonly (number | null)[];
  /** Index in the fixed order of colours, dashes and shapes. */
  look: number;
  /** Set for an earlier period: id of the series that is compared with it and whose times it uses. */
  earlierOf?: string | undefined;
  /** Points further apart than this are a gap too, as the answer omits empty bins. */
  gapMs?: number | undefined;
  /** Values from this time on belong to a period that had not ended when they were read. */
  openFromMs?: number | undefined;
  /** The query and the column of the data that the series is about; the column is empty if there is none. */
  source?: { readonly queryKey: string; readonly column: string } | undefined;
}

/** A limit line, and the side of it that counts as a breach. */
export interface ChartThreshold {
  id: string;
  severity: 'warning' | 'critical';
  axis: ChartAxis;
  /** The side of the line that is a breach. */
  side: 'above' | 'below';
  /**
   * One level for all times, or a level per time: `times` is ascending, and each level is valid until the next time.
   */
  level: number | { times: readonly number[]; values: readonly (number | null)[] };
}

/** An event at a time, e.g. an alert record. */
export interface ChartMarker {
  id: string;
  timeMs: number;
  /** Null places the marker at the bottom of the chart. */
  value: number | null;
  axis: ChartAxis;
  severity: Severity;
  /** One line of text for the tooltip. */
  text: string;
}

export interface TimeSpan {
  startMs: number;
  endMs: number;
}
