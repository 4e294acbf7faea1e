/**
 * A row element that is reused while a list is scrolled, so that only differences are written. Cells that a component
 * draws follow `drawn`; all others are written here.
 */

import type { Arranged, CellChange, Column, Row } from '../../lib/grid/columns.ts';
import { fullText, viewCell } from './cells.ts';

/** The content and position of a row. */
interface RowLook {
  row: Row | undefined;
  index: number;
  /** Pixels from the top of the element that holds the rows. */
  top: number;
  /** In the order of the cells. */
  columns: readonly Arranged[];
  isSelected: boolean;
  /** Index in `columns` of the column with the cursor (-1 if the cursor is in another row), and the id of its cell. */
  cursor: { at: number; id: string };
}

interface Cell {
  element: HTMLElement;
  /** In a chip, the coloured element around `text`. */
  tag: HTMLElement | null;
  /** Null in a cell that a component draws. */
  text: Text | null;
  shown: string;
  title: string | undefined;
  /** Whether the tooltip with the full value is set and still valid. */
  isExplained: boolean;
  tone: string;
  state: '' | 'missing' | 'absent';
  /** Whether a cell that a component draws hides the content of another row. */
  isHidden: boolean;
  change: CellChange['kind'] | '';
  /** Element for the value before a change, created when it is first needed. */
  was: HTMLElement | null;
  isCursor: boolean;
}

/** Whether a component draws the cell, because it is more than text. */
export function isDrawn({ draw, kind, icon }: Column): boolean {
  return draw !== undefined || kind === 'pick' || icon !== undefined;
}

function cellOf(element: HTMLElement, column: Column): Cell {
  const text = isDrawn(column) ? null : document.createTextNode('');
  const tag = text !== null && column.kind === 'chip' ? document.createElement('span') : null;
  if (text !== null) (tag ?? element).append(text);
  if (tag !== null) element.append(tag);
  return {
    element,
    tag,
    text,
    shown: '',
    title: undefined,
    isExplained: false,
    tone: '',
    state: '',
    isHidden: false,
    change: '',
    was: null,
    isCursor: false,
  };
}

function setTitle(cell: Cell, title: string | undefined): void {
  if (cell.title === title) return;
  cell.title = title;
  if (title === undefined) cell.element.removeAttribute('title');
  else cell.element.title = title;
}

function write(cell: Cell, column: Column, row: Row): void {
  const value = column.get(row);
  const view = viewCell(column, value);
  if (cell.text !== null && cell.shown !== view.text) {
    cell.shown = view.text;
    cell.text.data = view.text;
    cell.isExplained = false;
  }
  const tone = cell.tag === null ? '' : view.isMissing ? 'none' : `tag ${column.tone?.(value) ?? 'plain'}`;
  if (cell.tag !== null && cell.tone !== tone) {
    cell.tone = tone;
    cell.tag.className = tone;
  }
  setState(cell, view.isMissing ? (isAbsent(column, value) ? 'absent' : 'missing') : '');
  setHidden(cell, false);
  if (cell.text !== null) setChange(cell, column.change?.(row) ?? null);
  const isWhole = cell.isCursor || cell.isExplained;
  setTitle(cell, isWhole ? (view.title ?? fullText(column, value)) : view.title);
}

const isAbsent = (column: Column, value: unknown): boolean =>
  value === undefined && column.absentText !== undefined;

function setState(cell: Cell, state: Cell['state']): void {
  if (cell.state === state) return;
  cell.state = state;
  if (state === '') delete cell.element.dataset['state'];
  else cell.element.dataset['state'] = state;
}

function setHidden(cell: Cell, isHidden: boolean): void {
  if (cell.isHidden === isHidden) return;
  cell.isHidden = isHidden;
  if (isHidden) cell.element.dataset['hidden'] = '';
  else delete cell.element.dataset['hidden'];
}

/**
 * Shows the new value first, then the old one small and struck through. In an excluded row everything is struck
 * through.
 */
function setChange(cell: Cell, change: CellChange | null): void {
  const kind = change?.kind ?? '';
  if (cell.change !== kind) {
    cell.change = kind;
    if (kind === '') delete cell.element.dataset['change'];
    else cell.element.dataset['change'] = kind;
  }
  const was = change?.kind === 'changed' ? change.was : '';
  if (cell.was === null && was === '') return;
  if (cell.was === null) {
    cell.was = document.createElement('del');
    cell.was.className = 'was';
    cell.element.append(cell.was);
  }
  if (cell.was.textContent !== was) cell.was.textContent = was;
}

/** Clears a cell, because its row is not loaded yet. */
function clear(cell: Cell): void {
  if (cell.text !== null && cell.shown !== '') {
    cell.shown = '';
    cell.text.data = '';
  }
  if (cell.tag !== null && cell.tone !== 'none') {
    cell.tone = 'none';
    cell.tag.className = 'none';
  }
  setState(cell, '');
  setChange(cell, null);
  setHidden(cell, cell.text === null);
  cell.isExplained = false;
  setTitle(cell, undefined);
}

export class RowSlot {
  readonly number: number;
  /** The element of the row; its children are the cells. */
  element: HTMLElement | null = null;
  /** The last loaded row. Cells that a component draws keep its content, hidden, until the next row is loaded. */
  drawn = $state.raw<Row | undefined>(undefined);

  /** The element that the fields below describe. */
  #known: HTMLElement | null = null;
  /** The content that the row showed last, for cells that are created later. */
  #look: RowLook | null = null;
  /** Cell elements by column id. */
  readonly #elements = new Map<string, HTMLElement>();
  readonly #cells = new Map<string, Cell>();
  #index = -1;
  #top = Number.NaN;
  #isBusy: boolean | null = null;
  #isSelected: boolean | null = null;
  #hasBones = false;

  constructor(number: number) {
    this.number = number;
  }

  /** Index in the list of the shown row; -1 if none is shown. */
  get index(): number {
    return this.#index;
  }

  show(look: RowLook): void {
    const { element } = this;
    if (element === null) return;
    if (this.#known !== element) this.#begin(element);
    this.#look = look;
    this.#mark(element, look);
    if (look.row !== undefined) this.drawn = look.row;
    for (let at = 0; at < look.columns.length; at += 1) this.#showCell(look, at);
  }

  /**
   * A Svelte action that registers the cell element of a column. Columns can change before or after their elements, so
   * a cell is also written when it is created.
   */
  readonly hold = (element: HTMLElement, columnId: string) => {
    this.#elements.set(columnId, element);
    this.#cells.delete(columnId);
    // A row that was recreated shows nothing until it is positioned.
    const look = this.#known === this.element ? this.#look : null;
    const at = look?.columns.findIndex(({ column }) => column.id === columnId) ?? -1;
    if (look !== null && at !== -1) this.#showCell(look, at);
    return {
      destroy: () => {
        if (this.#elements.get(columnId) !== element) return;
        this.#elements.delete(columnId);
        this.#cells.delete(columnId);
      },
    };
  };

  /** Writes a cell, if its element exists. */
  #showCell({ columns, row, cursor }: RowLook, at: number): void {
    const column = columns[at]?.column;
    const element = column === undefined ? undefined : this.#elements.get(column.id);
    if (column === undefined) return;
    if (element === undefined) {
      // Read even though there is no element yet, so that the effect that shows the row depends on the value.
      if (row !== undefined) [column.get(row), column.change?.(row)];
      return;
    }
    let cell = this.#cells.get(column.id);
    if (cell === undefined) {
      cell = cellOf(element, column);
      this.#cells.set(column.id, cell);
    }
    this.#setCursor(cell, at === cursor.at ? cursor.id : null);
    if (row === undefined) clear(cell);
    else write(cell, column, row);
  }

  /** To be called if the row was removed because the view became lower, and now has new, empty elements. */
  #begin(element: HTMLElement): void {
    this.#known = element;
    this.#index = -1;
    this.#top = Number.NaN;
    this.#isBusy = null;
    this.#isSelected = null;
    this.#hasBones = false;
  }

  /** Hides the row until it is shown again. */
  leave(): void {
    if (this.#index === -1) return;
    this.#index = -1;
    this.#isBusy = null;
    this.element?.removeAttribute('aria-rowindex');
    this.element?.removeAttribute('aria-busy');
  }

  /** Sets the tooltip with the full value of a truncated cell. It is created only on hover. */
  explain(element: Element): void {
    const column = this.#look?.columns.find(
      ({ column: { id } }) => this.#elements.get(id) === element,
    )?.column;
    const cell = column === undefined ? undefined : this.#cells.get(column.id);
    const row = this.#look?.row;
    if (cell === undefined || column === undefined || row === undefined) return;
    cell.isExplained = true;
    setTitle(cell, cell.title ?? fullText(column, column.get(row)));
  }

  #mark(element: HTMLElement, { index, top, row, isSelected }: RowLook): void {
    if (this.#top !== top) {
      this.#top = top;
      element.style.transform = `translateY(${top}px)`;
    }
    if (this.#index !== index) {
      this.#index = index;
      element.ariaRowIndex = String(index + 2);
    }
    if (this.#isSelected !== isSelected) {
      this.#isSelected = isSelected;
      element.ariaSelected = String(isSelected);
    }
    const isBusy = row === undefined;
    if (this.#isBusy !== isBusy) {
      this.#isBusy = isBusy;
      element.ariaBusy = isBusy ? 'true' : null;
      if (!isBusy && this.#hasBones) this.#setBones(element, false);
    }
  }

  #setBones(element: HTMLElement, hasBones: boolean): void {
    this.#hasBones = hasBones;
    element.toggleAttribute('data-bones', hasBones);
  }

  /** To be called when scrolling stopped: if the row is not loaded yet, it shows placeholders for its texts. */
  rest(): void {
    if (this.element !== null && this.#isBusy === true && !this.#hasBones) this.#setBones(this.element, true);
  }

  #setCursor(cell: Cell, id: string | null): void {
    const isCursor = id !== null;
    if (id !== null && cell.element.id !== id) cell.element.id = id;
    if (cell.isCursor === isCursor) return;
    cell.isCursor = isCursor;
    if (isCursor) cell.element.dataset['cursor'] = '';
    else {
      delete cell.element.dataset['cursor'];
      cell.element.removeAttribute('id');
    }
  }
}
