/** The width that fits the longest of some cells. */

import type { Column, Row } from '../../lib/grid/columns.ts';
import { viewCell } from './cells.ts';

let context: CanvasRenderingContext2D | null | undefined;

/**
 * Width in pixels that fits the heading of a column and its cells in the given rows, in the fonts of `styled`,
 * including padding and sort arrow.
 */
export function fitWidth(column: Column, rows: readonly Row[], styled: HTMLElement): number {
  const style = getComputedStyle(styled);
  const fonts = {
    text: `500 13px ${style.getPropertyValue('--font-text')}`,
    mono: `12px ${style.getPropertyValue('--font-mono')}`,
  };
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return column.width;
  context.font = fonts.text;
  let widest = context.measureText(column.title).width + 28;
  if (column.kind === 'id' || column.kind === 'json' || column.isMono) context.font = fonts.mono;
  const extra = column.kind === 'chip' ? 18 : 0;
  for (const row of rows) {
    widest = Math.max(widest, context.measureText(viewCell(column, column.get(row)).text).width + extra);
  }
  return Math.ceil(widest) + 26;
}
