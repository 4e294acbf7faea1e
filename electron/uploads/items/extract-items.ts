/** Reads a range of a file as dataset items, each with an id that is the same on every read. */
import { partUuid } from '../../jobs/part-uuid.ts';
import type { ExtractedItem, ExtractedItems, FilePlace, ItemReading } from '../../shared/items-model.ts';
import type { BadRow } from '../../shared/upload-model.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource, readRows, type Source } from '../readers/open-source.ts';
import { ItemReader } from './item-of-row.ts';

export interface ItemStretch {
  path: string;
  reading: ItemReading;
  /** Null for the first row. */
  start: FilePlace | null;
  /** The file's state when it was offered; null to skip the check for changes. */
  state: FileState | null;
  /** The range ends with the row that reaches a size limit, or with row number `lastRow`. */
  most: { rows: number; bytes: number; lastRow: number | null };
  /** Identifies the job. The ids of its items are derived from it. */
  seed: string;
}

/** Throws FILE_* errors, and FILE_CHANGED if the file has changed. */
export async function extractItems(stretch: ItemStretch): Promise<ExtractedItems> {
  const { path, reading, state } = stretch;
  if (state !== null) await checkSameState(path, state);
  const source = await openSource(path, reading.dialect);
  try {
    const found = await cut(source, stretch);
    await checkSameState(path, source.state);
    return found;
  } finally {
    await source.close();
  }
}

async function cut(
  source: Source,
  { path, reading, start, most, seed }: ItemStretch,
): Promise<ExtractedItems> {
  const reader = new ItemReader(reading, source.header);
  const items: ExtractedItem[] = [];
  const bad: BadRow[] = [];
  const fields: Record<string, number> = {};
  let rows = 0;
  let bytes = 0;
  const from = start ?? source.dataStart;
  for await (const piece of readRows(source, path, { start: from })) {
    for (const row of piece.rows) {
      rows += 1;
      const id = partUuid(seed, row.row);
      const read = reader.read(row, id);
      if ('bad' in read) bad.push(read.bad);
      else {
        const at: FilePlace = { byteOffset: row.byteStart, line: row.line, row: row.row };
        items.push({ row: row.row, line: row.line, start: at, id, json: read.json });
        bytes += Buffer.byteLength(read.json);
        for (const key of read.keys) fields[key] = (fields[key] ?? 0) + 1;
      }
      if (rows < most.rows && bytes < most.bytes && row.row !== most.lastRow) continue;
      const end: FilePlace = { byteOffset: row.byteEnd, line: row.nextLine, row: row.row + 1 };
      return { items, bad, rows, fields, end, state: source.state };
    }
  }
  return { items, bad, rows, fields, end: null, state: source.state };
}
