import type { Migration } from '../../migrate.ts';

export const pickSteps: Migration = {
  number: 1_030,
  name: 'undo and redo of what was picked into a build and taken out of it',
  sql: `
    -- What one act changed in a basket.
    CREATE TABLE pick_step (
      step INTEGER PRIMARY KEY AUTOINCREMENT,
      build_id TEXT NOT NULL,
      what TEXT NOT NULL,
      spans INTEGER NOT NULL,
      is_undone INTEGER NOT NULL CHECK (is_undone IN (0, 1)),
      -- 1: nobody can go back or forward to it; its rows are being deleted.
      is_dropped INTEGER NOT NULL CHECK (is_dropped IN (0, 1)),
      -- The picked range of the build on the other side of the step.
      range_json TEXT NOT NULL
    ) STRICT;
    CREATE INDEX pick_step_by_build ON pick_step (build_id, is_dropped, is_undone, step);
    -- The positions it is about.
    CREATE TABLE pick_range (
      step INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY (step, first)
    ) STRICT, WITHOUT ROWID;
    -- Spans that a step has taken out of the basket. Their records and edited outputs stay where they are.
    CREATE TABLE span_away (
      step INTEGER NOT NULL,
      build_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      trace_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      start_ms REAL,
      start_time TEXT,
      name TEXT,
      span_type TEXT,
      shape_id INTEGER,
      state TEXT NOT NULL,
      batch INTEGER,
      item_id TEXT,
      message TEXT,
      PRIMARY KEY (step, position)
    ) STRICT, WITHOUT ROWID;
  `,
};
