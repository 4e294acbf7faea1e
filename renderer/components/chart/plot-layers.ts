/** Layers of a chart other than its lines: threshold bands and lines, point shapes, markers, the selected bin. */

import { lookOf, SEVERITY_LOOKS, THRESHOLD_DASHES } from '../../lib/chart/look.ts';
import type { ChartAxis, ChartMarker, ChartSeries, ChartThreshold } from '../../lib/chart/types.ts';
import type { PlotPoint } from './buckets.ts';
import type { PlotArea, PlotInput } from './plot-input.ts';

export interface Layer {
  context: CanvasRenderingContext2D;
  area: PlotArea;
  input: PlotInput;
  /** Points of a series that are drawn with a shape. `index`: index of the series. */
  shapedOf: (index: number) => readonly PlotPoint[];
  x: (ms: number) => number;
  y: (value: number, axis: ChartAxis) => number;
}

const paths = new Map<string, Path2D>();

function pathOf(shape: string): Path2D {
  let path = paths.get(shape);
  if (path === undefined) {
    path = new Path2D(shape);
    paths.set(shape, path);
  }
  return path;
}

/** Draws within the plot area. `margin`: extends the area, so that shapes at the edge are drawn completely. */
function clipped({ context, area }: Layer, margin: number, draw: () => void): void {
  context.save();
  context.beginPath();
  const width = area.right - area.left + 2 * margin;
  context.rect(area.left - margin, area.top - margin, width, area.bottom - area.top + 2 * margin);
  context.clip();
  draw();
  context.restore();
}

/** Segments of a threshold: from, to (pixels), level. */
function stretches(layer: Layer, { level }: ChartThreshold): { from: number; to: number; value: number }[] {
  const { area, x } = layer;
  if (typeof level === 'number') return [{ from: area.left, to: area.right, value: level }];
  const { times, values } = level;
  return times.flatMap((ms, index) => {
    const value = values[index] ?? null;
    if (value === null) return [];
    const next = times[index + 1];
    const from = Math.max(area.left, x(ms));
    const to = next === undefined ? area.right : Math.min(area.right, x(next));
    return to > from ? [{ from, to, value }] : [];
  });
}

/** Draws the area beyond a threshold. A critical area is drawn over the warning area. */
function drawBand(layer: Layer, threshold: ChartThreshold): void {
  const { context, area, input } = layer;
  context.fillStyle = input.token(threshold.severity === 'critical' ? 'bad-soft' : 'warn-soft');
  for (const { from, to, value } of stretches(layer, threshold)) {
    const y = Math.min(Math.max(layer.y(value, threshold.axis), area.top), area.bottom);
    const [top, bottom] = threshold.side === 'above' ? [area.top, y] : [y, area.bottom];
    context.fillRect(from, top, to - from, bottom - top);
  }
}

function drawThresholdLine(layer: Layer, threshold: ChartThreshold): void {
  const { context, input } = layer;
  context.strokeStyle = input.token(SEVERITY_LOOKS[threshold.severity].colour);
  context.lineWidth = 1;
  context.setLineDash([...THRESHOLD_DASHES[threshold.severity]]);
  context.beginPath();
  let end: { to: number; y: number } | null = null;
  for (const { from, to, value } of stretches(layer, threshold)) {
    const y = Math.round(layer.y(value, threshold.axis)) + 0.5;
    // If the previous segment ends here, this one is connected to it.
    if (end !== null && Math.abs(end.to - from) < 0.5) context.lineTo(from, y);
    else context.moveTo(from, y);
    context.lineTo(to, y);
    end = { to, y };
  }
  context.stroke();
  context.setLineDash([]);
}

function drawSelected(layer: Layer): void {
  const { context, area, input } = layer;
  if (input.selectedMs === null) return;
  const x = layer.x(input.selectedMs);
  context.fillStyle = input.token('accent-soft');
  context.fillRect(x - 7, area.top, 14, area.bottom - area.top);
  context.fillStyle = input.token('accent-text');
  context.fillRect(x - 0.5, area.top, 1, area.bottom - area.top);
}

/** Draws everything below the grid and the lines. */
export function drawBelow(layer: Layer): void {
  const { thresholds } = layer.input;
  clipped(layer, 0, () => {
    for (const severity of ['warning', 'critical'] as const) {
      for (const each of thresholds) if (each.severity === severity) drawBand(layer, each);
    }
    drawSelected(layer);
  });
}

/**
 * The points that are drawn with a shape: those next to a gap, including isolated points. A line without gaps needs no
 * shapes, as the cursor draws the point under the pointer.
 */
export function shapedPoints(points: readonly PlotPoint[]): PlotPoint[] {
  const found: PlotPoint[] = [];
  let drawn = 0;
  let last: PlotPoint | undefined;
  let isAfterGap = false;
  // A single pass that remembers the previous points. With thousands of points, looking at the neighbours of each took
  // a third of the drawing time.
  for (const point of points) {
    const isGap = Number.isNaN(point.y);
    if (isGap) {
      if (last !== undefined && !isAfterGap && found.at(-1) !== last) found.push(last);
    } else {
      drawn += 1;
      if (isAfterGap) found.push(point);
      last = point;
    }
    isAfterGap = isGap;
  }
  return drawn === 1 && last !== undefined ? [last] : found;
}

function drawShape(
  context: CanvasRenderingContext2D,
  shape: string,
  x: number,
  y: number,
  scale: number,
): void {
  context.save();
  context.translate(x, y);
  context.scale(scale, scale);
  context.fill(pathOf(shape));
  context.restore();
}

function drawPoints(layer: Layer, series: ChartSeries, index: number): void {
  if (series.kind !== 'line') return;
  const { context, input } = layer;
  const look = lookOf(series.look);
  const { startMs, endMs } = input.span;
  context.fillStyle = input.token(look.colour);
  for (const point of layer.shapedOf(index)) {
    if (point.x >= startMs && point.x <= endMs)
      drawShape(context, look.shape, layer.x(point.x), layer.y(point.y, series.axis), 0.72);
  }
}

function drawMarker(layer: Layer, marker: ChartMarker): void {
  const { context, area, input } = layer;
  const look = SEVERITY_LOOKS[marker.severity];
  const x = layer.x(marker.timeMs);
  const y = marker.value === null ? area.bottom - 7 : layer.y(marker.value, marker.axis);
  context.save();
  context.translate(x, Math.min(Math.max(y, area.top + 6), area.bottom - 6));
  context.scale(1.3, 1.3);
  const path = pathOf(look.shape);
  context.lineWidth = 2.4;
  context.lineJoin = 'round';
  context.strokeStyle = input.token('surface-1');
  context.stroke(path);
  context.fillStyle = input.token(look.colour);
  context.fill(path, 'evenodd');
  context.restore();
}

/** Draws everything above the lines. */
export function drawAbove(layer: Layer): void {
  const { series, thresholds, markers } = layer.input;
  const { startMs, endMs } = layer.input.span;
  clipped(layer, 0, () => {
    for (const each of thresholds) drawThresholdLine(layer, each);
  });
  clipped(layer, 5, () => {
    for (const [index, each] of series.entries()) drawPoints(layer, each, index);
  });
  const order = { normal: 0, other: 1, warning: 2, critical: 3 } as const;
  const shown = markers.filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs);
  for (const marker of shown.toSorted((a, b) => order[a.severity] - order[b.severity]))
    drawMarker(layer, marker);
}
