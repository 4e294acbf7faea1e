/** Tables of durable jobs: one each for jobs, parts and receipts, in every store that holds jobs. */

/** Columns that end in `_json` hold JSON text; times are wall time in milliseconds. */
export const JOB_TABLES = `
  CREATE TABLE job (
    job_id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    -- Names it in words, also where the rest of it cannot be read.
    title TEXT NOT NULL,
    -- What it is about, where others ask for that: a dataset, the reading of a file.
    subject TEXT,
    -- What was asked for: written once.
    plan_json TEXT NOT NULL,
    -- What its kind knows of it beside the columns here.
    facts_json TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    error_json TEXT,
    -- Null where nothing is to begin by itself.
    start_at_ms INTEGER,
    late_start_json TEXT,
    -- Grows with every change: tells a process that another one wrote.
    revision INTEGER NOT NULL,
    -- 1: its rows are being deleted. 2: it is being made and not to be seen yet.
    is_hidden INTEGER NOT NULL CHECK (is_hidden IN (0, 1, 2)),
    created_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    -- The process that is at work on it now.
    lease_owner TEXT,
    lease_pid INTEGER,
    lease_at_ms INTEGER
  ) STRICT;
  CREATE INDEX job_by_age ON job (kind, is_hidden, created_at_ms DESC, job_id);
  CREATE INDEX job_by_subject ON job (kind, subject, created_at_ms DESC) WHERE subject IS NOT NULL;
  CREATE INDEX job_to_start ON job (start_at_ms) WHERE start_at_ms IS NOT NULL;
  -- What is sent at once.
  CREATE TABLE part (
    job_id TEXT NOT NULL REFERENCES job (job_id) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    -- The part it was split from; itself where it was cut from its source.
    root INTEGER NOT NULL,
    -- Rows, spans or records in it.
    weight INTEGER NOT NULL,
    -- Where in its source it ends: a row, a position.
    ends_at INTEGER NOT NULL,
    -- What is in it, as its kind says it.
    facts_json TEXT NOT NULL,
    state TEXT NOT NULL,
    error_json TEXT,
    attempts INTEGER NOT NULL,
    -- Requests spent on the splitting of this root.
    split_requests INTEGER NOT NULL,
    sent_at_ms INTEGER,
    answered_at_ms INTEGER,
    request_id TEXT,
    evidence_json TEXT,
    PRIMARY KEY (job_id, part)
  ) STRICT;
  CREATE INDEX part_by_state ON part (job_id, state, part, weight);
  CREATE INDEX part_by_end ON part (job_id, ends_at);
  -- Acknowledged by an answer that is not a receipt.
  CREATE INDEX part_in_doubt ON part (job_id, part)
    WHERE state = 'acknowledged' AND error_json ->> 'code' = 'RECEIPT_DOUBTFUL';
  CREATE TABLE receipt (
    job_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    receipt_json TEXT NOT NULL,
    PRIMARY KEY (job_id, part),
    FOREIGN KEY (job_id, part) REFERENCES part (job_id, part) ON DELETE CASCADE
  ) STRICT;
`;
