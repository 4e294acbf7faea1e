/** Content of the tooltip at a time. Pure. */

import type { Severity } from '../../../electron/shared/alert-record.ts';
import { offsetText, UTC, zoneName } from '../../../electron/shared/zone-time.ts';
import { SEVERITY_LOOKS } from '../../lib/chart/look.ts';
import { momentText } from '../../lib/chart/time-ticks.ts';
import type { ChartMarker, ChartSeries, ChartThreshold } from '../../lib/chart/types.ts';
import { indexAt } from './buckets.ts';
import { changeAt, changeText, isUnfinished } from './changes.ts';
import { exactNumber, levelAt } from './summary.ts';

export interface CursorView {
  ms: number;
  when: string;
  /** Time zone and its offset from UTC at this time. */
  zone: string;
  marks: { severity: Severity; word: string; text: string }[];
  rows: {
    id: string;
    name: string;
    look: number;
    kind: 'line' | 'bar';
    text: string;
    isMissing: boolean;
    /** For an earlier period: the change from it to the current value. */
    change: string | null;
  }[];
  /** Number of series that are left out because they do not fit. */
  moreRows: number;
  levels: { id: string; severity: 'warning' | 'critical'; name: string; text: string }[];
}

const MAX_ROWS = 12;
const NO_VALUE = 'no value';
/** Added to a partial value, whose bin had not ended when it was read. */
const SO_FAR = ' so far';

interface CursorChart {
  series: readonly ChartSeries[];
  thresholds: readonly ChartThreshold[];
  markers: readonly ChartMarker[];
  zone: string;
  /** Whether times are dates, so that the clock is omitted. */
  isDay: boolean;
}

/** Exact values of all visible series at a time. */
export function viewCursor(chart: CursorChart, ms: number): CursorView {
  const { series, thresholds, markers, zone, isDay } = chart;
  const name = zoneName(zone);
  const rows = series.map((each) => {
    const at = indexAt(each.times, ms);
    const value = at === -1 ? null : (each.values[at] ?? null);
    const change = changeAt(each, series, ms);
    return {
      id: each.id,
      name: each.name,
      look: each.look,
      kind: each.kind,
      text: value === null ? NO_VALUE : `${exactNumber(value)}${isUnfinished(each, ms) ? SO_FAR : ''}`,
      isMissing: value === null,
      change: change === null ? null : changeText(change),
    };
  });
  return {
    ms,
    when: momentText(ms, zone, isDay),
    zone: name === UTC ? name : `${name}, UTC${offsetText(ms, zone)}`,
    marks: markers
      .filter(({ timeMs }) => timeMs === ms)
      .map(({ severity, text }) => ({ severity, word: SEVERITY_LOOKS[severity].word, text })),
    rows: rows.slice(0, MAX_ROWS),
    moreRows: Math.max(0, rows.length - MAX_ROWS),
    levels: thresholds.flatMap((threshold) => {
      const level = levelAt(threshold, ms);
      if (level === null) return [];
      const word = `${SEVERITY_LOOKS[threshold.severity].word} threshold`;
      return [{ id: threshold.id, severity: threshold.severity, name: word, text: exactNumber(level) }];
    }),
  };
}

/** The values at a time on one line, to be announced as the cursor moves. */
export function cursorText(view: CursorView): string {
  const parts = [
    `${view.when} ${view.zone}`,
    ...view.marks.map(({ word, text }) => `${word}: ${text}`),
    ...view.rows.map(
      ({ name, text, change }) => `${name} ${text}${change === null ? '' : `, change ${change}`}`,
    ),
    ...view.levels.map(({ name, text }) => `${name} ${text}`),
  ];
  return parts.join('; ');
}
