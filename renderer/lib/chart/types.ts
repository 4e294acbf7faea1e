/** What a chart over time is made of. Pure data: no canvas, no channel. */
import type { Severity } from '../../../electron/shared/alert-record.ts';

export type ChartAxis = 'left' | 'right';

export interface ChartSeries {
  /** Stable while the chart lives: what is hidden is remembered by it. */
  id: string;
  name: string;
  kind: 'line' | 'bar';
  axis: ChartAxis;
  /** Milliseconds since 1970, ascending, none twice. */
  times: readonly number[];
  /** One for each time; null is a gap. */
  values: readonly (number | null)[];
  /** Place in the fixed order of colours, dashes and shapes. */
  look: number;
  /** Of an earlier period: id of the series that is compared with it, whose times it has. */
  earlierOf?: string | undefined;
  /** Longer steps between two times than this are gaps too: bins that the answer leaves out. */
  gapMs?: number | undefined;
  /** Values from this time on are of a time that had not ended when they were read. */
  openFromMs?: number | undefined;
}

/** A line that values should not cross, with the side of it that is a breach. */
export interface ChartThreshold {
  id: string;
  severity: 'warning' | 'critical';
  axis: ChartAxis;
  /** Where a breach lies. */
  side: 'above' | 'below';
  /** The same for every time, or one for each time: `times` ascending, each valid until the next. */
  level: number | { times: readonly number[]; values: readonly (number | null)[] };
}

/** Something that happened at a time, e.g. an alert record. */
export interface ChartMarker {
  id: string;
  timeMs: number;
  /** Null: at the foot of the chart. */
  value: number | null;
  axis: ChartAxis;
  severity: Severity;
  /** One line for the tooltip. */
  text: string;
}

export interface TimeSpan {
  startMs: number;
  endMs: number;
}
