import type { Migration } from '../../migrate.ts';
import { JOB_TABLES } from '../jobs.ts';

export const kept: Migration = {
  number: 1_030,
  name: 'what is kept to be read offline',
  sql: `
    ${JOB_TABLES}
    -- Lists and records that a job keeps: its parts, and the reasons why they are not removed to make room.
    CREATE TABLE kept_question (
      job_id TEXT NOT NULL REFERENCES job (job_id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      -- Key of the list or record.
      query_key TEXT NOT NULL,
      query TEXT NOT NULL CHECK (json_valid(query)),
      form TEXT NOT NULL CHECK (form IN ('list', 'record')),
      -- What is to be kept further once this is read; null: nothing.
      leads_to TEXT,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'read', 'failed')),
      -- The reading that was begun and is not whole yet.
      generation_id INTEGER,
      row_count INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      read_at_ms INTEGER,
      error_json TEXT,
      PRIMARY KEY (job_id, position)
    ) STRICT;
    CREATE UNIQUE INDEX kept_question_by_job ON kept_question (job_id, query_key);
    CREATE INDEX kept_question_by_key ON kept_question (query_key);
    CREATE INDEX kept_question_by_state ON kept_question (job_id, state, position, row_count, size_bytes, read_at_ms);
    CREATE INDEX kept_question_by_generation ON kept_question (generation_id) WHERE generation_id IS NOT NULL;
    -- Many lists may be kept: a change looks only at those of its operations.
    CREATE INDEX list_by_operation ON list (json_extract(query, '$.operation'));
  `,
};
