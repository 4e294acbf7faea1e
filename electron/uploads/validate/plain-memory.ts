/**
 * The memory of the compiled code that converts plain rows (plain-rows.wat). It has a part of fixed size, with the
 * places below, followed by the JSON of events, which grows.
 */

/** The parts of WebAssembly that are used here, because Node's types do not include them. */
declare namespace WebAssembly {
  class Memory {
    constructor(limits: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
}

const PAGE = 65_536;
/** Maximum size of a memory in pages (4 GB). */
const MAX_PAGES = 65_536;
export const PLACES = {
  powers: 128,
  columns: 1_024,
  unsent: 16_384,
  cells: 24_576,
  texts: 131_072,
  events: 262_144,
  input: 524_288,
} as const;
/** Size in bytes of an entry in each table. */
export const SIZES = { event: 16, column: 48, unsent: 12, cell: 8 } as const;
export const MAX_EVENTS = (PLACES.input - PLACES.events) / SIZES.event;
export const MAX_INPUT = 1_048_576;
/** Number of bytes that the code may read beyond the input. */
export const INPUT_MARGIN = 128;
export const OUTPUT = PLACES.input + MAX_INPUT + PAGE;
const FIRST_PAGES = OUTPUT / PAGE + 40;

/** Initial number of bytes for the JSON of events, after the fixed part. */
export class EventMemory {
  readonly #memory: WebAssembly.Memory;
  /** The object that last filled the tables. */
  owner: object | null = null;
  #view: DataView | null = null;

  private constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  /** Null if the system has no WebAssembly, or no address space left for the memory. */
  static create(): EventMemory | null {
    if (typeof WebAssembly === 'undefined') return null;
    try {
      return new EventMemory(new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES }));
    } catch (problem) {
      // Each memory reserves several GB of address space, which a limit of the system may prevent.
      if (problem instanceof RangeError) return null;
      throw problem;
    }
  }

  /** The memory object, to be passed as an import of the compiled code. */
  get memory(): object {
    return this.#memory;
  }

  /** A view of the whole memory; invalid after `grow`. */
  view(): DataView {
    if (this.#view?.buffer !== this.#memory.buffer) this.#view = new DataView(this.#memory.buffer);
    return this.#view;
  }

  /** The JSON of events and the free space after it; invalid after `grow`. */
  bytes(): Buffer<ArrayBuffer> {
    return Buffer.from(this.#memory.buffer, OUTPUT);
  }

  /** Makes room for at least this many bytes of JSON; existing bytes stay. Throws RangeError beyond 4 GB. */
  grow(size: number): void {
    const before = this.#memory.buffer.byteLength;
    const wanted = OUTPUT + Math.max((before - OUTPUT) * 2, size);
    this.#memory.grow(Math.ceil((wanted - before) / PAGE));
  }
}
