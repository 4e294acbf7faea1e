/**
 * Converts plain rows of delimited text to events with compiled code (plain-rows.wat). A plain row is on one line and
 * has the right number of cells, each without quotes or with quotes only around it. Values that cannot be copied
 * unchanged are left to `cell`.
 */
import type { RunReading } from '../readers/row-source.ts';
import {
  type EventMemory,
  INPUT_MARGIN,
  MAX_EVENTS,
  MAX_INPUT,
  OUTPUT,
  PLACES,
  SIZES,
} from './plain-memory.ts';
import { CODE } from './plain-rows-code.ts';

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: { host: Record<string, unknown> });
    readonly exports: Record<string, unknown>;
  }
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

/** Kinds of columns in the compiled code. */
export const KIND = { text: 0, whole: 1, decimal: 2, other: 3, pointless: 4 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

export interface PlainColumn {
  kind: Kind;
  /** Index of the column's cell in a row. */
  cell: number;
  /** JSON of the column's name with a colon. */
  key: string;
  hasRange: boolean;
  min: number;
  max: number;
  longestNull: number;
  /** 1 for the first bytes of null words. */
  nullStarts: Uint8Array;
}

interface PlainOptions extends RunReading {
  columns: readonly PlainColumn[];
  /** Indexes of cells that are not sent. The code counts how many have a value. */
  unsent: readonly number[];
  /** The bytes that every event begins with, and whether they contain a key. */
  head: Uint8Array;
  hasKeys: boolean;
  leavesOutNulls: boolean;
  /**
   * True if `end` is called for every row; otherwise only for rows with a value that was left to `cell`, or without
   * values.
   */
  judgesAll: boolean;
}

/**
 * Handles everything that the compiled code cannot. Cells are given as offsets in the input, JSON as offsets in the
 * events.
 */
export interface PlainHost {
  /** Writes the JSON of a value. Returns its end, or -1 if the event has no such value. */
  cell(index: number, start: number, end: number, at: number): number;
  /** Returns whether the current row is an event. */
  end(values: number): boolean;
  /** Makes room for this many bytes after a position. */
  room(at: number, bytes: number): void;
}

const LF = 0x0a;
/** Offsets in the memory, the same as in plain-rows.wat. */
const CONFIG = {
  ...{ delimiter: 0, quote: 4, cells: 8, columnsEnd: 12, unsentEnd: 16, head: 20, headLength: 24 },
  ...{ hasKeys: 28, leavesOutNulls: 32, judgesAll: 36, headerLength: 40, maxRowBytes: 44 },
  ...{ headerStart: 48, headerMask: 56, room: 64, blanks: 68 },
} as const;
const STATE = { rowStart: 72, rowEnd: 76, rows: 80, events: 84, end: 88 } as const;
const COLUMN = {
  ...{ kind: 0, cell: 4, key: 8, keyLength: 12, hasRange: 16, longestNull: 20, nullStarts: 24 },
  ...{ min: 32, max: 40 },
} as const;
const UNSENT = { count: 4, row: 8 } as const;
const RECORD_NUMBERS = SIZES.event / Int32Array.BYTES_PER_ELEMENT;
const HEADER_BYTES = 8;
const POWERS = 16;
/** Length of a table with an entry for each byte value. */
const BYTE_TABLE = 256;
/** Gap between texts, because the code copies 16 bytes at once. */
const TEXT_MARGIN = 16;
/** Room after an event, because the code writes 32 bytes at once and may exceed its end. */
const ROOM = 256;
const NULL_BYTES = 4;
const QUOTES = 2;

let module: WebAssembly.Module | null | undefined;

/** Null if this system cannot run the code. */
function compiled(): WebAssembly.Module | null {
  if (module === undefined) {
    const code = Uint8Array.from(Buffer.from(CODE, 'base64'));
    module = WebAssembly.validate(code) ? new WebAssembly.Module(code) : null;
  }
  return module;
}

/**
 * Arguments: start and end of the input, position of the JSON, and maximum number of events. Returns the end of the
 * JSON.
 */
type Run = (at: number, to: number, out: number, most: number) => number;

export class PlainRows {
  readonly #memory: EventMemory;
  readonly #options: PlainOptions;
  readonly #run: Run;
  /** Length of the input in bytes. */
  #length = 0;

  private constructor(memory: EventMemory, code: WebAssembly.Module, options: PlainOptions, host: PlainHost) {
    this.#memory = memory;
    this.#options = options;
    const instance = new WebAssembly.Instance(code, {
      host: {
        memory: memory.memory,
        cell: (index: number, start: number, end: number, at: number) => {
          const written = host.cell(index, start - PLACES.input, end - PLACES.input, at - OUTPUT);
          return written < 0 ? 0 : written + OUTPUT;
        },
        end: (_at: number, values: number) => (host.end(values) ? 1 : 0),
        room: (at: number, bytes: number) => host.room(at - OUTPUT, bytes),
      },
    });
    this.#run = instance.exports['run'] as Run;
  }

  /** Null if the system cannot run the code, or if its tables have no room for the columns. */
  static create(memory: EventMemory, options: PlainOptions, host: PlainHost): PlainRows | null {
    const { columns, unsent, cells, head } = options;
    const texts = columns.reduce(
      (sum, { key }) => sum + Buffer.byteLength(key) + BYTE_TABLE + TEXT_MARGIN,
      head.length + BYTE_TABLE + 2 * TEXT_MARGIN,
    );
    const hasRoom =
      PLACES.columns + columns.length * SIZES.column <= PLACES.unsent &&
      PLACES.unsent + unsent.length * SIZES.unsent <= PLACES.cells &&
      PLACES.cells + cells * SIZES.cell <= PLACES.texts &&
      PLACES.texts + texts <= PLACES.events;
    const code = hasRoom ? compiled() : null;
    return code === null ? null : new PlainRows(memory, code, options, host);
  }

  /** Loads bytes whose rows `take` then converts. Returns false if there are too many. */
  load(bytes: Buffer): boolean {
    if (bytes.length > MAX_INPUT) return false;
    this.#length = bytes.length;
    if (this.#memory.owner !== this) this.#write();
    this.#memory.owner = this;
    const { buffer } = this.#memory.view();
    const input = new Uint8Array(buffer, PLACES.input, bytes.length + INPUT_MARGIN);
    input.set(bytes);
    input.fill(0, bytes.length);
    return true;
  }

  /** Changes the kind of a column. */
  setKind(index: number, kind: Kind): void {
    if (this.#memory.owner === this)
      this.#memory.view().setInt32(PLACES.columns + index * SIZES.column, kind, true);
  }

  /**
   * Converts rows from an offset of the input on, and writes their JSON at `at`. Returns the offset of the first row
   * that is not plain.
   */
  take(from: number, at: number): number {
    this.#run(PLACES.input + from, PLACES.input + this.#length, OUTPUT + at, MAX_EVENTS);
    return this.#state(STATE.end) - PLACES.input;
  }

  /** Number of rows of the last run; during a run, the number of rows before the current one. */
  get rows(): number {
    return this.#state(STATE.rows);
  }

  /** Number of events of the last run; during a run, the number of events before the current row. */
  get events(): number {
    return this.#state(STATE.events);
  }

  /** Offset of the current row in the input. */
  get rowStart(): number {
    return this.#state(STATE.rowStart) - PLACES.input;
  }

  get rowEnd(): number {
    return this.#state(STATE.rowEnd) - PLACES.input;
  }

  /** The events of the last run, four numbers each: start, end, number of rows before it, and end of its JSON. */
  records(): Int32Array {
    return new Int32Array(this.#memory.view().buffer, PLACES.events, this.events * RECORD_NUMBERS);
  }

  /**
   * Passes the number of values in each unsent cell since the last call: index of the cell, number of values, and first
   * row with one.
   */
  eachUnsent(take: (index: number, count: number, row: number) => void): void {
    const view = this.#memory.view();
    for (let index = 0; index < this.#options.unsent.length; index += 1) {
      const at = PLACES.unsent + index * SIZES.unsent;
      const count = view.getInt32(at + UNSENT.count, true);
      if (count === 0) continue;
      take(index, count, view.getInt32(at + UNSENT.row, true));
      view.setInt32(at + UNSENT.count, 0, true);
      view.setInt32(at + UNSENT.row, -1, true);
    }
  }

  /** The offsets in memory, as used in `records`, of the row at an offset of the input and of the first event. */
  baseOf(from: number): { row: number; json: number } {
    return { row: PLACES.input + from, json: OUTPUT };
  }

  #state(place: number): number {
    return this.#memory.view().getInt32(place, true);
  }

  /** Fills the tables of the compiled code. */
  #write(): void {
    const { columns, unsent, head, header, blanks, ...reading } = this.#options;
    const view = this.#memory.view();
    const all = new Uint8Array(view.buffer);
    const set = (place: number, value: number) => view.setInt32(place, value, true);
    let textAt: number = PLACES.texts;
    const put = (bytes: Uint8Array): number => {
      const at = textAt;
      all.set(bytes, at);
      textAt += bytes.length + TEXT_MARGIN;
      return at;
    };
    for (let power = 0; power < POWERS; power += 1)
      view.setFloat64(PLACES.powers + power * Float64Array.BYTES_PER_ELEMENT, 10 ** power, true);
    set(CONFIG.delimiter, reading.delimiter.charCodeAt(0));
    set(CONFIG.quote, reading.quote === '' ? LF : reading.quote.charCodeAt(0));
    const passed = Uint8Array.from(blanks);
    for (const sign of reading.delimiter + reading.quote) passed[sign.charCodeAt(0)] = 1;
    set(CONFIG.blanks, put(passed));
    set(CONFIG.cells, reading.cells);
    set(CONFIG.columnsEnd, PLACES.columns + columns.length * SIZES.column);
    set(CONFIG.unsentEnd, PLACES.unsent + unsent.length * SIZES.unsent);
    set(CONFIG.head, put(head));
    set(CONFIG.headLength, head.length);
    set(CONFIG.hasKeys, reading.hasKeys ? 1 : 0);
    set(CONFIG.leavesOutNulls, reading.leavesOutNulls ? 1 : 0);
    set(CONFIG.judgesAll, reading.judgesAll ? 1 : 0);
    set(CONFIG.headerLength, header === null ? -1 : header.length);
    set(CONFIG.maxRowBytes, reading.maxRowBytes);
    for (let at = 0; at < HEADER_BYTES; at += 1) {
      view.setUint8(CONFIG.headerStart + at, header?.[at] ?? 0);
      view.setUint8(CONFIG.headerMask + at, at < (header?.length ?? 0) ? 0xff : 0);
    }
    const keys = columns.map(({ key }) => Buffer.from(`,${key}`));
    const values = columns.length * (NULL_BYTES + QUOTES);
    set(
      CONFIG.room,
      keys.reduce((sum, key) => sum + key.length, head.length + values + ROOM),
    );
    columns.forEach(({ kind, cell, hasRange, min, max, longestNull, nullStarts }, index) => {
      const at = PLACES.columns + index * SIZES.column;
      const key = keys[index] ?? Buffer.alloc(0);
      set(at + COLUMN.kind, kind);
      set(at + COLUMN.cell, PLACES.cells + cell * SIZES.cell);
      set(at + COLUMN.key, put(key));
      set(at + COLUMN.keyLength, key.length);
      set(at + COLUMN.hasRange, hasRange ? 1 : 0);
      set(at + COLUMN.longestNull, longestNull);
      set(at + COLUMN.nullStarts, put(nullStarts));
      view.setFloat64(at + COLUMN.min, min, true);
      view.setFloat64(at + COLUMN.max, max, true);
    });
    unsent.forEach((cell, index) => {
      const at = PLACES.unsent + index * SIZES.unsent;
      set(at, PLACES.cells + cell * SIZES.cell);
      set(at + UNSENT.count, 0);
      set(at + UNSENT.row, -1);
    });
  }
}
