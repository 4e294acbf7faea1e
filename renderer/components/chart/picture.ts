/** Charts as a standalone picture with title and source. Each plot has a title and a legend. */
import { lookOf } from '../../lib/chart/look.ts';
import type { ChartSeries } from '../../lib/chart/types.ts';
import { Plot } from './plot.ts';
import type { PlotInput } from './plot-input.ts';
import { tokens } from './tokens.svelte.ts';

interface PictureWords {
  /** Describes the values. */
  title: string;
  /** Time range, zone and source. */
  note: string;
  /** States which values are missing in the picture, on as many lines as needed. */
  missing?: string;
}

/** A chart of the picture, with the size of its plot in CSS pixels. */
export interface PicturePanel extends Omit<PlotInput, 'ratio' | 'token'> {
  /** Title of the plot; null if it is the only one in the picture. */
  title: string | null;
}

/** Pixels of the picture per CSS pixel, independent of the window, because pictures are viewed elsewhere. */
const RATIO = 2;
const EDGE = 16;
const LINE = 20;
const MARK = 34;

type Entry = Pick<ChartSeries, 'name' | 'look' | 'kind'>;

/** Arranges legend entries on as many lines as needed. */
function legendLines(context: CanvasRenderingContext2D, series: readonly Entry[], width: number): Entry[][] {
  const lines: Entry[][] = [[]];
  let used = 0;
  for (const entry of series) {
    const own = MARK + context.measureText(entry.name).width + EDGE;
    if (used > 0 && used + own > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(entry);
    used += own;
  }
  return lines;
}

/** Breaks a text into as many lines as needed. */
function wrapped(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function drawMark(context: CanvasRenderingContext2D, { look, kind }: Entry, x: number, y: number): void {
  const { colour, dash, shape } = lookOf(look);
  context.save();
  context.translate(x + 13, y - 4);
  context.fillStyle = tokens.get(colour);
  context.strokeStyle = tokens.get(colour);
  if (kind === 'bar') context.fillRect(-9, -4, 18, 8);
  else {
    context.lineWidth = 2;
    context.setLineDash([...dash]);
    context.beginPath();
    context.moveTo(-13, 0);
    context.lineTo(13, 0);
    context.stroke();
    context.fill(new Path2D(shape));
  }
  context.restore();
}

/** Draws the plot of a panel on its own canvas, and copies it. */
function drawPlot(context: CanvasRenderingContext2D, panel: PicturePanel, x: number, y: number): void {
  const canvas = document.createElement('canvas');
  canvas.width = panel.width;
  canvas.height = panel.height;
  const plot = new Plot(canvas);
  plot.draw({ ...panel, ratio: RATIO, token: tokens.get });
  context.drawImage(canvas, x, y, panel.width, panel.height);
  plot.destroy();
}

interface Text {
  size: number;
  weight?: number;
  colour?: string;
  width?: number;
}

function drawText(context: CanvasRenderingContext2D, text: string, x: number, y: number, look: Text): void {
  const { size, weight = 400, colour = 'text-1', width } = look;
  context.font = `${weight} ${size}px ${tokens.get('font-text')}`;
  context.fillStyle = tokens.get(colour);
  context.fillText(text, x, y, width);
}

/**
 * The charts as PNG, in `columns` columns, in the colours of the current theme and at twice their size in the window.
 * Null if the picture would be too large.
 */
export async function chartPicture(
  panels: readonly PicturePanel[],
  { title, note, missing = '' }: PictureWords,
  columns = 1,
): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.font = `13px ${tokens.get('font-text')}`;
  const placed = panels.map((panel) => {
    const lines = legendLines(context, panel.series, panel.width);
    const head = (panel.title === null ? 0 : LINE) + lines.length * LINE + EDGE / 2;
    return { panel, lines, head };
  });
  const rows = Array.from({ length: Math.ceil(placed.length / columns) }, (_, at) => {
    const row = placed.slice(at * columns, (at + 1) * columns);
    return { row, height: Math.max(...row.map(({ head, panel }) => head + panel.height)) + EDGE };
  });
  const cell = Math.max(0, ...panels.map(({ width }) => width));
  const inner = Math.min(columns, panels.length) * (cell + EDGE) - EDGE;
  const missingLines = wrapped(context, missing, inner);
  const top = EDGE + (2 + missingLines.length) * LINE + EDGE / 2;
  canvas.width = Math.round((inner + 2 * EDGE) * RATIO);
  canvas.height = Math.round((top + rows.reduce((sum, { height }) => sum + height, 0)) * RATIO);
  context.scale(RATIO, RATIO);
  context.fillStyle = tokens.get('surface-1');
  context.fillRect(0, 0, canvas.width, canvas.height);
  drawText(context, title, EDGE, EDGE + 14, { size: 15, weight: 600, width: inner });
  drawText(context, note, EDGE, EDGE + LINE + 12, { size: 12, colour: 'text-2', width: inner });
  for (const [at, line] of missingLines.entries())
    drawText(context, line, EDGE, EDGE + (2 + at) * LINE + 12, { size: 12, colour: 'warn', width: inner });
  let rowTop = top;
  for (const { row, height } of rows) {
    for (const [column, { panel, lines, head }] of row.entries()) {
      const left = EDGE + column * (cell + EDGE);
      let y = rowTop + 14;
      if (panel.title !== null) {
        drawText(context, panel.title, left, y, { size: 13, weight: 600, width: panel.width });
        y += LINE;
      }
      for (const entries of lines) {
        let x = left;
        for (const entry of entries) {
          drawMark(context, entry, x, y);
          drawText(context, entry.name, x + MARK, y, { size: 13 });
          x += MARK + context.measureText(entry.name).width + EDGE;
        }
        y += LINE;
      }
      drawPlot(context, panel, left, rowTop + head);
    }
    rowTop += height;
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}
