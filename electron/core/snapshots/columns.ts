/**
 * The items of one snapshot as columns of numbers, and as bytes: numbers are given in the order of the items, so that
 * most differ from the one before by the same, and the bytes of items that stay take next to nothing once packed. Pure.
 */

/** One entry an item, in the order of the list. */
export interface SnapshotColumns {
  /** Of its id. */
  names: Int32Array;
  /** Of its JSON text as it came. */
  contents: Int32Array;
  /** Of what it says besides its id and times: the first content that says the same. */
  bodies: Int32Array;
  /** Of what it says of its origin; 0: nothing. */
  sources: Int32Array;
  /** Of its inputs; 0: none. */
  inputs: Int32Array;
}

export function emptyColumns(items: number): SnapshotColumns {
  const column = () => new Int32Array(items);
  return { names: column(), contents: column(), bodies: column(), sources: column(), inputs: column() };
}

export function encodeColumns({ names, contents, bodies, sources, inputs }: SnapshotColumns): Uint8Array {
  const bytes = new ByteWriter();
  writeDeltas(bytes, names);
  writeDeltas(bytes, contents);
  // Mostly 0: it says something new, or it is the first.
  writeDeltas(
    bytes,
    bodies.map((body, index) => body - (contents[index] ?? 0)),
  );
  writeDeltas(bytes, sources);
  writeDeltas(bytes, inputs);
  return bytes.whole();
}

/** The reverse of `encodeColumns`. Throws RangeError where the bytes end too early. */
export function decodeColumns(bytes: Uint8Array, items: number): SnapshotColumns {
  const reader = { bytes, at: 0 };
  const names = readDeltas(reader, items);
  const contents = readDeltas(reader, items);
  const bodies = readDeltas(reader, items).map((over, index) => over + (contents[index] ?? 0));
  return { names, contents, bodies, sources: readDeltas(reader, items), inputs: readDeltas(reader, items) };
}

class ByteWriter {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  add(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Differences between neighbours, small ones of either sign in one byte. */
function writeDeltas(bytes: ByteWriter, column: Int32Array): void {
  let before = 0;
  for (const number of column) {
    const delta = (number - before) | 0;
    before = number;
    let rest = ((delta << 1) ^ (delta >> 31)) >>> 0;
    while (rest >= 0x80) {
      bytes.add((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes.add(rest);
  }
}

function readDeltas(reader: { bytes: Uint8Array; at: number }, items: number): Int32Array {
  const column = new Int32Array(items);
  let before = 0;
  for (let index = 0; index < items; index += 1) {
    let rest = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = reader.bytes[reader.at];
      if (byte === undefined) throw new RangeError('The columns of a snapshot end too early.');
      reader.at += 1;
      rest |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    before = (before + ((rest >>> 1) ^ -(rest & 1))) | 0;
    column[index] = before;
  }
  return column;
}
