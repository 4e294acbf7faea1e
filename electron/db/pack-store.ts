/** Reads a library's rows for a pack, and writes a pack's rows as a new library. */

import { wallMs } from '../core/jobs/job-record.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import { isMarkedGone } from '../shared/gone-field.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import * as z from '../shared/zod.ts';
import { WHOLE_RECORD } from './list-reads.ts';
import { LIBRARY_MIGRATIONS } from './migrations/library/index.ts';
import { openStore, parseRow } from './open.ts';
import { json } from './row-parts.ts';
import { ALL_POSITIONS } from './search-changes.ts';

export interface PackedList {
  query: ListQuery;
  totalRows: number | null;
  rowCount: number;
  /** All rows before this position are stored. */
  frontPosition: number;
  isComplete: boolean;
  hasMoved: boolean;
  oldestMs: number | null;
  newestMs: number | null;
}

interface StoredList extends PackedList {
  generationId: number;
  sizeBytes: number;
}

export interface PackSource {
  /** The shown generation of each list that has rows or is known to be empty. */
  lists(): StoredList[];
  /** Rows in order; `record` is JSON. */
  rows(generationId: number, limit?: number): Iterable<{ position: number; record: string }>;
  records(): Iterable<{ query: ListQuery; record: string; fetchedAtMs: number }>;
  close(): void;
}

const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);
const listRow = z.object({
  query: json(listQuery),
  totalRows: z.int().nullable(),
  rowCount: z.int(),
  frontPosition: z.int(),
  isComplete: flag,
  hasMoved: flag,
  oldestMs: wallMs.nullable(),
  newestMs: wallMs.nullable(),
  generationId: z.int(),
  sizeBytes: z.int(),
});
const rowOf = z.object({ position: z.int(), record: z.string() });
const recordRow = z.object({ query: json(listQuery), record: z.string(), fetchedAtMs: wallMs });

interface PackStoreOptions {
  file: string;
  clock: Clock;
  logger: Logger;
}

/** Reads a snapshot of the library, unaffected by concurrent writes. Throws the errors of `openStore`. */
export function openPackSource(options: PackStoreOptions): PackSource {
  const db = openStore({ ...options, migrations: LIBRARY_MIGRATIONS, synchronous: 'NORMAL' });
  db.exec('BEGIN');
  const lists = db.prepare(`
    SELECT query, total_rows + carried_count AS totalRows, row_count AS rowCount, front_position AS frontPosition,
      is_complete AS isComplete, has_moved AS hasMoved, oldest_ms AS oldestMs, newest_ms AS newestMs,
      generation.id AS generationId, size_bytes AS sizeBytes
    FROM list JOIN generation ON generation.id = shown_generation_id
    WHERE row_count > 0 OR is_complete = 1 ORDER BY list.id`);
  const rows = db.prepare(
    `SELECT position, ${WHOLE_RECORD} AS record FROM list_row WHERE generation_id = ? ORDER BY position LIMIT ?`,
  );
  const records = db.prepare(`
    SELECT query, coalesce(
      (SELECT group_concat(part, '' ORDER BY from_character) FROM long_text_part p WHERE p.text_id = record.text_id),
      record) AS record, fetched_at_ms AS fetchedAtMs
    FROM record WHERE gone_at_ms IS NULL ORDER BY record_key`);
  return {
    lists: () => readable(lists.all(), (row) => parseRow(listRow, row, 'list')),
    rows: function* (generationId, limit = -1) {
      for (const row of rows.iterate(generationId, limit)) yield parseRow(rowOf, row, 'list row');
    },
    records: function* () {
      for (const row of records.iterate()) yield parseRow(recordRow, row, 'record');
    },
    close: () => db.close(),
  };
}

/** A row ready to be written. */
interface PackedRow {
  position: number;
  identity: string | null;
  shownText: string | null;
  record: string;
  /** The complete text of a long record. */
  parts: readonly { bytes: Uint8Array; characters: number }[] | null;
}

export interface PackTarget {
  /** Begins a list; calls of `row` follow. */
  list(key: string, list: PackedList): void;
  row(row: PackedRow): void;
  record(key: string, query: ListQuery, fetchedAtMs: number, row: Omit<PackedRow, 'position'>): void;
  /** Finishes the library; call it after everything was written. */
  end(): void;
  close(): void;
}

const BATCH_ROWS = 2_000;
/** Bytes of a row in the file besides its contents. */
const AROUND_ROW_BYTES = 60;

/** Creates a new library at `file`. Throws the errors of `openStore`. */
export function createPackTarget(options: PackStoreOptions): PackTarget {
  const db = openStore({ ...options, migrations: LIBRARY_MIGRATIONS, synchronous: 'NORMAL' });
  const nowMs = options.clock.nowMs();
  const addList = db.prepare('INSERT INTO list (list_key, query, opened_at_ms) VALUES (?, ?, ?)');
  const addGeneration = db.prepare(`
    INSERT INTO generation (list_id, touched_at_ms, total_rows, row_count, front_position, front_offset, is_complete,
      has_moved, oldest_ms, newest_ms)
    VALUES (@listId, @nowMs, @totalRows, @rowCount, @frontPosition, @frontPosition, @isComplete, @hasMoved, @oldestMs,
      @newestMs)`);
  const show = db.prepare('UPDATE list SET shown_generation_id = ? WHERE id = ?');
  const sized = db.prepare('UPDATE generation SET size_bytes = ?, gone_count = ? WHERE id = ?');
  const changed = db.prepare(
    'INSERT INTO search_change (generation_id, from_position, to_position) VALUES (?, 0, ?)',
  );
  const addRow = db.prepare(
    'INSERT INTO list_row (generation_id, position, identity, shown_text, record, text_id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  db.exec('CREATE TEMP TABLE known (identity TEXT PRIMARY KEY) STRICT, WITHOUT ROWID');
  const noteIdentity = db.prepare('INSERT OR IGNORE INTO known VALUES (?)');
  const forgetIdentities = db.prepare('DELETE FROM known');
  const addText = db.prepare('INSERT INTO long_text (characters, is_used, touched_at_ms) VALUES (?, 1, ?)');
  const addPart = db.prepare('INSERT INTO long_text_part VALUES (?, ?, CAST(? AS TEXT))');
  const addRecord = db.prepare(`
    INSERT INTO record (record_key, query, record, fetched_at_ms, request_id, text_id) VALUES (?, ?, ?, ?, '', ?)`);
  let waiting = 0;
  let generation: number | bigint = 0;
  let sizeBytes = 0;
  let goneRows = 0;
  const endList = () => {
    if (generation !== 0) sized.run(sizeBytes, goneRows, generation);
  };
  const step = () => {
    waiting += 1;
    if (waiting === 1) db.exec('BEGIN');
    if (waiting < BATCH_ROWS) return;
    db.exec('COMMIT');
    waiting = 0;
  };
  const textOf = (parts: PackedRow['parts']): number | bigint | null => {
    if (parts === null) return null;
    const characters = parts.reduce((sum, part) => sum + part.characters, 0);
    const id = addText.run(characters, nowMs).lastInsertRowid;
    let from = 0;
    for (const part of parts) {
      addPart.run(id, from, part.bytes);
      from += part.characters;
    }
    sizeBytes += characters;
    return id;
  };
  return {
    list: (key, { query, isComplete, hasMoved, ...facts }) => {
      endList();
      step();
      const listId = addList.run(key, JSON.stringify(query), nowMs).lastInsertRowid;
      const flags = { isComplete: Number(isComplete), hasMoved: Number(hasMoved) };
      generation = addGeneration.run({ ...facts, ...flags, listId, nowMs }).lastInsertRowid;
      sizeBytes = 0;
      goneRows = 0;
      forgetIdentities.run();
      show.run(generation, listId);
      changed.run(generation, ALL_POSITIONS);
    },
    row: ({ position, identity, shownText, record, parts }) => {
      step();
      // Two rows with the same masked name are different rows.
      const isOwn = identity !== null && noteIdentity.run(identity).changes === 1;
      goneRows += Number(isMarkedGone(record));
      sizeBytes += AROUND_ROW_BYTES + Buffer.byteLength(record) + (shownText?.length ?? 0);
      addRow.run(generation, position, isOwn ? identity : null, shownText, record, textOf(parts));
    },
    record: (key, query, fetchedAtMs, { record, parts }) => {
      step();
      addRecord.run(key, JSON.stringify(query), record, fetchedAtMs, textOf(parts));
    },
    end: () => {
      endList();
      if (waiting > 0) db.exec('COMMIT');
      waiting = 0;
      db.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: () => db.close(),
  };
}
