/** Encodes cells of delimited text as the JSON of an event, byte by byte. */
import { CellBounds } from '../readers/cell-bounds.ts';
import { type CellSigns, cellText } from '../readers/cell-text.ts';
import type { CellSink, RowPlace } from '../readers/row-source.ts';
import { pointSignOf } from './column-evidence.ts';
import { copyNumber, copyText, WORD_BYTES, writeWords, ZERO } from './plain-bytes.ts';
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

export class CellEncoder extends RowEncoder implements CellSink {
  readonly #signs: CellSigns;
  #bounds = new CellBounds();

  constructor(options: EncoderOptions & { signs: CellSigns }) {
    super(options, options.validator.leavesOutNulls);
    this.#signs = options.signs;
  }

  take(bytes: Buffer, bounds: CellBounds, place: RowPlace): void {
    this.#bounds = bounds;
    this.encode(bytes, place);
  }

  protected override value(column: EncodedColumn, _index: number, bytes: Buffer): number {
    const cell = column.field.index;
    const start = this.#bounds.startOf(cell);
    const end = this.#bounds.endOf(cell);
    if (start === end && !this.isEdited) return this.copy(NULL, NONE);
    const marks = this.#bounds.marksOf(cell);
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
   * Writes texts, numbers and empty cells, in one loop without calls: it runs for every cell of the file. Numbers that
   * are compared with a range or are evidence of the column's reading are left to `value`.
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

  /** A number that is compared with a range or is evidence; false, with nothing written, if it is not a plain one. */
  #copyNumber(column: EncodedColumn, bytes: Buffer, start: number, end: number): boolean {
    if (!this.isPlainNumber(column, bytes, start, end)) return false;
    if (this.hasPoint && column.isWatched) this.#watch(column, bytes, start, end);
    this.copyBytes(bytes, start, end);
    if (column.isId) this.ownId = bytes.toString('latin1', start, end);
    return true;
  }

  /** Collects evidence until a value proves that the column's point is a decimal point. */
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
