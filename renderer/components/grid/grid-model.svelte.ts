/**
 * State of a grid: column layout and sort order, which are stored, and cursor, selection and scroll position, which are
 * not.
 */
import { untrack } from 'svelte';
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
import { followRows, type HeldRows, holdRows, identityOf } from './held-rows.ts';
import { addRange, countRows, hasRow, type RowRange, toggleRow } from './ranges.ts';
import type { RowSource } from './row-source.ts';

/** Ticked rows in this and other lists. */
export interface TickedRows {
  /** Number of ticked rows. Reactive. */
  readonly count: number;
  /** The ticked rows as a table for an export; null if there are none. */
  readonly table: HeldTable | null;
  /** Reads the ticked rows in the order of ticking, at most 20,000. Throws AppError. */
  read: () => Promise<readonly Row[]>;
}

interface GridMemory {
  read: () => unknown;
  write: (value: unknown) => void;
}

/** The user's position in a grid. */
interface GridPlace {
  row: number;
  columnIndex: number;
  scrollTop: number;
  scrollLeft: number;
}

const NO_MEMORY: GridMemory = { read: () => null, write: () => undefined };
/** Row number of the headings, for the cursor. */
export const HEADER_ROW = -1;

export class GridModel {
  columns = $state.raw<readonly Column[]>([]);
  /** Id of the view that the columns belong to. */
  #viewId = '';
  layout = $state.raw<ColumnLayout>(EMPTY_LAYOUT);
  sort = $state.raw<SortBy | null>(null);
  /** Whether the headings show column summaries, if the list has profiles. */
  showsSummaries = $state(false);
  /** Whether filter fields are shown below the headings. */
  showsFilters = $state(false);
  row = $state(0);
  columnIndex = $state(0);
  /** Rows selected individually or as ranges; if empty, the row of the cursor is selected. */
  picked = $state.raw<readonly RowRange[]>([]);
  /** Ticked rows, in grids with checkboxes. Actions apply to them rather than to the selection. */
  ticked = $state.raw<TickedRows | null>(null);
  /** Row at which the selected range starts. */
  anchor = $state(0);
  /** Incremented when the rows are replaced, so that the grid scrolls to the top. */
  restarts = $state(0);
  /** Number of text lines in a row. */
  lines: 1 | 2 = 1;
  /** Whether the pointer is over the rows. */
  isPointed = $state(false);
  /** Whether the user moved to a row or selected some. */
  isTouched = $state(false);
  /**
   * Whether no row is selected, not even that of the cursor: after selected records were removed, until the user moves.
   * The user did not choose the record that is now at the cursor.
   */
  isEmptied = $state(false);
  /** Called when the selection of this many rows was removed, because some of their records are gone. */
  onLost: ((count: number) => void) | null = null;
  /** Not reactive, as it is read only when the grid is shown again. */
  scrollTop = 0;
  scrollLeft = 0;

  /** Width of the grid in pixels. */
  viewWidth = $state(Number.POSITIVE_INFINITY);

  readonly arranged = $derived(arrangeColumns(this.columns, this.layout, this.viewWidth));
  readonly ordered = $derived(orderColumns(this.columns, this.layout));
  readonly width = $derived(this.arranged.reduce((sum, each) => sum + each.width, 0));
  readonly isChanged = $derived(this.layout !== EMPTY_LAYOUT || this.sort !== null);

  #held: HeldRows = new Map();
  /** Identities of records that an act of the user can remove from the list. */
  #letGo = new Set<string>();
  readonly #reveals = new Set<() => void>();
  readonly #memory: GridMemory;
  readonly #startsWithSummaries: boolean;

  constructor(memory: GridMemory = NO_MEMORY, startsWithSummaries = false) {
    this.#memory = memory;
    this.#startsWithSummaries = startsWithSummaries;
    this.showsSummaries = startsWithSummaries;
    const kept = memory.read();
    if (typeof kept !== 'object' || kept === null) return;
    this.layout = parseLayout(kept);
    // Layouts that earlier versions stored have the name `showsPictures`.
    const {
      sort,
      showsPictures,
      showsSummaries = showsPictures,
      showsFilters,
    } = kept as {
      sort?: unknown;
      showsSummaries?: unknown;
      showsPictures?: unknown;
      showsFilters?: unknown;
    };
    this.showsFilters = showsFilters === true;
    if (typeof showsSummaries === 'boolean') this.showsSummaries = showsSummaries;
    if (typeof sort === 'object' && sort !== null && 'field' in sort && 'isDescending' in sort) {
      this.sort = { field: String(sort.field), isDescending: sort.isDescending === true };
    }
  }

  #change(change: Partial<ColumnLayout>): void {
    this.#withCursor(() => {
      this.layout = { ...this.layout, ...change };
    });
    this.#save();
  }

  /**
   * Keeps the cursor in its column when other columns are added, removed or moved. If its column was removed, the index
   * of the cursor stays.
   */
  #withCursor(change: () => void): void {
    const [columnIndex, isTouched, id] = untrack(() => [
      this.columnIndex,
      this.isTouched,
      this.arranged[this.columnIndex]?.column.id,
    ]);
    change();
    untrack(() => {
      const at = this.arranged.findIndex(({ column }) => column.id === id);
      const isPlaced = isTouched || columnIndex > 0;
      if (at !== -1 && isPlaced && at !== columnIndex) this.columnIndex = at;
    });
  }

  #save(): void {
    const { layout, sort, showsSummaries, showsFilters } = this;
    const folds = { showsSummaries, ...(showsFilters ? { showsFilters } : {}) };
    this.#memory.write({ ...layout, sort, ...folds });
  }

  setShowsSummaries(showsSummaries: boolean): void {
    this.showsSummaries = showsSummaries;
    this.#save();
  }

  setShowsFilters(showsFilters: boolean): void {
    this.showsFilters = showsFilters;
    this.#save();
  }

  /** Left edge of a column in pixels of the view; 0 for an unknown one. */
  leftOf(columnId: string, scrollLeft: number): number {
    const found = this.arranged.find(({ column }) => column.id === columnId);
    return (found?.left ?? 0) - (found === undefined || found.isPinned ? 0 : scrollLeft);
  }

  /**
   * Sets the columns. If they were merely guessed again from more rows and look the same, the present ones are kept,
   * unless another view (`viewId`) shows the grid: the values of the previous view would be outdated.
   */
  setColumns(columns: readonly Column[], viewId: string): void {
    const isSame =
      viewId === this.#viewId &&
      columns.length === this.columns.length &&
      columns.every((each, at) => looksLike(each, this.columns[at]));
    this.#viewId = viewId;
    if (isSame) return;
    this.#withCursor(() => {
      this.columns = columns;
    });
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

  /** Cycles through both sort directions, beginning with the default of the column, and no sorting. */
  cycleSort(column: Column): void {
    const field = this.sortField(column);
    if (field === null) return;
    const first = column.sortsDownFirst === true;
    if (this.sort?.field !== field) this.setSort({ field, isDescending: first });
    else if (this.sort.isDescending === first) this.setSort({ field, isDescending: !first });
    else this.setSort(null);
  }

  resize(id: string, width: number): void {
    this.#change({ widths: { ...this.layout.widths, [id]: clampWidth(width) } });
  }

  hide(id: string, isHidden: boolean): void {
    if (isHidden && this.arranged.length <= 1) return;
    const [hidden, shown] = [this.layout.hidden, this.layout.shown ?? []].map((ids) =>
      ids.filter((each) => each !== id),
    ) as [string[], string[]];
    if (this.find(id)?.startsHidden === true)
      this.#change({ hidden, shown: isHidden ? shown : [...shown, id] });
    else this.#change({ hidden: isHidden ? [...hidden, id] : hidden });
  }

  pin(id: string, isPinned: boolean): void {
    const pinned = pinnedIds(this.columns, this.layout).filter((each) => each !== id);
    this.#change({ pinned: isPinned ? [...pinned, id] : pinned });
  }

  move(id: string, beforeId: string | null): void {
    this.#change(moveColumn(this.columns, this.layout, id, beforeId));
  }

  /** Moves a column one position to the left or right among the visible ones. */
  moveColumnBy(id: string, by: 1 | -1): void {
    const at = this.arranged.findIndex((each) => each.column.id === id);
    const before = by === -1 ? this.arranged[at - 1] : this.arranged[at + 2];
    if (by === -1 ? before === undefined : at >= this.arranged.length - 1) return;
    this.move(id, before?.column.id ?? null);
    this.columnIndex = this.arranged.findIndex((each) => each.column.id === id);
  }

  /** Applies saved columns and sort order. */
  arrange(layout: ColumnLayout, sort: SortBy | null): void {
    this.layout = layout;
    this.setSort(sort);
  }

  reset(): void {
    this.layout = EMPTY_LAYOUT;
    this.sort = null;
    const { showsSummaries, showsFilters } = this;
    const folds = {
      ...(showsSummaries === this.#startsWithSummaries ? {} : { showsSummaries }),
      ...(showsFilters ? { showsFilters } : {}),
    };
    this.#memory.write(Object.keys(folds).length === 0 ? null : folds);
  }

  /** Moves the cursor to a row. Extends the range that begins at the anchor, or starts a new selection. */
  moveTo(row: number, columnIndex: number, isRange: boolean): void {
    this.columnIndex = columnIndex;
    this.row = row;
    this.isTouched = true;
    this.isEmptied = false;
    this.#letGo.clear();
    if (isRange && row !== HEADER_ROW) {
      this.picked = addRange([], { from: Math.max(0, this.anchor), to: row });
      return;
    }
    this.picked = [];
    this.anchor = row;
  }

  /** Moves the cursor to a row that was chosen outside the grid, which scrolls to it. */
  showRow(row: number): void {
    this.moveTo(row, this.columnIndex, false);
    for (const reveal of this.#reveals) reveal();
  }

  /**
   * Selects the row of the cursor if no row is selected, and returns whether it did. To be called before an act on that
   * row: the user first sees the record, and the act needs the key again.
   */
  selectCursor(): boolean {
    if (!this.isEmptied || this.row === HEADER_ROW) return false;
    this.showRow(this.row);
    return true;
  }

  /** Lets a record leave the list by an act of the user: the selection is handed over to the next row. */
  letGo(row: Row): void {
    this.#letGo.add(identityOf(row));
  }

  /** Calls `reveal` after each `showRow`. The returned function stops that. */
  onShowRow(reveal: () => void): () => void {
    this.#reveals.add(reveal);
    return () => this.#reveals.delete(reveal);
  }

  /** Selects or deselects one row, and moves the cursor there. */
  toggle(row: number, columnIndex: number): void {
    this.picked = toggleRow(this.selection, row);
    this.isTouched = true;
    this.isEmptied = false;
    this.#letGo.clear();
    this.row = row;
    this.anchor = row;
    this.columnIndex = columnIndex;
  }

  selectAll(count: number): void {
    if (count === 0) return;
    this.picked = [{ from: 0, to: count - 1 }];
    this.isTouched = true;
    this.isEmptied = false;
    this.#letGo.clear();
  }

  /**
   * Whether sorting again would disturb the user: rows under the pointer would move, or a selection, which is by
   * position, would change.
   */
  get isInUse(): boolean {
    return this.isPointed || this.isTouched;
  }

  isSelected(row: number): boolean {
    return this.picked.length > 0 ? hasRow(this.picked, row) : row === this.row && !this.isEmptied;
  }

  /** Identities of the loaded rows of the selection, by row number. Empty before the user moved to a row. */
  get held(): HeldRows {
    return this.#held;
  }

  /**
   * Keeps cursor and selection on their records when the rows have changed, and the cursor within the rows. Reads the
   * selected rows, so that it can run in an effect.
   */
  follow(source: Pick<RowSource, 'count' | 'row' | 'isPending' | 'isMixed' | 'phase'>): void {
    if (source.isPending === true) return;
    if (source.isMixed === true) {
      // Rows selected meanwhile are held, so that they are followed once all rows are of one reading.
      const { picked: ranges, row: cursor } = this;
      if (this.isTouched && source.phase !== 'opening')
        this.#held = holdRows({ ranges, cursor, held: this.#held }, source);
      return;
    }
    // While a list is being opened, the present rows belong to the previous query.
    if (source.phase !== 'opening') this.#followRecords(source);
    if (source.count > 0) this.row = Math.min(this.row, source.count - 1);
  }

  #followRecords(source: Pick<RowSource, 'count' | 'row'>): void {
    if (!this.isTouched) {
      this.#held = new Map();
      return;
    }
    const [ranges, cursor] = [this.picked, this.row];
    const anchor = untrack(() => this.anchor);
    const followed = followRows({ ranges, cursor, anchor, held: this.#held }, source);
    this.#held = followed.held;
    this.anchor = followed.anchor;
    this.row = followed.cursor;
    const isLetGo = followed.gone.length > 0 && followed.gone.every((key) => this.#letGo.has(key));
    if (followed.isGone && !isLetGo) this.isEmptied = true;
    if (followed.isGone) this.#letGo.clear();
    if (followed.ranges === ranges) return;
    this.picked = followed.ranges;
    if (followed.isLost && !isLetGo) untrack(() => this.onLost?.(countRows(ranges)));
  }

  /** Removes a selection whose records are no longer in their places. */
  lose(): void {
    const count = this.selectedCount;
    this.picked = [];
    this.isEmptied = true;
    this.#held = new Map();
    this.onLost?.(count);
  }

  /** The selected rows as ordered ranges. */
  get selection(): readonly RowRange[] {
    if (this.picked.length > 0) return this.picked;
    return this.row >= 0 && !this.isEmptied ? [{ from: this.row, to: this.row }] : [];
  }

  get selectedCount(): number {
    return countRows(this.selection);
  }

  get place(): GridPlace {
    const { row, columnIndex, scrollTop, scrollLeft } = this;
    return { row, columnIndex, scrollTop, scrollLeft };
  }

  /** Scrolls to a stored position. Invalid data is ignored. */
  goTo(kept: unknown): void {
    if (typeof kept !== 'object' || kept === null) return;
    const { row, columnIndex, scrollTop, scrollLeft } = kept as Record<string, unknown>;
    const size = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0);
    this.row = Math.floor(size(row));
    this.anchor = this.row;
    this.isTouched = this.row > 0;
    this.isEmptied = false;
    this.columnIndex = Math.floor(size(columnIndex));
    this.scrollTop = size(scrollTop);
    this.scrollLeft = size(scrollLeft);
  }

  /** Ends the selection, because the rows become those of another service. */
  forgetRows(): void {
    this.restart();
  }

  /** To be called when the list of the grid was replaced. */
  restart(): void {
    this.row = 0;
    this.anchor = 0;
    this.picked = [];
    this.isTouched = false;
    this.isEmptied = false;
    this.#held = new Map();
    this.#letGo.clear();
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
    a.sortField === b.sortField &&
    a.isPrivate === b.isPrivate &&
    a.startsHidden === b.startsHidden
  );
}
