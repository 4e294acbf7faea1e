/** Scans of whole files, and the bad rows they found. */
import { readable } from '../core/readable.ts';
import { type BadRow, uploadPlan } from '../shared/upload-model.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { asChecked } from './row-parts.ts';
import { asJson, readScan, type StoredScan } from './upload-rows.ts';

const COLUMNS = `scan_id AS scanId, path, file_name AS fileName, size_bytes AS sizeBytes, mtime_ms AS mtimeMs,
  reading_key AS readingKey, plan_json AS plan, schema_json AS schema, phase, read_bytes AS readBytes,
  row_count AS rows, bad_row_count AS badRows, batch_count AS batches, send_ms AS sendMs, notes_json AS notes,
  unusual_row_count AS unusualRows, repaired_row_count AS repairedRows, problems_json AS problems, ledger_json AS ledger,
  questions_json AS questions, proposed_json AS proposed, other_reading_json AS otherReading,
  sha256, error_json AS error, created_at_ms AS createdAtMs`;

const badRow = z.object({
  row: z.number(),
  line: z.number(),
  column: z.string().nullable(),
  value: z.string().nullable(),
  reason: z.string(),
});

export interface ScanStore {
  /** Inserts the scan, or replaces the fields that change during a scan. */
  save(scan: StoredScan): void;
  get(scanId: string): StoredScan | null;
  /** A finished scan of the same file with the same settings. */
  findDone(readingKey: string): StoredScan | null;
  addBadRows(scanId: string, rows: readonly BadRow[]): void;
  /** Deletes bad rows that an earlier pass over the file found. */
  removeBadRows(scanId: string): void;
  listBadRows(scanId: string, offset: number, limit: number): BadRow[];
  countBadRows(scanId: string): number;
  eachBadRow(scanId: string): IterableIterator<BadRow>;
  /** Marks scans as cancelled that a process left unfinished when it ended. */
  endInterrupted(keepIds: readonly string[]): void;
  /** Deletes the oldest scans that no job refers to. */
  prune(keep: number): void;
}

export function createScanStore(db: Database): ScanStore {
  const insert = db.prepare(
    `INSERT INTO scan (scan_id, path, file_name, size_bytes, mtime_ms, reading_key, plan_json, schema_json, phase,
       read_bytes, row_count, bad_row_count, batch_count, send_ms, notes_json, unusual_row_count,
       repaired_row_count, problems_json,
       ledger_json, questions_json, proposed_json, other_reading_json, sha256, error_json, created_at_ms)
     VALUES (@scanId, @path, @fileName, @sizeBytes, @mtimeMs, @readingKey, @plan, @schema, @phase, @readBytes, @rows,
       @badRows, @batches, @sendMs, @notes, @unusualRows, @repairedRows, @problems, @ledger, @questions, @proposed,
       @otherReading, @sha256, @error, @createdAtMs)
     ON CONFLICT (scan_id) DO UPDATE SET phase = @phase, read_bytes = @readBytes, row_count = @rows,
       bad_row_count = @badRows, batch_count = @batches, send_ms = @sendMs, notes_json = @notes,
       unusual_row_count = @unusualRows, repaired_row_count = @repairedRows, problems_json = @problems, plan_json = @plan,
       ledger_json = @ledger, questions_json = @questions, proposed_json = @proposed,
       other_reading_json = @otherReading, sha256 = @sha256,
       error_json = @error`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM scan WHERE scan_id = ?`);
  const findDone = db.prepare(
    `SELECT ${COLUMNS} FROM scan WHERE reading_key = ? AND phase = 'done' ORDER BY created_at_ms DESC LIMIT 1`,
  );
  const addBad = db.prepare(
    'INSERT OR REPLACE INTO bad_row (scan_id, row_number, line, column_name, value, reason) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const bad = `SELECT row_number AS row, line, column_name AS column, value, reason FROM bad_row WHERE scan_id = ?
    ORDER BY row_number`;
  const listBad = db.prepare(`${bad} LIMIT ? OFFSET ?`);
  const nextBad = db.prepare(
    `SELECT row_number AS row, line, column_name AS column, value, reason FROM bad_row
     WHERE scan_id = ? AND row_number > ? ORDER BY row_number LIMIT 1000`,
  );
  const removeBad = db.prepare('DELETE FROM bad_row WHERE scan_id = ?');
  const countBad = db.prepare<[string], number>('SELECT count(*) FROM bad_row WHERE scan_id = ?').pluck();
  const end = db.prepare(
    `UPDATE scan SET phase = 'cancelled' WHERE phase = 'running' AND scan_id NOT IN (SELECT value FROM json_each(?))`,
  );
  const prune = db.prepare(
    `DELETE FROM scan WHERE phase <> 'running' AND scan_id NOT IN (SELECT subject FROM job WHERE kind = 'upload' AND subject IS NOT NULL)
     AND scan_id NOT IN (SELECT scan_id FROM scan ORDER BY created_at_ms DESC LIMIT ?)`,
  );
  const toBad = (row: unknown): BadRow => parseRow(badRow, row, 'bad row');
  const optional = (row: unknown): StoredScan | null => (row === undefined ? null : readScan(row));
  const addAll = db.transaction((scanId: string, rows: readonly BadRow[]) => {
    for (const row of rows) addBad.run(scanId, row.row, row.line, row.column, row.value, row.reason);
  });
  return {
    save: (scan) => {
      const { plan, schema, notes, problems, ledger, questions, proposed, otherReading, error } = scan;
      insert.run({
        ...scan,
        plan: asChecked(uploadPlan, plan, 'check of a file'),
        schema: asJson(schema),
        notes: asJson(notes),
        problems: asJson(problems),
        ledger: asJson(ledger),
        questions: asJson(questions),
        proposed: asJson(proposed),
        otherReading: asJson(otherReading),
        error: asJson(error),
      });
    },
    get: (scanId) => optional(get.get(scanId)),
    // An unreadable scan counts as missing, so that the file is read again.
    findDone: (readingKey) => readable(findDone.all(readingKey), readScan)[0] ?? null,
    addBadRows: (scanId, rows) => addAll.immediate(scanId, rows),
    removeBadRows: (scanId) => {
      removeBad.run(scanId);
    },
    listBadRows: (scanId, offset, limit) => listBad.all(scanId, limit, offset).map(toBad),
    countBadRows: (scanId) => countBad.get(scanId) ?? 0,
    *eachBadRow(scanId) {
      // Reads page by page, because an open cursor would block every write in between.
      for (let after = 0; ; ) {
        const page = nextBad.all(scanId, after).map(toBad);
        yield* page;
        const last = page.at(-1);
        if (last === undefined) return;
        after = last.row;
      }
    },
    endInterrupted: (keepIds) => {
      end.run(JSON.stringify(keepIds));
    },
    prune: (keep) => {
      prune.run(keep);
    },
  };
}
