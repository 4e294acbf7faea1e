/** Encodes cells of delimited text as the JSON of an event, byte by byte. */
import { CellBounds } from '../readers/cell-bounds.ts';
import { type CellSigns, cellText } from '../readers/cell-text.ts';
import type { CellSink, RowPlace, RowRuns, RunReading } from '../readers/row-source.ts';
import { pointSignOf } from './column-evidence.ts';
import { count } from './file-keys.ts';
import { copyNumber, copyText, WORD_BYTES, writeWords, ZERO } from './plain-bytes.ts';
import { KIND, type PlainColumn, type PlainHost, PlainRows } from './plain-rows.ts';
import {
  type EncodedColumn,
  type EncoderOptions,
  MAX_DIGITS,
  NONE,
  NULL,
  RowEncoder,
  VALUE,
} from './row-encoder.ts';

const NULL_WORD = NULL.readUInt32LE();

export class CellEncoder extends RowEncoder implements CellSink, RowRuns, PlainHost {
  readonly #signs: CellSigns;
  #bounds = new CellBounds();
  #plain: PlainRows | null = null;
  /** The bytes of the current run, its first offset, and the position of its first row. */
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  readonly #first: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };
  /** Row of the run for which `beginRow` was called last; -1 if there was none. */
  #begun = -1;
  readonly #taken = { end: 0, rows: 0 };

  constructor(options: EncoderOptions & { signs: CellSigns }) {
    super(options, options.validator.leavesOutNulls);
    this.#signs = options.signs;
  }

  take(bytes: Buffer, bounds: CellBounds, place: RowPlace): void {
    this.#bounds = bounds;
    this.events.slow += 1;
    this.encode(bytes, place);
  }

  /** Null if a row may have edited cells, if no row can be sent, or if the system cannot run the code. */
  runs(reading: RunReading): RowRuns | null {
    const { validator, events } = this;
    const memory = validator.editedRows === null && validator.canSend ? events.intoMemory() : null;
    if (memory === null) return null;
    const columns = this.columns.map((column) => ({
      ...column,
      cell: column.field.index,
      key: column.field.key,
      kind: kindOf(column),
    }));
    const options = {
      ...{ ...reading, columns, head: this.head, hasKeys: validator.constants.length > 0 },
      ...{ leavesOutNulls: this.leavesOutNulls, judgesAll: !validator.isComplete(null, false, 1) },
      unsent: this.unsent.map(({ index }) => index),
    };
    this.#plain = PlainRows.create(memory, options, this);
    return this.#plain === null ? null : this;
  }

  load(bytes: Buffer): boolean {
    this.#bytes = bytes;
    return this.#plain?.load(bytes) === true;
  }

  takeRun(from: number, place: Readonly<RowPlace>): { end: number; rows: number } {
    const { events } = this;
    const taken = this.#taken;
    taken.end = from;
    taken.rows = 0;
    const plain = this.#plain;
    if (plain === null) return taken;
    // Updates the kinds of columns, because other rows may have shown how their numbers are written.
    for (let index = 0; index < this.columns.length; index += 1) {
      const column = this.columns[index];
      if (column?.encoding === 'decimal') plain.setKind(index, kindOf(column));
    }
    this.#from = from;
    Object.assign(this.#first, place);
    this.#begun = -1;
    taken.end = plain.take(from, events.next);
    taken.rows = plain.rows;
    events.addRun(plain.records(), place, plain.baseOf(from));
    while (events.ownIds.length < events.count) events.ownIds.push(null);
    plain.eachUnsent((index, values, row) => {
      const each = this.unsent[index];
      if (each === undefined) return;
      count(each, place.line + row);
      each.count += values - 1;
    });
    return taken;
  }

  cell(index: number, start: number, end: number, at: number): number {
    const column = this.columns[index];
    const plain = this.#plain;
    if (column === undefined || plain === null) return -1;
    this.events.slow += 1;
    if (this.#begun !== plain.rows) this.#beginRowOfRun(plain);
    this.at = at;
    const isText = column.encoding === 'text' && kindOf(column) === KIND.other;
    const isCopied = isText && this.#copyText(column, this.#bytes, start, end);
    const found = isCopied ? VALUE : this.#cell(column, this.#bytes, start, end, 0);
    // The first numbers of a column may have shown how they are written.
    if (column.encoding === 'decimal') plain.setKind(index, kindOf(column));
    if (found < NONE || (found === NONE && this.leavesOutNulls)) return -1;
    if (found === VALUE && column.field.isTime) this.hasTime = true;
    return this.at;
  }

  end(values: number): boolean {
    const plain = this.#plain;
    if (plain === null) return false;
    if (this.#begun !== plain.rows) this.#beginRowOfRun(plain);
    if (!this.isEvent(this.#placeOf(plain), values)) return false;
    if (this.ownId === null) return true;
    const { ownIds, count: before } = this.events;
    while (ownIds.length < before + plain.events) ownIds.push(null);
    ownIds.push(this.ownId);
    return true;
  }

  room(at: number, bytes: number): void {
    this.events.reserve(at, bytes);
  }

  #beginRowOfRun(plain: PlainRows): void {
    this.#begun = plain.rows;
    this.beginRow(this.#placeOf(plain));
  }

  #placeOf({ rows, rowStart, rowEnd }: PlainRows): RowPlace {
    const { row, line, byteStart } = this.#first;
    const from = byteStart - this.#from;
    return {
      row: row + rows,
      line: line + rows,
      nextLine: line + rows + 1,
      byteStart: from + rowStart,
      byteEnd: from + rowEnd,
    };
  }

  protected override value(column: EncodedColumn, _index: number, bytes: Buffer): number {
    const cell = column.field.index;
    const start = this.#bounds.startOf(cell);
    const end = this.#bounds.endOf(cell);
    if (start === end && !this.isEdited) return this.copy(NULL, NONE);
    return this.#cell(column, bytes, start, end, this.#bounds.marksOf(cell));
  }

  #cell(column: EncodedColumn, bytes: Buffer, start: number, end: number, marks: number): number {
    if (marks === 0 && !this.isEdited) {
      const isNumber = column.encoding === 'whole' || column.encoding === 'decimal';
      if (isNumber && this.#copyNumber(column, bytes, start, end)) return VALUE;
      const known = this.known(column, bytes, start, end);
      if (known !== null) return known;
    }
    const text = cellText(this.decode(bytes, start, end), marks, this.#signs);
    return this.convert(column, text, true, marks === 0 ? { bytes, start, end } : null);
  }

  /**
   * Writes texts, numbers and empty cells in one loop without calls, because it runs for every cell of the file. Leaves
   * a number to `value` if it must be compared with a range or shows how the column is written.
   */
  protected override plainValues(from: number, bytes: Buffer): number {
    const { events, columns, leavesOutNulls } = this;
    const { items } = this.#bounds;
    let { bytes: out, view } = events;
    let { at, hasKeys, values } = this;
    let index = from;
    for (; index < columns.length; index += 1) {
      const column = columns[index];
      if (column === undefined) break;
      const { encoding } = column;
      const cell = column.field.index * 3;
      const start = items[cell] ?? 0;
      const end = items[cell + 1] ?? 0;
      const isEmpty = start === end;
      if (isEmpty && leavesOutNulls) continue;
      const key = hasKeys ? column.further : column.first;
      const room = key.length + end - start + WORD_BYTES;
      if (at + room > out.length) {
        events.reserve(at, room);
        ({ bytes: out, view } = events);
      }
      let next = writeWords(key, view, at);
      if (isEmpty) {
        view.setUint32(next, NULL_WORD, true);
        next += NULL.length;
      } else if (items[cell + 2] !== 0 || encoding === 'none') break;
      else if (encoding === 'text') {
        if (this.mayBeNull(column, bytes, start, end)) break;
        next = copyText(bytes, start, end, out, next);
      } else {
        const isWhole = encoding === 'whole';
        if (column.hasRange || (column.isWatched && !isWhole) || end - start > MAX_DIGITS) break;
        next = copyNumber(isWhole, bytes, start, end, out, next);
      }
      if (next < 0) break;
      at = next;
      hasKeys = true;
      values += 1;
      if (isEmpty) continue;
      if (column.isId) this.ownId = bytes.toString('latin1', start, end);
      if (column.field.isTime) this.hasTime = true;
    }
    this.at = at;
    this.hasKeys = hasKeys;
    this.values = values;
    return index;
  }

  /**
   * Writes a number that must be compared with a range or shows how the column is written. Returns false, with nothing
   * written, if it is not a plain number.
   */
  #copyNumber(column: EncodedColumn, bytes: Buffer, start: number, end: number): boolean {
    if (!this.isPlainNumber(column, bytes, start, end)) return false;
    if (this.hasPoint && column.isWatched) this.#watch(column, bytes, start, end);
    this.copyBytes(bytes, start, end);
    if (column.isId) this.ownId = bytes.toString('latin1', start, end);
    return true;
  }

  /** Writes a plain text. Returns false if the text is not plain. */
  #copyText(column: EncodedColumn, bytes: Buffer, start: number, end: number): boolean {
    if (this.mayBeNull(column, bytes, start, end)) return false;
    this.events.reserve(this.at, end - start + WORD_BYTES);
    const next = copyText(bytes, start, end, this.events.bytes, this.at);
    if (next < 0) return false;
    this.at = next;
    if (column.isId) this.ownId = bytes.toString('latin1', start, end);
    return true;
  }

  /** Collects evidence until a value proves that the point in this column is a decimal point. */
  #watch(column: EncodedColumn, bytes: Buffer, start: number, end: number): void {
    const { evidence } = column.field;
    const isZeroFirst = bytes[end - this.decimals - this.wholeDigits - 1] === ZERO;
    const sign = pointSignOf(this.wholeDigits, this.decimals, isZeroFirst);
    evidence.add(sign, this.line, () => this.decode(bytes, start, end));
    column.isWatched = !evidence.isPointSure;
  }

  protected override isGiven({ index }: { index: number }): boolean {
    return !this.#bounds.isEmpty(index);
  }
}

/** The kind of a column in the compiled code. Ids and times are `other`, because the encoder must see them. */
function kindOf({ encoding, field, isId, isWatched }: EncodedColumn): PlainColumn['kind'] {
  if (encoding === 'none' || isId || field.isTime) return KIND.other;
  return encoding === 'decimal' && isWatched ? KIND.pointless : KIND[encoding];
}
