import type { Migration } from '../../migrate.ts';
import { JOB_TABLES } from '../jobs.ts';

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
    CREATE TABLE upload (
      job_id TEXT PRIMARY KEY NOT NULL,
      scan_id TEXT REFERENCES scan (scan_id),
      path TEXT NOT NULL,
      file_name TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      sha256 TEXT,
      plan_json TEXT NOT NULL,
      schema_json TEXT,
      state TEXT NOT NULL,
      reason TEXT NOT NULL,
      error_json TEXT,
      is_cancelling INTEGER NOT NULL CHECK (is_cancelling IN (0, 1)),
      row_count INTEGER,
      rejected INTEGER NOT NULL,
      requests INTEGER NOT NULL,
      -- Requests that halving of refused batches has cost.
      isolation_requests INTEGER NOT NULL,
      -- Lower than the plan's after the service refused a larger one.
      batch_rows INTEGER NOT NULL,
      max_batch_bytes INTEGER NOT NULL,
      baseline_json TEXT,
      created_at_ms INTEGER NOT NULL,
      ended_at_ms INTEGER,
      lease_owner TEXT,
      lease_pid INTEGER,
      lease_at_ms INTEGER,
      start_at_ms INTEGER,
      late_start_json TEXT,
      doubtful_batches INTEGER NOT NULL,
      doubtful_rows INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX upload_by_scan ON upload (scan_id);
    CREATE TABLE batch (
      job_id TEXT NOT NULL REFERENCES upload (job_id) ON DELETE CASCADE,
      batch INTEGER NOT NULL,
      -- The batch it was halved from; itself where it was cut from the file.
      root INTEGER NOT NULL,
      first_row INTEGER NOT NULL,
      last_row INTEGER NOT NULL,
      row_count INTEGER NOT NULL,
      first_line INTEGER NOT NULL,
      next_line INTEGER NOT NULL,
      byte_start INTEGER NOT NULL,
      byte_end INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      -- Runs of sent rows: [first row, first line, count], each row one line.
      places_json TEXT NOT NULL,
      -- Event ids that the rows carry themselves, in order, where the model takes them from a column.
      own_ids_json TEXT,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      -- Requests spent on the halving of this root.
      isolation_requests INTEGER NOT NULL,
      sent_at_ms INTEGER,
      answered_at_ms INTEGER,
      request_id TEXT,
      error_json TEXT,
      evidence_json TEXT,
      PRIMARY KEY (job_id, batch)
    ) STRICT;
    CREATE INDEX batch_by_state ON batch (job_id, state, batch, row_count);
    CREATE INDEX batch_by_row ON batch (job_id, last_row);
    CREATE TABLE batch_receipt (
      job_id TEXT NOT NULL,
      batch INTEGER NOT NULL,
      -- Null where a person or evidence decided that the batch was stored.
      event_ids_json TEXT,
      loose_ids_json TEXT,
      PRIMARY KEY (job_id, batch),
      FOREIGN KEY (job_id, batch) REFERENCES batch (job_id, batch) ON DELETE CASCADE
    ) STRICT;
    -- What the service accepted for a model when it refused more.
    CREATE TABLE learned_size (
      model_id TEXT PRIMARY KEY NOT NULL,
      batch_rows INTEGER NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- Events of an upload that a deletion named by their ids, as the receipts of the upload tell.
    CREATE TABLE deletion_upload (
      job_id TEXT NOT NULL REFERENCES upload (job_id) ON DELETE CASCADE,
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

export const UPLOAD_MIGRATIONS: readonly Migration[] = [baseline];
