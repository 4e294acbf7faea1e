/**
 * Computes the rows and columns that are visible at a scroll position. All rows have the same height. As browsers limit
 * the height of an element to about 33 million pixels, longer lists are scrolled at a scale.
 */
import type { Arranged } from '../../lib/grid/columns.ts';

/** Column summaries are collapsed if fewer rows than this would fit below them. */
export const MIN_ROWS = 5;

export const MAX_SPACER = 30_000_000;

/** Number of rows drawn above and below the visible ones. */
const OVERSCAN = 6;

export interface Viewport {
  count: number;
  rowHeight: number;
  /** Height of the row area, without the header. */
  height: number;
  scrollTop: number;
}

interface RowSpan {
  /** Height of the scrolled element. */
  spacer: number;
  first: number;
  /** Index after the last row. */
  end: number;
  /** Position of the first row, from the top of the spacer. */
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

/** The rows that have elements: the visible ones and some before and after. Their number depends only on the height. */
export function drawnRows(viewport: Viewport): { first: number; size: number } {
  const { count, rowHeight, height } = viewport;
  const size = Math.min(count, Math.ceil(height / rowHeight) + 1 + 2 * OVERSCAN);
  return { first: Math.max(0, Math.min(rowSpan(viewport).first - OVERSCAN, count - size)), size };
}

/**
 * The row elements in the order of their rows, starting at row `first`. Each element is used for every `size`-th row.
 */
export function orderOf(size: number, first: number): number[] {
  return Array.from({ length: size }, (_, at) => (first + at) % size);
}

/** The scroll position nearest to the current one that shows the whole row. */
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
  /** Width of the columns that are left out before the drawn ones. */
  gap: number;
}

/** The drawn columns: pinned ones always, others if they are visible at the horizontal position. */
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
