/**
 * One of the rows that are used again and again while a list is scrolled: its elements stay, and only what differs
 * from what they show is written. Cells that a component draws follow `row`; all others are written here.
 */

import type { Arranged, CellChange, Column, Row } from '../../lib/grid/columns.ts';
import { fullText, viewCell } from './cells.ts';

/** What a row is to show. */
interface RowLook {
  row: Row | undefined;
  index: number;
  /** Pixels from the top of the element that holds the rows. */
  top: number;
  /** In the order of the row's cells. */
  columns: readonly Arranged[];
  isSelected: boolean;
  /** Place of the column under the cursor among `columns`, -1 where this row does not have it; the id of its cell. */
  cursor: { at: number; id: string };
}

interface Cell {
  element: HTMLElement;
  /** Of a chip: the coloured part, which `text` is in. */
  tag: HTMLElement | null;
  /** Null in cells that a component draws. */
  text: Text | null;
  shown: string;
  title: string | undefined;
  /** Its title says more than is written: it was looked at, and shows the same since. */
  isExplained: boolean;
  tone: string;
  state: '' | 'missing' | 'absent';
  change: CellChange['kind'] | '';
  /** Holds the value before a change; made where one is first shown. */
  was: HTMLElement | null;
  isCursor: boolean;
}

/** Is the cell more than text? Then a component draws it. */
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

/** The new value stands first, the one before it struck and small; a row that is left out is struck as a whole. */
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

/** Nothing is known of the row yet. */
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
  cell.isExplained = false;
  setTitle(cell, undefined);
}

export class RowSlot {
  readonly number: number;
  /** The element of the row, whose cells are its children. */
  element: HTMLElement | null = null;
  /** What cells that a component draws show. */
  row = $state.raw<Row | undefined>(undefined);

  /** The element that all below is about. */
  #known: HTMLElement | null = null;
  /** What was last shown: a cell that comes later is written from it. */
  #look: RowLook | null = null;
  /** By the id of their column. */
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

  /** Place in the list of what is shown; -1 before anything is. */
  get index(): number {
    return this.#index;
  }

  show(look: RowLook): void {
    const { element } = this;
    if (element === null) return;
    if (this.#known !== element) this.#begin(element);
    this.#look = look;
    this.#mark(element, look);
    this.row = look.row;
    for (let at = 0; at < look.columns.length; at += 1) this.#showCell(look, at);
  }

  /**
   * An action: the element of a column's cell in this row. Columns may change before or after their elements do, so a
   * cell is written when it is made as well.
   */
  readonly hold = (element: HTMLElement, columnId: string) => {
    this.#elements.set(columnId, element);
    this.#cells.delete(columnId);
    // A row that is made anew has nothing to show before it is placed.
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

  /** Nothing where the element of the cell is still to come. */
  #showCell({ columns, row, cursor }: RowLook, at: number): void {
    const column = columns[at]?.column;
    const element = column === undefined ? undefined : this.#elements.get(column.id);
    if (column === undefined) return;
    if (element === undefined) {
      // Its cell is still to come, but whoever shows the row has to hear of what its value depends on.
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

  /** The row was taken out, as the view became lower, and has new elements: nothing is written in them. */
  #begin(element: HTMLElement): void {
    this.#known = element;
    this.#index = -1;
    this.#top = Number.NaN;
    this.#isBusy = null;
    this.#isSelected = null;
    this.#hasBones = false;
  }

  /** Out of sight until it is shown again. */
  leave(): void {
    if (this.#index === -1) return;
    this.#index = -1;
    this.#isBusy = null;
    this.element?.removeAttribute('aria-rowindex');
    this.element?.removeAttribute('aria-busy');
  }

  /** Says the whole of a cell that its text shortens, which is only made once someone looks. */
  explain(element: Element): void {
    const column = this.#look?.columns.find(
      ({ column: { id } }) => this.#elements.get(id) === element,
    )?.column;
    const cell = column === undefined ? undefined : this.#cells.get(column.id);
    if (cell === undefined || column === undefined || this.row === undefined) return;
    cell.isExplained = true;
    setTitle(cell, cell.title ?? fullText(column, column.get(this.row)));
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

  /** Scrolling rests: a row that is not here yet draws where its texts will be. */
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
