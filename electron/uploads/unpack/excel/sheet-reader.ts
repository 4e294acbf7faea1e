/** Reads the cells of one sheet as texts, row by row, and counts changes. Pure. */
import { cutText } from '../../../shared/cut-text.ts';
import type { ValueRule } from '../../../shared/value-ledger.ts';
import { CopyCounts } from '../copy-counts.ts';
import type { NumberFormat } from './number-format.ts';
import { serialText } from './serial-text.ts';
import { CellText, type Workbook, withoutEscapes } from './workbook.ts';
import { attribute, type XmlHandler, XmlProblem } from './xml-reader.ts';

/** A row with at least one cell that has a value. */
export interface SheetRow {
  /** 1-based, as Excel shows it. */
  number: number;
  /** By 0-based column; an empty text means no value. */
  cells: string[];
}

/** How often something occurred, and where first, e.g. `B7`. */
export interface Occurrence {
  count: number;
  first: string;
}

/** First and last cell of the area, numbered as by `placeOf`. */
export interface Area {
  from: { row: number; column: number };
  to: { row: number; column: number };
}

const MAX_HEADER_ROW = 100;
/** Maximum number of different words that a note names. */
const MAX_WORDS = 5;
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i;
/** Matches the attributes in the order in which nearly every file has them. */
const USUAL_CELL = /^ r="([A-Z]{1,3}\d{1,7})"(?: s="(\d{1,6})")?(?: t="(\w{1,10})")?$/;
const CELL_ATTRIBUTE = /(?:^|\s)([rst])\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export class SheetReader implements XmlHandler {
  readonly #workbook: Workbook;
  #rows: SheetRow[] = [];
  #rowNumber = 0;
  #cells: string[] = [];
  /** True if a cell of the row has a value, or would have one: an error or a formula that was not computed. */
  #isFilled = false;
  #isRowHidden = false;
  #column = -1;
  #cell: { type: string; style: string; hasFormula: boolean; hasValue: boolean } | null = null;
  #value = '';
  #isInValue = false;
  readonly #inline = new CellText();
  #isInline = false;
  /** Columns with a value in any row, and the last row that has a value. */
  readonly filledColumns = new Set<number>();
  lastRow = 0;
  /** Merged areas within the filled rows and columns. `cells`: cells in them without a value of their own. */
  readonly merged: Occurrence & { cells: number } = { count: 0, first: '', cells: 0 };
  /** The merged areas near the top, where a header may be. */
  readonly mergedAbove: Area[] = [];
  readonly #hiddenColumns: { from: number; to: number }[] = [];
  hiddenRows = 0;
  readonly errors: Occurrence & { words: Set<string> } = { count: 0, first: '', words: new Set() };
  /** Formulas whose result is missing in the file. */
  readonly uncomputed: Occurrence = { count: 0, first: '' };
  /** Formulas with their result in the file. */
  readonly computed: Occurrence = { count: 0, first: '' };
  /** Dates that Excel shows although no calendar has them. */
  readonly noDays: Occurrence = { count: 0, first: '' };
  /** Numbers that Excel shows as percentages. */
  readonly percentages: Occurrence = { count: 0, first: '' };
  /** Numbers that Excel shows with a word or a currency. */
  readonly worded: Occurrence & { words: Set<string> } = { count: 0, first: '', words: new Set() };
  /** Numbers with a date format that are not valid dates. */
  readonly undated: Occurrence = { count: 0, first: '' };
  /** Negative numbers and decimals with a format for codes. */
  readonly uncoded: Occurrence = { count: 0, first: '' };

  /** By column and row of the sheet. */
  readonly changes = new CopyCounts();

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  /** Returns the rows completed since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: string): void {
    if (this.#cell !== null) this.#openInCell(name);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'row') this.#openRow(attributes);
    else if (name === 'mergeCell') this.#noteMerged(attribute(attributes, 'ref') ?? '');
    else if (name === 'col' && isTrue(attribute(attributes, 'hidden')))
      this.#hiddenColumns.push({
        from: Number(attribute(attributes, 'min')) - 1,
        to: Number(attribute(attributes, 'max')) - 1,
      });
  }

  /** Number of columns with values that are hidden. */
  get hiddenColumns(): number {
    const isHidden = (column: number): boolean =>
      this.#hiddenColumns.some(({ from, to }) => column >= from && column <= to);
    return [...this.filledColumns].filter(isHidden).length;
  }

  close(name: string): void {
    if (this.#cell !== null) this.#closeInCell(name);
    else if (name === 'row') this.#closeRow();
  }

  text(text: string): void {
    if (this.#isInValue) this.#value += text;
    else if (this.#isInline) this.#inline.add(text);
  }

  #openRow(attributes: string): void {
    const given = attribute(attributes, 'r');
    const number = given === null ? this.#rowNumber + 1 : Number(given);
    if (!(Number.isInteger(number) && number > this.#rowNumber && number <= MAX_ROWS))
      throw new XmlProblem(`has row ${String(given).slice(0, 20)} after row ${this.#rowNumber}`);
    this.#rowNumber = number;
    this.#isRowHidden = isTrue(attribute(attributes, 'hidden'));
    this.#cells = [];
    this.#isFilled = false;
    this.#column = -1;
  }

  #closeRow(): void {
    if (!this.#isFilled) return;
    if (this.#isRowHidden) this.hiddenRows += 1;
    this.lastRow = this.#rowNumber;
    this.#rows.push({ number: this.#rowNumber, cells: this.#cells });
  }

  #openCell(attributes: string): void {
    const usual = USUAL_CELL.exec(attributes);
    let [type, style, reference] = [usual?.[3] ?? 'n', usual?.[2] ?? '', usual?.[1] ?? ''];
    for (const [, name, double, single] of usual === null ? attributes.matchAll(CELL_ATTRIBUTE) : []) {
      const value = double ?? single ?? '';
      if (name === 't') type = value;
      else if (name === 's') style = value;
      else reference = value;
    }
    this.#column = reference === '' ? this.#column + 1 : this.#columnOf(reference);
    if (this.#column >= MAX_COLUMNS) throw new XmlProblem(`has more than ${MAX_COLUMNS} columns`);
    this.#cell = { type, style, hasFormula: false, hasValue: false };
    this.#value = '';
    this.#inline.begin();
  }

  #columnOf(reference: string): number {
    const place = placeOf(reference);
    if (place === null || place.row !== this.#rowNumber || place.column <= this.#column)
      throw new XmlProblem(
        `has the cell “${cutText(reference, 20)}” in the wrong place of row ${this.#rowNumber}`,
      );
    return place.column;
  }

  #openInCell(name: string): void {
    if (this.#isInline) this.#inline.open(name);
    else if (name === 'v') this.#isInValue = true;
    else if (name === 'is') this.#isInline = true;
    if (this.#cell === null) return;
    if (name === 'f') this.#cell.hasFormula = true;
    if (name === 'v') this.#cell.hasValue = true;
  }

  #closeInCell(name: string): void {
    if (name === 'is') this.#isInline = false;
    else if (this.#isInline) this.#inline.close(name);
    else if (name === 'v') this.#isInValue = false;
    else if (name === 'c') this.#closeCell();
  }

  #closeCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null) return;
    // An empty text counts as a result, but an empty number does not.
    const hasResult = this.#value !== '' || (cell.hasValue && cell.type === 'str');
    if (cell.hasFormula && hasResult) this.#count(this.computed);
    else if (cell.hasFormula) this.#note(this.uncomputed, 'formula-unread', 'formula');
    const text = this.#textOf(cell.type, cell.style);
    if (text === '') return;
    this.#isFilled = true;
    this.filledColumns.add(this.#column);
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells[this.#column] = text;
  }

  /** A cell without a value is left empty and counted. */
  #note(occurrence: Occurrence, rule?: ValueRule, before = ''): void {
    if (rule !== undefined) this.#change(rule, before, null);
    this.#isFilled = true;
    this.#count(occurrence);
  }

  #count(occurrence: Occurrence): void {
    occurrence.count += 1;
    if (occurrence.count === 1) occurrence.first = this.#place();
  }

  #change(rule: ValueRule, before: string, after: string | null): void {
    const change = this.changes.add(rule, this.#column);
    if (change !== null) this.changes.example(change, this.#rowNumber, before, after);
  }

  #place(): string {
    return `${columnName(this.#column)}${this.#rowNumber}`;
  }

  #textOf(type: string, style: string): string {
    const value = this.#value;
    switch (type) {
      case 's':
        return this.#shared(value.trim());
      case 'str':
        return withoutEscapes(value);
      case 'inlineStr':
        return this.#inline.end() || withoutEscapes(value);
      case 'b':
        return this.#boolean(value.trim());
      case 'e':
        this.errors.words.add(cutText(value.trim(), 20));
        this.#note(this.errors, 'cell-error', value.trim());
        return '';
      case 'd':
        return value.trim().replace(/T00:00:00(\.0+)?$/, '');
      case 'n':
        return this.#number(value.trim(), style);
      default:
        throw new XmlProblem(`has the unknown type “${cutText(type, 20)}” in cell ${this.#place()}`);
    }
  }

  #shared(index: string): string {
    if (index === '') return '';
    const text = /^\d+$/.test(index) ? this.#workbook.texts.at(Number(index)) : undefined;
    return text ?? this.#refuse(index, 'the number of a shared text');
  }

  #boolean(value: string): string {
    if (value === '1' || value === 'true') return 'true';
    if (value === '0' || value === 'false') return 'false';
    return value === '' ? '' : this.#refuse(value, '1 or 0');
  }

  #number(digits: string, style: string): string {
    if (digits === '') return '';
    const value = Number(digits);
    if (!Number.isFinite(value)) return this.#refuse(digits, 'a number');
    const format: NumberFormat | undefined = this.#workbook.formats[Number(style || '0')];
    const kind = format?.(value) ?? 'number';
    if (kind === 'number') {
      if (format?.isPercent === true) this.#note(this.percentages);
      return this.#masked(this.#plainNumber(digits, value), format);
    }
    const shown = serialText(value, kind, this.#workbook.is1904);
    if (shown === null) {
      this.#note(this.undated);
      return this.#plainNumber(digits, value);
    }
    if (shown.isNoDay === true) this.#note(this.noDays);
    const rule = kind === 'duration' ? 'duration' : /^\d\d:/.test(shown.text) ? 'time-of-day' : 'sheet-date';
    this.#change(rule, digits, shown.text);
    return shown.text;
  }

  /**
   * Returns a number as Excel shows it. Zeros and text that its format adds, as in postal codes, belong to the value.
   */
  #masked(digits: string, format: NumberFormat | undefined): string {
    const isWhole = /^\d+$/.test(digits);
    const shown = isWhole ? (format?.masked?.(digits) ?? null) : null;
    if (shown === null) {
      if (!isWhole && format?.isOfCodes === true) this.#note(this.uncoded);
      const words = format?.words ?? '';
      if (words !== '') {
        this.#note(this.worded);
        if (this.worded.words.size < MAX_WORDS) this.worded.words.add(words);
      }
      return digits;
    }
    if (shown.text !== digits) this.#change(shown.hasText ? 'sheet-text' : 'sheet-zeros', digits, shown.text);
    return shown.text;
  }

  #plainNumber(digits: string, value: number): string {
    const text = numberText(digits, value);
    if (text !== digits) this.#change('sheet-digits', digits, text);
    return text;
  }

  #refuse(value: string, expected: string): never {
    throw new XmlProblem(
      `has “${cutText(value, 40)}” in cell ${this.#place()} where ${expected} was expected`,
    );
  }

  /** Merged areas come after the rows in the file, so the extent of the rows is known here. */
  #noteMerged(ref: string): void {
    const [from = null, to = null] = ref.split(':').map(placeOf);
    if (from === null || to === null) return;
    if (from.row <= MAX_HEADER_ROW && this.mergedAbove.length < MAX_COLUMNS)
      this.mergedAbove.push({ from, to });
    const rows = Math.min(to.row, this.lastRow) - from.row + 1;
    const columns = Math.min(to.column, Math.max(...this.filledColumns, 0)) - from.column + 1;
    if (rows < 1 || columns < 1 || rows * columns === 1) return;
    if (this.merged.count === 0) this.merged.first = ref;
    this.merged.count += 1;
    this.merged.cells += rows * columns - 1;
  }
}

/** Whole numbers keep the digits of the file; others get the shortest form of Excel's double. */
const numberText = (digits: string, value: number): string =>
  /^-?\d+$/.test(digits) ? digits : String(value);

const isTrue = (value: string | null): boolean => value === '1' || value === 'true';

/** Row and 0-based column of e.g. `B7`. */
function placeOf(reference: string): { row: number; column: number } | null {
  const [, letters, digits] = REFERENCE.exec(reference) ?? [];
  if (letters === undefined || digits === undefined) return null;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(digits), column: column - 1 };
}

/** E.g. `AB` for 27. */
export function columnName(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest === 0 ? '' : columnName(rest - 1)}${String.fromCharCode(65 + (column % 26))}`;
}
