/** Encodes cells of delimited text as the JSON of an event, byte by byte. */
import { CellBounds } from '../readers/cell-bounds.ts';
import { type CellSigns, cellText } from '../readers/cell-text.ts';
import type { CellSink, RowPlace } from '../readers/row-source.ts';
import { pointSignOf } from './column-evidence.ts';
import {
  BACKSLASH,
  type EncodedColumn,
  type EncoderOptions,
  LAST_PRINTED,
  NONE,
  NULL,
  QUOTE,
  RowEncoder,
  SPACE,
  VALUE,
  ZERO,
} from './row-encoder.ts';

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
      const isPlain = column.encoding !== 'none' && !this.mayBeNull(column, bytes, start, end);
      if (isPlain && this.#copyCell(column, bytes, start, end)) return VALUE;
      const known = this.known(column, bytes, start, end);
      if (known !== null) return known;
    }
    const text = cellText(this.decode(bytes, start, end), marks, this.#signs);
    return this.convert(column, text, true, marks === 0 ? { bytes, start, end } : null);
  }

  /** Returns false, with nothing written, if the cell cannot be copied unchanged. */
  #copyCell(column: EncodedColumn, bytes: Buffer, start: number, end: number): boolean {
    if (column.encoding === 'text') {
      if (!this.#copyText(bytes, start, end)) return false;
    } else if (column.hasRange || (column.isWatched && column.encoding === 'decimal')) {
      if (!this.isPlainNumber(column, bytes, start, end)) return false;
      if (this.hasPoint && column.isWatched) this.#watch(column, bytes, start, end);
      this.copyBytes(bytes, start, end);
    } else if (!this.copyDigits(column.encoding === 'whole', bytes, start, end)) return false;
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

  /** Copies printable ASCII that JSON does not escape, without surrounding blanks. */
  #copyText(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] === SPACE || bytes[end - 1] === SPACE) return false;
    const { events, at } = this;
    events.reserve(at, end - start + 2);
    const out = events.bytes;
    out[at] = QUOTE;
    const shift = at + 1 - start;
    for (let index = start; index < end; index += 1) {
      const byte = bytes[index] ?? 0;
      if (IS_PLAIN[byte] !== 1) return false;
      out[index + shift] = byte;
    }
    out[end + shift] = QUOTE;
    this.at = end + shift + 1;
    return true;
  }
}

/** 1 for printable ASCII that JSON does not escape. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte <= LAST_PRINTED && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
