/**
 * Which rows and columns a scroll position shows. Rows all have one height, so this is arithmetic. An element
 * cannot be taller than about 33 million pixels; a longer list is scrolled through at a scale.
 */
import type { Arranged } from '../../lib/grid/columns.ts';

export const MAX_SPACER = 30_000_000;

/** Rows kept ready above and below those in view. */
const OVERSCAN = 6;

export interface Viewport {
  count: number;
  rowHeight: number;
  /** Height of the rows' part of the view, header left out. */
  height: number;
  scrollTop: number;
}

interface RowSpan {
  /** Height of the scrolled element. */
  spacer: number;
  first: number;
  /** Not included. */
  end: number;
  /** Where the first of them is drawn, from the top of the spacer. */
  top: number;
}

function scale({ count, rowHeight, height }: Omit<Viewport, 'scrollTop'>): { spacer: number; ratio: number } {
  const total = count * rowHeight;
  const spacer = Math.min(total, MAX_SPACER);
  const ratio = total <= MAX_SPACER ? 1 : (total - height) / (spacer - height);
  return { spacer, ratio };
}

export function rowSpan(viewport: Viewport, overscan = 0): RowSpan {
  const { count, rowHeight, height, scrollTop } = viewport;
  const { spacer, ratio } = scale(viewport);
  const position = Math.min(Math.max(0, scrollTop), Math.max(0, spacer - height)) * ratio;
  const first = Math.max(0, Math.floor(position / rowHeight) - overscan);
  const end = Math.min(count, Math.ceil((position + height) / rowHeight) + overscan);
  const shift = ratio === 1 ? 0 : position - Math.max(0, scrollTop);
  return { spacer, first: Math.min(first, end), end, top: first * rowHeight - shift };
}

/** The rows that have elements: those in view and some on either side, always as many while the view is as high. */
export function drawnRows(viewport: Viewport): { first: number; size: number } {
  const { count, rowHeight, height } = viewport;
  const size = Math.min(count, Math.ceil(height / rowHeight) + 1 + 2 * OVERSCAN);
  return { first: Math.max(0, Math.min(rowSpan(viewport).first - OVERSCAN, count - size)), size };
}

/** The elements of rows, each used for every `size`-th row, in the order of the rows from `first`. */
export function orderOf(size: number, first: number): number[] {
  return Array.from({ length: size }, (_, at) => (first + at) % size);
}

/** The scroll position nearest to the present one that shows the row whole. */
export function scrollToShow(viewport: Viewport, row: number): number {
  const { rowHeight, height, scrollTop } = viewport;
  const { ratio } = scale(viewport);
  const position = scrollTop * ratio;
  const top = row * rowHeight;
  if (top < position) return top / ratio;
  if (top + rowHeight > position + height) return (top + rowHeight - height) / ratio;
  return scrollTop;
}

export interface ColumnSpan {
  pinned: Arranged[];
  shown: Arranged[];
  /** Room of the columns left out before the shown ones. */
  gap: number;
}

/** Pinned columns always, the rest as far as the horizontal position shows them. */
export function columnSpan(arranged: readonly Arranged[], scrollLeft: number, width: number): ColumnSpan {
  const pinned = arranged.filter((each) => each.isPinned);
  const rest = arranged.slice(pinned.length);
  const margin = 300;
  const shown = rest.filter(
    ({ left, width: own }) => left + own > scrollLeft - margin && left < scrollLeft + width + margin,
  );
  const firstLeft = rest[0]?.left ?? 0;
  return { pinned, shown, gap: (shown[0]?.left ?? firstLeft) - firstLeft };
}
