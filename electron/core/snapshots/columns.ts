/**
 * Stores the items of one snapshot as columns of numbers, and encodes these as bytes. Numbers are assigned in item
 * order, so most differ from their predecessor by the same amount, and unchanged items take almost no bytes after
 * compression. Pure.
 */
import { elementAt } from '../element-at.ts';

/** Each column has one entry for each item, in list order. */
export interface SnapshotColumns {
  /** Number of the item's id in the table of texts. */
  names: Int32Array;
  /** Number of the item's JSON text as received. */
  contents: Int32Array;
  /** Number of the item's contents without id and times. Items with equal contents share a number. */
  bodies: Int32Array;
  /** Number of the item's origin; 0 if it has none. */
  sources: Int32Array;
  /** Number of the item's inputs; 0 if it has none. */
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
  // The difference is usually 0, because an item's contents are new or it is the first item with them.
  writeDeltas(
    bytes,
    bodies.map((body, index) => body - elementAt(contents, index)),
  );
  writeDeltas(bytes, sources);
  writeDeltas(bytes, inputs);
  return bytes.whole();
}

/** The reverse of `encodeColumns`. Throws RangeError if the bytes end too early. */
export function decodeColumns(bytes: Uint8Array, items: number): SnapshotColumns {
  const reader = { bytes, at: 0 };
  const names = readDeltas(reader, items);
  const contents = readDeltas(reader, items);
  const bodies = readDeltas(reader, items).map((over, index) => over + elementAt(contents, index));
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

/** Writes the differences between neighbours. Small differences of either sign take one byte. */
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
