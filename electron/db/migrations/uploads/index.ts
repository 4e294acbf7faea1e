import type { Migration } from '../../migrate.ts';
import { JOB_TABLES } from '../jobs.ts';
import { droppedName } from './1010-dropped-name.ts';
import { problems } from './1020-problems.ts';
import { valueLedger } from './1030-value-ledger.ts';
import { unusualRows } from './1040-unusual-rows.ts';
import { otherReadings } from './1050-other-reading.ts';
import { uploadService } from './1060-service.ts';

/** Columns that end in `_json` hold JSON text; times are wall time in milliseconds. */
const baseline: Migration = {
  number: 1_000,
  name: 'uploads',
  sql: `
    ${JOB_TABLES}
    -- One reading of a whole file: a dry run, or the first pass of a job.
    CREATE TABLE scan (
      scan_id TEXT PRIMARY KEY NOT NULL,
      path TEXT NOT NULL,
      file_name TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      -- Same file, same reading: what a job may take over from a dry run.
      reading_key TEXT NOT NULL,
      plan_json TEXT NOT NULL,
      schema_json TEXT,
      phase TEXT NOT NULL,
      read_bytes INTEGER NOT NULL,
      row_count INTEGER NOT NULL,
      bad_row_count INTEGER NOT NULL,
      batch_count INTEGER NOT NULL,
      send_ms REAL,
      notes_json TEXT NOT NULL,
      sha256 TEXT,
      error_json TEXT,
      created_at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX scan_by_key ON scan (reading_key);
    CREATE TABLE bad_row (
      scan_id TEXT NOT NULL REFERENCES scan (scan_id) ON DELETE CASCADE,
      row_number INTEGER NOT NULL,
      line INTEGER NOT NULL,
      column_name TEXT,
      value TEXT,
      reason TEXT NOT NULL,
      PRIMARY KEY (scan_id, row_number)
    ) STRICT, WITHOUT ROWID;
    -- What the service accepted for a model when it refused more.
    CREATE TABLE learned_size (
      model_id TEXT PRIMARY KEY NOT NULL,
      batch_rows INTEGER NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- Events of an upload that a deletion named by their ids, as the receipts of the upload tell.
    CREATE TABLE deletion_upload (
      job_id TEXT NOT NULL REFERENCES job (job_id) ON DELETE CASCADE,
      deletion_id TEXT NOT NULL REFERENCES job (job_id) ON DELETE CASCADE,
      row_count INTEGER NOT NULL,
      PRIMARY KEY (job_id, deletion_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deletion_upload_by_deletion ON deletion_upload (deletion_id);
    -- Deletions that were looked at for the uploads they concern.
    CREATE TABLE traced_deletion (
      deletion_id TEXT PRIMARY KEY NOT NULL REFERENCES job (job_id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    -- A file that was dropped or chosen and not sent yet, with what was chosen for it so far.
    CREATE TABLE preparation (
      preparation_id TEXT PRIMARY KEY NOT NULL,
      file_id TEXT NOT NULL,
      path TEXT NOT NULL,
      -- Of the file when it was chosen: the proof that it is still the same.
      size_bytes INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      choices_json TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      changed_at_ms INTEGER NOT NULL
    ) STRICT;
  `,
};

export const UPLOAD_MIGRATIONS: readonly Migration[] = [
  baseline,
  droppedName,
  problems,
  valueLedger,
  unusualRows,
  otherReadings,
  uploadService,
];
