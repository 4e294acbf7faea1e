/**
 * Builds the lines of a receipts file from stored receipts, byte by byte: a file has millions of ids, and nearly all of
 * them are written as they are stored. Pure.
 */

/** Runs of consecutive rows: first row, first line, number of rows. */
type Places = readonly (readonly [number, number, number])[];

const [QUOTE, COMMA, LF, ZERO] = [0x22, 0x2c, 0x0a, 0x30];
/** The JSON before and after the ids of a stored receipt, if every id belongs to a row. */
const START = Buffer.from('{"eventIds":["');
const END = Buffer.from('"],"looseIds":[]}');
/** Characters that an id may begin with, and those that may follow. A cell of only these needs no quotes. */
const BEGINS_ID = tableOf(/[0-9A-Za-z]/);
const IS_OF_ID = tableOf(/[0-9A-Za-z._:-]/);
const MAX_INT = 0x7fff_ffff;
const MAX_DIGITS = 16;
const SIGNS = 4;
const PIECE_BYTES = 256 * 1024;

function tableOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Collects lines in a few large buffers. */
export class ReceiptBytes {
  #out = Buffer.allocUnsafe(0);
  #length = 0;

  /**
   * Adds the lines `row,line,batch,id` of a batch (0-based). Returns false, with nothing added, if an id needs quotes
   * or if the numbers of ids and rows differ; the caller then writes each line itself.
   */
  add(json: Uint8Array, { places, batch }: { places: Places; batch: number }): boolean {
    const idsEnd = json.length - END.length;
    if (!isAt(json, 0, START) || !isAt(json, idsEnd, END)) return false;
    const batchText = Buffer.from(`,${batch + 1},`);
    const rows = places.reduce((sum, [, , count]) => sum + count, 0);
    this.#reserve(rows * (MAX_DIGITS * 2 + batchText.length + SIGNS) + json.length);
    const out = this.#out;
    let at = this.#length;
    let from = START.length;
    for (const [firstRow, firstLine, count] of places) {
      for (let index = 0; index < count; index += 1) {
        if (BEGINS_ID[json[from] ?? 0] !== 1) return false;
        at = writeNumber(firstRow + index, out, at);
        out[at] = COMMA;
        at = writeNumber(firstLine + index, out, at + 1);
        for (let each = 0; each < batchText.length; each += 1) out[at + each] = batchText[each] ?? 0;
        at += batchText.length;
        for (; from < idsEnd; from += 1) {
          const byte = json[from] ?? 0;
          if (IS_OF_ID[byte] !== 1) break;
          out[at] = byte;
          at += 1;
        }
        out[at] = LF;
        at += 1;
        if (from === idsEnd) continue;
        if (json[from] !== QUOTE || json[from + 1] !== COMMA || json[from + 2] !== QUOTE) return false;
        from += 3;
      }
    }
    // The receipt has more ids than rows.
    if (from !== idsEnd) return false;
    this.#length = at;
    return true;
  }

  get isFull(): boolean {
    return this.#length >= PIECE_BYTES;
  }

  /** The lines since the last call. */
  take(): Buffer {
    const taken = this.#out.subarray(0, this.#length);
    this.#out = Buffer.allocUnsafe(0);
    this.#length = 0;
    return taken;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(this.#length + Math.max(size, PIECE_BYTES + PIECE_BYTES / 2));
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }
}

function isAt(bytes: Uint8Array, at: number, wanted: Buffer): boolean {
  return at >= 0 && wanted.equals(bytes.subarray(at, at + wanted.length));
}

/** Returns the position after the last digit. `value`: a non-negative integer. */
function writeNumber(value: number, out: Buffer, at: number): number {
  if (value > MAX_INT) return at + out.write(String(value), at, 'latin1');
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits += 1;
  let rest = value | 0;
  for (let place = at + digits - 1; place >= at; place -= 1) {
    const tenth = (rest / 10) | 0;
    out[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
}
