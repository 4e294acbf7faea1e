/** What a grid remembers: its columns' layout and sort (kept), its cursor, selection and scroll (while it lives). */
import type { HeldTable } from '../../../electron/shared/export-model.ts';
import {
  arrangeColumns,
  type Column,
  type ColumnLayout,
  clampWidth,
  EMPTY_LAYOUT,
  moveColumn,
  orderColumns,
  parseLayout,
  pinnedIds,
  type Row,
  type SortBy,
} from '../../lib/grid/columns.ts';
import { addRange, countRows, hasRow, type RowRange, toggleRow } from './ranges.ts';

/** Rows with a tick, in this list or in others. */
export interface TickedRows {
  /** Reactive. */
  readonly count: number;
  /** The same rows as a table for an export; null if there are none. */
  readonly table: HeldTable | null;
  /** In the order of ticking; at most 20,000. Throws AppError. */
  read: () => Promise<readonly Row[]>;
}

interface GridMemory {
  read: () => unknown;
  write: (value: unknown) => void;
}

/** Where a person was in a grid. */
interface GridPlace {
  row: number;
  columnIndex: number;
  scrollTop: number;
  scrollLeft: number;
}

const NO_MEMORY: GridMemory = { read: () => null, write: () => undefined };
/** Row number of the header for the cursor. */
export const HEADER_ROW = -1;

export class GridModel {
  columns = $state.raw<readonly Column[]>([]);
  layout = $state.raw<ColumnLayout>(EMPTY_LAYOUT);
  sort = $state.raw<SortBy | null>(null);
  /** Heads show pictures of their columns, where the list has profiles. */
  showsPictures = $state(false);
  /** Under the heads: a field for the filter of each column. */
  showsFilters = $state(false);
  row = $state(0);
  columnIndex = $state(0);
  /** Rows picked one by one or by range; the cursor's own row where there are none. */
  picked = $state.raw<readonly RowRange[]>([]);
  /** Rows with a tick, in grids that have boxes. Every act takes them before the selection. */
  ticked = $state.raw<TickedRows | null>(null);
  /** Where a range began. */
  anchor = $state(0);
  /** Counts up when the rows become other ones: the grid goes back to the top. */
  restarts = $state(0);
  /** The pointer is over the rows. */
  isPointed = $state(false);
  /** A person went to a row, or picked some. */
  isTouched = $state(false);
  /** Not reactive: read when the grid comes back. */
  scrollTop = 0;
  scrollLeft = 0;

  /** Of the grid as it stands in the window. */
  viewWidth = $state(Number.POSITIVE_INFINITY);

  readonly arranged = $derived(arrangeColumns(this.columns, this.layout, this.viewWidth));
  readonly ordered = $derived(orderColumns(this.columns, this.layout));
  readonly width = $derived(this.arranged.reduce((sum, each) => sum + each.width, 0));
  readonly isChanged = $derived(this.layout !== EMPTY_LAYOUT || this.sort !== null);

  readonly #memory: GridMemory;
  readonly #startsWithPictures: boolean;

  constructor(memory: GridMemory = NO_MEMORY, startsWithPictures = false) {
    this.#memory = memory;
    this.#startsWithPictures = startsWithPictures;
    this.showsPictures = startsWithPictures;
    const kept = memory.read();
    if (typeof kept !== 'object' || kept === null) return;
    this.layout = parseLayout(kept);
    const { sort, showsPictures, showsFilters } = kept as {
      sort?: unknown;
      showsPictures?: unknown;
      showsFilters?: unknown;
    };
    this.showsFilters = showsFilters === true;
    if (typeof showsPictures === 'boolean') this.showsPictures = showsPictures;
    if (typeof sort === 'object' && sort !== null && 'field' in sort && 'isDescending' in sort) {
      this.sort = { field: String(sort.field), isDescending: sort.isDescending === true };
    }
  }

  #change(change: Partial<ColumnLayout>): void {
    this.layout = { ...this.layout, ...change };
    this.#save();
  }

  #save(): void {
    const { layout, sort, showsPictures, showsFilters } = this;
    const folds = { showsPictures, ...(showsFilters ? { showsFilters } : {}) };
    this.#memory.write({ ...layout, sort, ...folds });
  }

  setShowsPictures(showsPictures: boolean): void {
    this.showsPictures = showsPictures;
    this.#save();
  }

  setShowsFilters(showsFilters: boolean): void {
    this.showsFilters = showsFilters;
    this.#save();
  }

  /** Columns guessed again from more rows are the same columns unless something of them shows otherwise. */
  setColumns(columns: readonly Column[]): void {
    const isSame =
      columns.length === this.columns.length &&
      columns.every((each, at) => looksLike(each, this.columns[at]));
    if (!isSame) this.columns = columns;
  }

  find(id: string): Column | null {
    return this.columns.find((column) => column.id === id) ?? null;
  }

  sortField(column: Column): string | null {
    return column.sortField === undefined ? column.id : column.sortField;
  }

  setSort(sort: SortBy | null): void {
    this.sort = sort;
    this.restart();
    this.#save();
  }

  /** Ascending, descending, none. */
  cycleSort(column: Column): void {
    const field = this.sortField(column);
    if (field === null) return;
    if (this.sort?.field !== field) this.setSort({ field, isDescending: false });
    else if (!this.sort.isDescending) this.setSort({ field, isDescending: true });
    else this.setSort(null);
  }

  resize(id: string, width: number): void {
    this.#change({ widths: { ...this.layout.widths, [id]: clampWidth(width) } });
  }

  hide(id: string, isHidden: boolean): void {
    if (isHidden && this.arranged.length <= 1) return;
    const hidden = this.layout.hidden.filter((each) => each !== id);
    this.#change({ hidden: isHidden ? [...hidden, id] : hidden });
  }

  pin(id: string, isPinned: boolean): void {
    const pinned = pinnedIds(this.columns, this.layout).filter((each) => each !== id);
    this.#change({ pinned: isPinned ? [...pinned, id] : pinned });
  }

  move(id: string, beforeId: string | null): void {
    this.#change(moveColumn(this.columns, this.layout, id, beforeId));
  }

  /** One place to the left or right among the columns that show. */
  nudge(id: string, by: 1 | -1): void {
    const at = this.arranged.findIndex((each) => each.column.id === id);
    const before = by === -1 ? this.arranged[at - 1] : this.arranged[at + 2];
    if (by === -1 ? before === undefined : at >= this.arranged.length - 1) return;
    this.move(id, before?.column.id ?? null);
    this.columnIndex = this.arranged.findIndex((each) => each.column.id === id);
  }

  /** Columns and sort as they were saved. */
  arrange(layout: ColumnLayout, sort: SortBy | null): void {
    this.layout = layout;
    this.setSort(sort);
  }

  reset(): void {
    this.layout = EMPTY_LAYOUT;
    this.sort = null;
    const { showsPictures, showsFilters } = this;
    const folds = {
      ...(showsPictures === this.#startsWithPictures ? {} : { showsPictures }),
      ...(showsFilters ? { showsFilters } : {}),
    };
    this.#memory.write(Object.keys(folds).length === 0 ? null : folds);
  }

  /** Puts the cursor on a row; a range grows from the anchor, else the selection starts over. */
  moveTo(row: number, columnIndex: number, isRange: boolean): void {
    this.columnIndex = columnIndex;
    this.row = row;
    this.isTouched = true;
    if (isRange && row !== HEADER_ROW) {
      this.picked = addRange([], { from: Math.max(0, this.anchor), to: row });
      return;
    }
    this.picked = [];
    this.anchor = row;
  }

  /** Adds or takes one row, and goes there. */
  toggle(row: number, columnIndex: number): void {
    const own = this.row >= 0 ? [{ from: this.row, to: this.row }] : [];
    this.picked = toggleRow(this.picked.length === 0 ? own : this.picked, row);
    this.isTouched = true;
    this.row = row;
    this.anchor = row;
    this.columnIndex = columnIndex;
  }

  selectAll(count: number): void {
    if (count === 0) return;
    this.picked = [{ from: 0, to: count - 1 }];
    this.isTouched = true;
  }

  /** Rows that move now would move under the pointer, or out of the selection, which is of places. */
  get isInUse(): boolean {
    return this.isPointed || this.isTouched;
  }

  isSelected(row: number): boolean {
    return this.picked.length > 0 ? hasRow(this.picked, row) : row === this.row;
  }

  /** Rows that are selected, as ranges in order. */
  get selection(): readonly RowRange[] {
    if (this.picked.length > 0) return this.picked;
    return this.row >= 0 ? [{ from: this.row, to: this.row }] : [];
  }

  get selectedCount(): number {
    return countRows(this.selection);
  }

  get place(): GridPlace {
    const { row, columnIndex, scrollTop, scrollLeft } = this;
    return { row, columnIndex, scrollTop, scrollLeft };
  }

  /** Goes to where a person was, as it was kept; anything else is left alone. */
  goTo(kept: unknown): void {
    if (typeof kept !== 'object' || kept === null) return;
    const { row, columnIndex, scrollTop, scrollLeft } = kept as Record<string, unknown>;
    const size = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0);
    this.row = Math.floor(size(row));
    this.anchor = this.row;
    this.isTouched = this.row > 0;
    this.columnIndex = Math.floor(size(columnIndex));
    this.scrollTop = size(scrollTop);
    this.scrollLeft = size(scrollLeft);
  }

  /** The list under the grid became another one. */
  restart(): void {
    this.row = 0;
    this.anchor = 0;
    this.picked = [];
    this.isTouched = false;
    this.scrollTop = 0;
    this.restarts += 1;
  }
}

function looksLike(a: Column, b: Column | undefined): boolean {
  return (
    b !== undefined &&
    a.id === b.id &&
    a.title === b.title &&
    a.kind === b.kind &&
    a.width === b.width &&
    a.narrow === b.narrow &&
    a.group === b.group &&
    a.sortField === b.sortField
  );
}
