/** A chart as a standalone picture, with title, legend and time zone around the plot. */
import { lookOf } from '../../lib/chart/look.ts';
import type { ChartSeries } from '../../lib/chart/types.ts';
import { tokens } from './tokens.svelte.ts';

interface PictureWords {
  /** Description of the values. */
  title: string;
  /** Time range and zone. */
  note: string;
}

const EDGE = 16;
const LINE = 20;
const MARK = 34;

type Entry = Pick<ChartSeries, 'name' | 'look' | 'kind'>;

/** Legend entries in as many lines as needed. */
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

/**
 * The picture as PNG, in the colours of the current theme and at the resolution of the window. Null if it is
 * too large.
 */
export async function chartPicture(
  plot: HTMLCanvasElement,
  series: readonly Entry[],
  { title, note }: PictureWords,
): Promise<Blob | null> {
  const scale = plot.clientWidth === 0 ? 1 : plot.width / plot.clientWidth;
  const width = plot.width / scale;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) return null;
  const font = tokens.get('font-text');
  context.font = `13px ${font}`;
  const lines = legendLines(context, series, width);
  const top = EDGE + 2 * LINE + lines.length * LINE + EDGE / 2;
  canvas.width = Math.round((width + 2 * EDGE) * scale);
  canvas.height = Math.round((top + plot.height / scale + EDGE) * scale);
  context.scale(scale, scale);
  context.fillStyle = tokens.get('surface-1');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = tokens.get('text-1');
  context.font = `600 15px ${font}`;
  context.fillText(title, EDGE, EDGE + 14, width);
  context.font = `12px ${font}`;
  context.fillStyle = tokens.get('text-2');
  context.fillText(note, EDGE, EDGE + LINE + 12, width);
  context.font = `13px ${font}`;
  for (const [line, entries] of lines.entries()) {
    const y = EDGE + (2 + line) * LINE + 14;
    let x = EDGE;
    for (const entry of entries) {
      drawMark(context, entry, x, y);
      context.fillStyle = tokens.get('text-1');
      context.fillText(entry.name, x + MARK, y);
      x += MARK + context.measureText(entry.name).width + EDGE;
    }
  }
  context.drawImage(plot, EDGE, top, width, plot.height / scale);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}
