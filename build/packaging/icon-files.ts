/** The icon files of Windows and macOS, which both contain PNG files. */

/** Width in pixels of each entry type in .icns. */
const ICNS_TYPES = { icp4: 16, icp5: 32, icp6: 64, ic07: 128, ic08: 256, ic09: 512 } as const;
const ICO_SIZES = [16, 32, 48, 64, 128, 256];
const ICO_HEAD_BYTES = 6;
const ICO_ENTRY_BYTES = 16;

type Drawn = ReadonlyMap<number, Buffer>;

function drawnAt(drawn: Drawn, size: number): Buffer {
  const png = drawn.get(size);
  if (png === undefined) throw new Error(`Expected an icon of ${size} pixels, found none.`);
  return png;
}

/**
 * Format of .icns: `icns`, the total length, then for each entry its type, its length including this header, and its
 * PNG. Big endian.
 */
export function icnsOf(drawn: Drawn): Buffer {
  const head = (type: string, length: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.write(type, 'latin1');
    bytes.writeUInt32BE(length + bytes.length, 4);
    return bytes;
  };
  const entries = Object.entries(ICNS_TYPES).map(([type, size]) => {
    const png = drawnAt(drawn, size);
    return Buffer.concat([head(type, png.length), png]);
  });
  const all = Buffer.concat(entries);
  return Buffer.concat([head('icns', all.length), all]);
}

/**
 * Format of .ico: a header, for each picture an entry with its size and offset, then the PNG files. Little endian; 0
 * means 256 pixels.
 */
export function icoOf(drawn: Drawn): Buffer {
  const head = Buffer.alloc(ICO_HEAD_BYTES);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(ICO_SIZES.length, 4);
  let at = ICO_HEAD_BYTES + ICO_ENTRY_BYTES * ICO_SIZES.length;
  const pictures = ICO_SIZES.map((size) => drawnAt(drawn, size));
  const entries = ICO_SIZES.map((size, index) => {
    const length = pictures[index]?.length ?? 0;
    const entry = Buffer.alloc(ICO_ENTRY_BYTES);
    entry.writeUInt8(size % 256, 0);
    entry.writeUInt8(size % 256, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(length, 8);
    entry.writeUInt32LE(at, 12);
    at += length;
    return entry;
  });
  return Buffer.concat([head, ...entries, ...pictures]);
}
