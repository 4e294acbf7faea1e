/** Holds the events of one chunk of a file: their JSON in one buffer, their positions in lists of numbers. */
import type { BadRow } from '../../shared/upload-model.ts';
import { NumberList } from '../readers/number-list.ts';
import type { RowPlace } from '../readers/row-source.ts';
import { EventMemory } from './plain-memory.ts';

const COMMA = 0x2c;
const RECORD_NUMBERS = 4;

/** Has no object per event, because a file has millions of them. Refilled for each chunk. */
export class Events {
  /** JSON of the events, each followed by a comma. */
  bytes: Buffer = Buffer.allocUnsafeSlow(1_000_000);
  /** A view of the JSON buffer for writing eight bytes at once. */
  view = new DataView(this.bytes.buffer);
  /** End of the JSON of each event, without its comma. */
  readonly ends = new NumberList();
  readonly rows = new NumberList();
  readonly lines = new NumberList();
  readonly nextLines = new NumberList();
  readonly byteStarts = new NumberList();
  readonly byteEnds = new NumberList();
  readonly ownIds: (string | null)[] = [];
  #memory: EventMemory | null = null;
  /** Offset at which the JSON of the next event begins. */
  next = 0;
  readonly #lists = [this.ends, this.rows, this.lines, this.nextLines, this.byteStarts, this.byteEnds];
  /** Number of events with a repaired value. */
  repaired = 0;
  /** Number of events with a value that is sent unchanged although the model does not name it. */
  unusual = 0;
  /** Number of rows and values in all chunks that were converted one at a time. */
  slow = 0;
  /** Rows of the chunk that cannot be sent. */
  readonly bad: BadRow[] = [];

  get count(): number {
    return this.ends.length;
  }

  /** Offset at which the JSON of an event begins. */
  startOf(index: number): number {
    return index === 0 ? 0 : this.ends.at(index - 1) + 1;
  }

  placeOf(index: number): RowPlace {
    return {
      row: this.rows.at(index),
      line: this.lines.at(index),
      nextLine: this.nextLines.at(index),
      byteStart: this.byteStarts.at(index),
      byteEnd: this.byteEnds.at(index),
    };
  }

  sizeOf(index: number): number {
    return this.ends.at(index) - this.startOf(index);
  }

  /** JSON of the events from `from` to before `to`, separated by commas. Valid until the next chunk. */
  jsonOf(from: number, to: number): Buffer {
    return this.bytes.subarray(this.startOf(from), this.ends.at(to - 1));
  }

  /** Ensures space for this many bytes at a position. */
  reserve(at: number, size: number): void {
    if (at + size <= this.bytes.length) return;
    if (this.#memory !== null) {
      this.#memory.grow(at + size);
      this.#useMemory(this.#memory);
      return;
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, at + size));
    this.bytes.copy(larger, 0, 0, at);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  /** Moves the JSON into memory that compiled code can write to. Null if the system has none. */
  intoMemory(): EventMemory | null {
    if (this.#memory !== null) return this.#memory;
    const memory = EventMemory.create();
    if (memory === null) return null;
    if (this.next > memory.bytes().length) memory.grow(this.next);
    this.bytes.copy(memory.bytes(), 0, 0, this.next);
    this.#memory = memory;
    this.#useMemory(memory);
    return memory;
  }

  #useMemory(memory: EventMemory): void {
    this.bytes = memory.bytes();
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset);
  }

  /**
   * Adds events that compiled code wrote after the existing ones. Each has four numbers: start and end of the row,
   * number of rows before it, and end of the JSON. Rows count from `place`, offsets from `base`. The caller adds the
   * ids.
   */
  addRun(records: Int32Array, place: Readonly<RowPlace>, base: { row: number; json: number }): void {
    const count = records.length / RECORD_NUMBERS;
    for (const list of this.#lists) list.expand(count);
    const offset = place.byteStart - base.row;
    for (let at = 0; at < records.length; at += RECORD_NUMBERS) {
      const before = records[at + 2] ?? 0;
      const line = place.line + before;
      this.ends.push((records[at + 3] ?? 0) - base.json);
      this.rows.push(place.row + before);
      this.lines.push(line);
      this.nextLines.push(line + 1);
      this.byteStarts.push((records[at] ?? 0) + offset);
      this.byteEnds.push((records[at + 1] ?? 0) + offset);
    }
    if (count > 0) this.next = this.ends.at(this.ends.length - 1) + 1;
  }

  /** Adds an event whose JSON was written up to `end`; the byte there is reserved for a comma. */
  add(place: RowPlace, end: number, ownId: string | null): void {
    this.reserve(end, 1);
    this.bytes[end] = COMMA;
    this.next = end + 1;
    this.ends.push(end);
    this.rows.push(place.row);
    this.lines.push(place.line);
    this.nextLines.push(place.nextLine);
    this.byteStarts.push(place.byteStart);
    this.byteEnds.push(place.byteEnd);
    this.ownIds.push(ownId);
  }

  /** Counts the event that was added last. */
  countAs(isRepaired: boolean, isUnusual: boolean): void {
    if (isRepaired) this.repaired += 1;
    if (isUnusual) this.unusual += 1;
  }

  addText(place: RowPlace, json: string, ownId: string | null): void {
    this.add(place, this.next + this.writeText(json, this.next), ownId);
  }

  /** Writes a text at a position. Returns its length in bytes. */
  writeText(json: string, at: number): number {
    this.reserve(at, json.length * 3);
    return this.bytes.write(json, at, 'utf8');
  }

  /**
   * A record from which `load` restores the same events, without the bad rows. Its first part is their JSON. Valid
   * until the next chunk.
   */
  record(): Uint8Array[] {
    const ids = this.ownIds.every((id) => id === null) ? '' : JSON.stringify(this.ownIds);
    const json = this.bytes.subarray(0, this.next);
    return [json, ...this.#lists.map((list) => list.bytes()), Buffer.from(ids)];
  }

  /** Restores events. The JSON must already be in `bytes`; `record` is the rest of the record. */
  load(record: Buffer, count: number): void {
    let at = 0;
    for (const list of this.#lists) {
      const end = at + count * Float64Array.BYTES_PER_ELEMENT;
      list.load(record.subarray(at, end));
      at = end;
    }
    this.next = this.startOf(count);
    const ids = record.toString('utf8', at);
    if (ids === '') for (let index = 0; index < count; index += 1) this.ownIds.push(null);
    else for (const id of JSON.parse(ids) as (string | null)[]) this.ownIds.push(id);
  }

  clear(): void {
    for (const list of this.#lists) list.clear();
    this.next = 0;
    this.ownIds.length = 0;
    this.bad.length = 0;
    this.repaired = 0;
    this.unusual = 0;
  }
}
