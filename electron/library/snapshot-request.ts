/** Requests of a session to the snapshot thread. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { MappedKey } from '../core/snapshots/schema-watch.ts';
import { AppError } from '../shared/errors.ts';
import { parseExactObject, writeExact } from '../shared/exact-json.ts';
import type { WatchedList } from '../shared/schema-model.ts';
import type { ItemEdits, SnapshotQuery } from '../shared/snapshot-model.ts';

/** The items of a snapshot to write. */
interface WrittenItems {
  edits: ItemEdits | null;
  /** Ids of the items to write; null for all. */
  kept: readonly string[] | null;
}

export type SnapshotRequest =
  | SnapshotQuery
  | { action: 'take'; datasetId: string; generationId: number; rows: number; atMs: number; most: number }
  /** Compares the schema of the rows that are new since the last reading. Returns the number of changes that are new or over. */
  /** `rows`: number of first rows to consider. */
  | {
      action: 'compare-schema';
      list: WatchedList;
      generationId: number;
      rows: number;
      mapped: MappedKey[];
      nowMs: number;
    }
  | { action: 'schema-changes' }
  /** Accepts the new schema as the known one. */
  | { action: 'accept-schema-change'; changeId: number }
  /** Writes JSON Lines to a new file, readable only by the owner. */
  | ({ action: 'write'; snapshotId: number; path: string } & WrittenItems)
  | { action: 'close' };

/**
 * JSON texts of these items, in order. Throws INVALID_ARGUMENT at the end if one is missing, because it must not be
 * left out silently.
 */
export function* chosen(items: Iterable<string>, kept: readonly string[] | null): Iterable<string> {
  if (kept === null) return yield* items;
  const wanted = new Set(kept);
  for (const json of items) if (wanted.delete(String(parseExactObject(json)['id'] ?? ''))) yield json;
  if (wanted.size > 0) throw notThere([...wanted], 'chosen', 'then choose again');
}

/** Writes a new file to disk. Returns the number of lines. Throws errors of the file system. */
export function writeLines(path: string, lines: Iterable<string>): { rows: number } {
  const file = openSync(path, 'wx', 0o600);
  let rows = 0;
  try {
    for (const line of lines) {
      writeSync(file, `${line}\n`);
      rows += 1;
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return { rows };
}

/**
 * JSON texts of items with a person's edits applied, in order, with new items at the end. Throws INVALID_ARGUMENT at
 * the end if an edited item is missing, because its edit must not be lost silently.
 */
export function* edited(items: Iterable<string>, edits: ItemEdits | null): Iterable<string> {
  if (edits === null) return yield* items;
  const removed = new Set(edits.removed);
  const replaced = new Map(edits.replaced.map(({ itemId, item }) => [itemId, item]));
  for (const json of items) {
    const old = parseExactObject(json);
    const id = String(old['id'] ?? '');
    if (removed.has(id)) continue;
    const item = replaced.get(id);
    replaced.delete(id);
    // The source fields stay, because an edited item still belongs to its span.
    const { source_name, source_id } = old;
    yield item === undefined ? json : writeExact({ source_name, source_id, ...item });
  }
  if (replaced.size > 0) throw notThere([...replaced.keys()], 'edited', 'or undo these edits');
  for (const item of edits.added) yield writeExact(item);
}

const NAMED = 3;

function notThere(ids: readonly string[], which: string, next: string): AppError {
  const named = `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ', …' : ''}`;
  const what = ids.length === 1 ? `1 ${which} item is` : `${ids.length} ${which} items are`;
  return new AppError(
    'INVALID_ARGUMENT',
    `${what} not in this version: ${named}. Read all items once, so that there is a version that has them; ${next}.`,
  );
}
