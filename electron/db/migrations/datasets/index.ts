import type { Migration } from '../../migrate.ts';
import { JOB_TABLES } from '../jobs.ts';
import { reviews } from './1010-reviews.ts';
import { spanEdits } from './1020-span-edits.ts';
import { pickSteps } from './1030-pick-steps.ts';
import { spanStarts } from './1040-span-starts.ts';
import { spanCounts } from './1050-span-counts.ts';
import { spansNow } from './1060-spans-now.ts';
import { spansOfFiles } from './1070-spans-of-files.ts';
import { skippedScores } from './1080-skipped-scores.ts';
import { scoreTitles } from './1090-score-titles.ts';
import { checkedResults } from './1100-checked-results.ts';
import { datasetService } from './1110-service.ts';

/** Columns that end in `_json` hold JSON text; times are wall time in milliseconds. */
const baseline: Migration = {
  number: 1_000,
  name: 'builds and score runs',
  sql: `
    ${JOB_TABLES}
    -- Sets of attribute keys: many spans share few of them.
    CREATE TABLE shape (
      build_id TEXT NOT NULL,
      shape_id INTEGER NOT NULL,
      hash TEXT NOT NULL,
      keys_json TEXT NOT NULL,
      PRIMARY KEY (build_id, shape_id),
      UNIQUE (build_id, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE span (
      build_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      trace_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      start_ms REAL,
      start_time TEXT,
      name TEXT,
      span_type TEXT,
      -- Null: known by its identity alone.
      shape_id INTEGER,
      state TEXT NOT NULL,
      batch INTEGER,
      item_id TEXT,
      message TEXT,
      PRIMARY KEY (build_id, position)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX span_by_ref ON span (build_id, span_id, trace_id);
    CREATE INDEX span_by_state ON span (build_id, state, position);
    CREATE INDEX span_by_shape ON span (build_id, shape_id, state);
    -- For pages of spans that lack a key: where most do, sorting their positions takes longer than passing the others.
    CREATE INDEX span_by_place ON span (build_id, position, shape_id, state);
    CREATE INDEX span_by_batch ON span (build_id, batch) WHERE batch IS NOT NULL;
    -- Apart from the above, so that counting and paging do not touch the long texts.
    CREATE TABLE span_record (
      build_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (build_id, position)
    ) STRICT;
    -- What is in a dataset by the word of the service or of a person. Outlives the build.
    CREATE TABLE span_receipt (
      dataset_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      build_id TEXT NOT NULL,
      item_id TEXT,
      at_ms INTEGER NOT NULL,
      PRIMARY KEY (dataset_id, span_id, trace_id, build_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE preset (
      preset_id TEXT PRIMARY KEY NOT NULL,
      application_id TEXT NOT NULL,
      name TEXT NOT NULL,
      mapping_json TEXT NOT NULL,
      saved_at_ms INTEGER NOT NULL,
      UNIQUE (application_id, name)
    ) STRICT;
    CREATE TABLE score_item (
      run_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      item_id TEXT NOT NULL,
      -- What the evaluator is given; null where the item lacks a field it needs.
      inputs_json TEXT,
      state TEXT NOT NULL,
      scores_json TEXT,
      error_json TEXT,
      at_ms INTEGER,
      PRIMARY KEY (run_id, position)
    ) STRICT;
    CREATE UNIQUE INDEX score_item_by_item ON score_item (item_id, run_id);
    CREATE INDEX score_item_by_state ON score_item (run_id, state, position);
  `,
};

export const DATASET_MIGRATIONS: readonly Migration[] = [
  baseline,
  reviews,
  spanEdits,
  pickSteps,
  spanStarts,
  spanCounts,
  spansNow,
  spansOfFiles,
  skippedScores,
  scoreTitles,
  checkedResults,
  datasetService,
];
