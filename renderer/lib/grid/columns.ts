/** Columns as data, and how a person arranged them. Pure. */
import type { Component, Snippet } from 'svelte';

export type Row = Record<string, unknown>;
/** `pick`: a box that a person ticks; its value says whether it is. */
export type ColumnKind = 'text' | 'number' | 'time' | 'id' | 'json' | 'chip' | 'pick';
export type ChipTone = 'plain' | 'accent' | 'ok' | 'warn' | 'bad' | 'info';

/** What waits to become of a cell: a new value beside the one before, or the end of its row. */
export type CellChange = { kind: 'changed'; was: string } | { kind: 'out' };

export interface Column {
  id: string;
  title: string;
  kind: ColumnKind;
  /** Width in pixels before a person changes it. */
  width: number;
  /** The same where the grid itself is narrow; without it as wide as elsewhere. */
  narrow?: number;
  get: (row: Row) => unknown;
  /** Columns side by side with the same group share a heading above them. */
  group?: string;
  /** Field that sorting by this column goes by; null where it cannot be sorted. Its id where not given. */
  sortField?: string | null;
  /** Of a chip. */
  tone?: (value: unknown) => ChipTone;
  /** Of a chip: a shape before the word, so that colour is not all that tells. */
  icon?: (value: unknown) => Component<{ size?: number | string; color?: string }> | undefined;
  /** Of the icon, where it says a kind; as CSS reads it. */
  iconColour?: (value: unknown) => string;
  /** How a value is written, where not as others of its kind. */
  write?: (value: unknown) => string;
  /** Of a cell that is not drawn: what a person changed of it and did not send yet. */
  change?: (row: Row) => CellChange | null;
  /** Draws the cell instead of its text; `get` still gives what is copied and said on hover. */
  draw?: Snippet<[Row]>;
  /** Said where a row has no value at all, which an empty one is told apart from. */
  absentText?: string;
  /** Shown as identifiers and keys are. */
  isMono?: boolean;
  /** Its title is somebody's name: masked by privacy mode. */
  hasPrivateTitle?: boolean;
  /** Stays at the left while the rest is scrolled, until a person decides otherwise. */
  startsPinned?: boolean;
}

export interface SortBy {
  field: string;
  isDescending: boolean;
}

export interface ColumnLayout {
  /** Ids in the person's order; columns not named follow in their own order. */
  order: string[];
  widths: Record<string, number>;
  hidden: string[];
  /** Null until a person pins or unpins: then as the columns start. */
  pinned: string[] | null;
}

export interface Arranged {
  column: Column;
  width: number;
  /** Distance from the left edge of all columns, pinned ones first. */
  left: number;
  isPinned: boolean;
}

/** A grid of less than this shows its columns narrow: so that those a person came for are seen beside the inspector. */
const NARROW_GRID = 640;
const MIN_WIDTH = 48;
const MAX_WIDTH = 1_200;
export const EMPTY_LAYOUT: ColumnLayout = { order: [], widths: {}, hidden: [], pinned: null };

/** Ids of the columns that stay at the left. */
export function pinnedIds(columns: readonly Column[], layout: ColumnLayout): string[] {
  return layout.pinned ?? columns.filter((column) => column.startsPinned).map((column) => column.id);
}

export const clampWidth = (width: number): number =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** Every column in the person's order, hidden ones included: pinned first, then the rest. */
export function orderColumns(columns: readonly Column[], layout: ColumnLayout): Column[] {
  const place = new Map(layout.order.map((id, index) => [id, index]));
  const own = new Map(columns.map((column, index) => [column.id, index]));
  const rank = (column: Column) => {
    const given = place.get(column.id);
    if (given !== undefined) return given;
    // A new column goes right after the nearest known one before it.
    const at = own.get(column.id) ?? 0;
    for (let before = at - 1; before >= 0; before -= 1) {
      const known = place.get(columns[before]?.id ?? '');
      if (known !== undefined) return known + (at - before) / (columns.length + 1);
    }
    return -1 + at / (columns.length + 1);
  };
  const pinned = new Set(pinnedIds(columns, layout));
  const ranked = columns.map((column) => ({ column, rank: rank(column), isPinned: pinned.has(column.id) }));
  ranked.sort((a, b) => Number(b.isPinned) - Number(a.isPinned) || a.rank - b.rank);
  return ranked.map((each) => each.column);
}

/** The columns that show, with their places, in a grid of a width. */
export function arrangeColumns(
  columns: readonly Column[],
  layout: ColumnLayout,
  viewWidth = Number.POSITIVE_INFINITY,
): Arranged[] {
  const isNarrow = viewWidth < NARROW_GRID;
  const hidden = new Set(layout.hidden);
  const pinned = new Set(pinnedIds(columns, layout));
  let left = 0;
  return orderColumns(columns, layout)
    .filter((column) => !hidden.has(column.id))
    .map((column) => {
      const wanted = layout.widths[column.id] ?? (isNarrow ? (column.narrow ?? column.width) : column.width);
      const width = column.kind === 'pick' ? column.width : clampWidth(wanted);
      const arranged = { column, width, left, isPinned: pinned.has(column.id) };
      left += width;
      return arranged;
    });
}

/** Moves a column before another one (or to the end, for null); both keep their pinning. */
export function moveColumn(
  columns: readonly Column[],
  layout: ColumnLayout,
  id: string,
  beforeId: string | null,
): ColumnLayout {
  const order = orderColumns(columns, layout).map((column) => column.id);
  const without = order.filter((each) => each !== id);
  const at = beforeId === null ? without.length : without.indexOf(beforeId);
  if (at === -1 || without.length === order.length) return layout;
  return { ...layout, order: without.toSpliced(at, 0, id) };
}

/** Where a column would land that is dropped at `x`, and where the line that shows it is drawn. */
export function placeForDrop(
  arranged: readonly Arranged[],
  id: string,
  x: number,
): { before: string | null; line: number } {
  const isPinned = arranged.find((each) => each.column.id === id)?.isPinned ?? false;
  const rivals = arranged.filter((each) => each.isPinned === isPinned);
  const target = rivals.find((each) => x < each.left + each.width / 2);
  if (target !== undefined) return { before: target.column.id, line: target.left };
  const last = rivals.at(-1);
  const after = last === undefined ? undefined : arranged[arranged.indexOf(last) + 1];
  return { before: after?.column.id ?? null, line: (last?.left ?? 0) + (last?.width ?? 0) };
}

export interface HeadGroup {
  title: string;
  width: number;
  count: number;
}

/** Runs of neighbours with the same group; empty where no column has one. */
export function headGroups(arranged: readonly Arranged[]): HeadGroup[] {
  if (arranged.every(({ column }) => column.group === undefined)) return [];
  const groups: HeadGroup[] = [];
  for (const { column, width } of arranged) {
    const last = groups.at(-1);
    const title = column.group ?? '';
    if (last !== undefined && last.title === title) {
      last.width += width;
      last.count += 1;
    } else groups.push({ title, width, count: 1 });
  }
  return groups;
}

/** A layout as it was kept; anything that does not fit is left out. */
export function parseLayout(value: unknown): ColumnLayout {
  if (typeof value !== 'object' || value === null) return EMPTY_LAYOUT;
  const { order, widths, hidden, pinned } = value as Record<string, unknown>;
  const texts = (list: unknown) =>
    Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];
  const sizes = Object.entries(typeof widths === 'object' && widths !== null ? widths : {});
  return {
    order: texts(order),
    hidden: texts(hidden),
    pinned: Array.isArray(pinned) ? texts(pinned) : null,
    widths: Object.fromEntries(
      sizes.filter(
        (each): each is [string, number] => typeof each[1] === 'number' && Number.isFinite(each[1]),
      ),
    ),
  };
}
