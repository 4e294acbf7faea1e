/** Columns as data, and the user's arrangement of them. Pure. */
import type { Component, Snippet } from 'svelte';
import type { WordTable } from '../../../electron/shared/shown-words.ts';

export type Row = Record<string, unknown>;
/** `pick`: a checkbox, checked if the value is true. */
export type ColumnKind = 'text' | 'number' | 'time' | 'id' | 'json' | 'chip' | 'pick';
export type ChipTone = 'plain' | 'accent' | 'ok' | 'warn' | 'bad' | 'info';

/** Pending change of a cell: a new value shown with the old one, or the removal of its row. */
export type CellChange = { kind: 'changed'; was: string } | { kind: 'out' };

export interface Column {
  id: string;
  title: string;
  kind: ColumnKind;
  /** Width in pixels until the user changes it. */
  width: number;
  /** Width in pixels in a narrow grid; by default the same as `width`. */
  narrow?: number;
  get: (row: Row) => unknown;
  /** Adjacent columns with the same group share a heading. */
  group?: string;
  /** The field that this column is sorted by; null if it cannot be sorted. Default: the column's id. */
  sortField?: string | null;
  /** Whether the first click on the heading sorts the largest value first. */
  sortsDownFirst?: boolean;
  /** Tone of a chip. */
  tone?: (value: unknown) => ChipTone;
  /** For chips: a shape before the word, so that the meaning does not depend on colour. */
  icon?: (value: unknown) => Component<{ size?: number | string; color?: string }> | undefined;
  /** CSS colour of the icon, if it depends on the value. */
  iconColour?: (value: unknown) => string;
  /** Formats a value, if the default of its kind does not fit. */
  write?: (value: unknown) => string;
  /** The table of words that cells show for constants. Typed filters find the constants by these words. */
  words?: WordTable;
  /** The user's unsent change of a cell; for cells without `draw`. */
  change?: (row: Row) => CellChange | null;
  /** Draws the cell in place of its text; `get` still provides the copied text and the tooltip. */
  draw?: Snippet<[Row]>;
  /** Text shown if the row lacks the value, to distinguish it from an empty value. */
  absentText?: string;
  /** Tooltip of `absentText`. */
  absentTitle?: string;
  /** Whether the font is monospaced, as for identifiers and keys. */
  isMono?: boolean;
  /** Whether privacy mode hides the values, regardless of the id. */
  isPrivate?: boolean;
  /** Whether the title is a private name, which privacy mode masks. */
  hasPrivateTitle?: boolean;
  /** Whether the column is pinned to the left by default. */
  startsPinned?: boolean;
  /** Whether the column is hidden until the user shows it. */
  startsHidden?: boolean;
  /** Whether the column takes the width that the others leave, unless the user resized it. */
  grows?: boolean;
  /** Whether the column has exactly its width and no padding. */
  isTight?: boolean;
  /** Columns that this one shows together. Copies and exports contain them instead, and its text cannot be filtered. */
  parts?: readonly Column[];
}

/** A column whose cells a component draws from data outside the row. It is neither copied, filtered nor sorted. */
export const drawnColumn = (
  id: string,
  title: string,
  width: number,
  draw: Snippet<[Row]>,
  kind: 'text' | 'number' = 'text',
): Column => ({
  ...{ id, title, kind, width, get: () => undefined, sortField: null, parts: [], draw },
});

export interface SortBy {
  field: string;
  isDescending: boolean;
}

export interface ColumnLayout {
  /** Ids in the user's order; the remaining columns follow in their default order. */
  order: string[];
  widths: Record<string, number>;
  hidden: string[];
  /** Ids of columns that are shown although they are hidden by default. */
  shown?: string[] | undefined;
  /** Ids of pinned columns; null until the user pins or unpins one, so that the default applies. */
  pinned: string[] | null;
}

export interface Arranged {
  column: Column;
  width: number;
  /** Distance in pixels from the left edge of the first column; pinned columns come first. */
  left: number;
  isPinned: boolean;
}

/**
 * Below this width in pixels a grid uses narrow columns, so that the main columns stay visible beside the inspector.
 */
const NARROW_GRID = 720;
/** Space in pixels for the resize handle of the last column; without it the grid would scroll sideways. */
const GRIP = 6;
const MIN_WIDTH = 48;
/** Text columns shrink by at most this share of their width, if that makes all columns fit. Their titles stay whole. */
const MAX_GIVEN_SHARE = 0.3;
/** Space in pixels for one letter of a title, and for the icons beside the title. */
const TITLE_LETTER = 7.5;
const BESIDE_TITLE = 28;
const MAX_WIDTH = 1_200;
export const EMPTY_LAYOUT: ColumnLayout = { order: [], widths: {}, hidden: [], pinned: null };

/** Ids of the pinned columns. */
export function pinnedIds(columns: readonly Column[], layout: ColumnLayout): string[] {
  return layout.pinned ?? columns.filter((column) => column.startsPinned).map((column) => column.id);
}

/** The columns of copies and exports. Each occurs once, even if it is shown both alone and as a part of another. */
export function ownColumns(arranged: readonly Arranged[]): Column[] {
  const byId = new Map<string, Column>();
  for (const column of arranged.flatMap((each) => each.column.parts ?? each.column))
    if (!byId.has(column.id)) byId.set(column.id, column);
  return [...byId.values()];
}

/**
 * Finds the column whose histogram is drawn above the rows. `timeline`: id of a column, or a column outside the grid.
 */
export function timelineOf(
  timeline: string | Column | undefined,
  columns: readonly Column[],
): Column | undefined {
  return typeof timeline === 'object' ? timeline : columns.find(({ id }) => id === timeline);
}

export const isHiddenColumn = ({ id, startsHidden }: Column, { hidden, shown }: ColumnLayout): boolean =>
  hidden.includes(id) || (startsHidden === true && shown?.includes(id) !== true);

export const clampWidth = (width: number): number =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** All columns in the user's order, including hidden ones: first the pinned ones, then the others. */
export function orderColumns(columns: readonly Column[], layout: ColumnLayout): Column[] {
  const place = new Map(layout.order.map((id, index) => [id, index]));
  const own = new Map(columns.map((column, index) => [column.id, index]));
  const rank = (column: Column) => {
    const given = place.get(column.id);
    if (given !== undefined) return given;
    // A new column is placed right after the nearest known column before it.
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

/** The visible columns and their positions in a grid of a given width. */
export function arrangeColumns(
  columns: readonly Column[],
  layout: ColumnLayout,
  viewWidth = Number.POSITIVE_INFINITY,
): Arranged[] {
  const isNarrow = viewWidth < NARROW_GRID;
  const pinned = new Set(pinnedIds(columns, layout));
  const widthOf = (column: Column) => {
    if (column.kind === 'pick' || column.isTight) return column.width;
    return clampWidth(
      layout.widths[column.id] ?? (isNarrow ? (column.narrow ?? column.width) : column.width),
    );
  };
  const visible = orderColumns(columns, layout).filter((column) => !isHiddenColumn(column, layout));
  const growing = visible.find(({ id, grows }) => grows === true && layout.widths[id] === undefined);
  const spare = viewWidth - GRIP - visible.reduce((sum, column) => sum + widthOf(column), 0);
  const added = Number.isFinite(spare) ? Math.max(0, Math.floor(spare)) : 0;
  const roomIn = (column: Column) => {
    const { id, kind, draw } = column;
    if (kind !== 'text' || draw !== undefined || layout.widths[id] !== undefined) return 0;
    const ofTitle = column.title.length * TITLE_LETTER + BESIDE_TITLE;
    const least = Math.max(widthOf(column) * (1 - MAX_GIVEN_SHARE), ofTitle);
    return Math.max(0, widthOf(column) - least);
  };
  const roomOf = (isOfPinned: boolean) =>
    visible.reduce((sum, column) => sum + (pinned.has(column.id) === isOfPinned ? roomIn(column) : 0), 0);
  const [needed, room, pinnedRoom] = [Math.max(0, -spare), roomOf(false), roomOf(true)];
  // Columns shrink only if all of them fit afterwards: a grid that scrolls sideways anyway keeps its widths.
  const isFitting = needed <= room + pinnedRoom;
  const shareOf = (column: Column) => {
    if (!isFitting || needed === 0) return 0;
    // Pinned columns name the row, so they shrink only if shrinking the others is not enough.
    if (!pinned.has(column.id)) return room === 0 ? 0 : Math.min(1, needed / room);
    return pinnedRoom === 0 ? 0 : Math.max(0, needed - room) / pinnedRoom;
  };
  let left = 0;
  return visible.map((column) => {
    const whole = widthOf(column) + (column === growing ? added : 0);
    const width = Math.floor(whole - roomIn(column) * shareOf(column));
    const arranged = { column, width, left, isPinned: pinned.has(column.id) };
    left += width;
    return arranged;
  });
}

/** Moves a column before another one, or to the end if `before` is null. Both stay pinned or unpinned. */
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

/** The target position of a column dropped at `x`, and where the drop indicator is drawn. */
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

/** Runs of adjacent columns with the same group; empty if no column has a group. */
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

/** Reads a stored layout. Invalid parts are ignored. */
export function parseLayout(value: unknown): ColumnLayout {
  if (typeof value !== 'object' || value === null) return EMPTY_LAYOUT;
  const { order, widths, hidden, shown, pinned } = value as Record<string, unknown>;
  const texts = (list: unknown) =>
    Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];
  const sizes = Object.entries(typeof widths === 'object' && widths !== null ? widths : {});
  return {
    order: texts(order),
    hidden: texts(hidden),
    ...(Array.isArray(shown) ? { shown: texts(shown) } : {}),
    pinned: Array.isArray(pinned) ? texts(pinned) : null,
    widths: Object.fromEntries(
      sizes.filter(
        (each): each is [string, number] => typeof each[1] === 'number' && Number.isFinite(each[1]),
      ),
    ),
  };
}
