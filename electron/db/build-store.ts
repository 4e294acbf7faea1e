/** One connection's builds and score runs on disk: `connections/<id>/datasets.db`. */
import type { Clock, Logger } from '../core/ports.ts';
import { createBuildBatches, createBuildRows, type StoredBuild } from './build-rows.ts';
import { createSpanStore, type SpanStore } from './build-span-store.ts';
import { createDamagedRows, type DamagedRows } from './damaged-rows.ts';
import { createItemsStore, type ItemsStore } from './items-store.ts';
import type { JobStore } from './job-store.ts';
import { DATASET_MIGRATIONS } from './migrations/datasets/index.ts';
import { commitOf, type Database, openStore } from './open.ts';
import { createPickStepStore, type PickStepStore } from './pick-step-store.ts';
import { createPresetStore, type PresetStore } from './preset-store.ts';
import { createReviewStore, type ReviewStore } from './review-store.ts';
import {
  createScoreRunStore,
  createScoreStore,
  type ScoreStore,
  type StoredScoreRun,
} from './score-store.ts';
import { type ServiceOfStore, settleMove } from './service-of-store.ts';
import { createSpanFileStore, type SpanFileStore } from './span-file-store.ts';
import { createSpanNowStore, type SpanNowStore } from './span-now-store.ts';

export type { FileProgress, ItemBaseline, StoredBuild, StoredSpan } from './build-rows.ts';
export type { ItemTrace, NewSpan, ShapeCount, SpanFilter } from './build-span-store.ts';
export type { ItemScores, StoredScoreItem, StoredScoreRun } from './score-store.ts';

export interface DatasetStore {
  builds: JobStore<StoredBuild>;
  spans: SpanStore;
  batches: ReturnType<typeof createBuildBatches>;
  /** Spans that were read again and differ from their prepared state. */
  spansNow: SpanNowStore;
  /** Spans whose contents come from a file. */
  spanFiles: SpanFileStore;
  presets: PresetStore;
  reviews: ReviewStore;
  /** Undo and redo steps of the baskets of builds. */
  steps: PickStepStore;
  scoreRuns: JobStore<StoredScoreRun>;
  scores: ScoreStore;
  /** Rows of files as items. */
  items: ItemsStore;
  /** Hides the build. The sweep deletes it unless it is restored before. */
  softDelete(buildId: string, atMs: number): void;
  /** Returns whether the build still existed. */
  restore(buildId: string): boolean;
  /** Unreadable rows of every kind. */
  damaged: DamagedRows;
  /**
   * Runs the work as one atomic commit, which is on disk when this returns. Throws AppError DISK_FULL, STORE_FAILED.
   */
  commit<T>(work: () => T): T;
  /**
   * Commits inside `work` are atomic even after a kill, but reach the disk only with the next commit outside of it.
   * Meant for batches that can be read again, so that only the last one waits for a slow disk.
   */
  unhurried<T>(work: () => T): T;
  /**
   * Deletes up to `maxRows` rows of removed builds, and of builds started before `abandonedMs` and never shown. Returns
   * the number of deleted rows; call it until that is 0.
   */
  sweep(maxRows: number, abandonedMs: number): number;
  close(): void;
}

/** Opens the store so that every commit survives a power cut. Throws the AppErrors of `openStore`. */
export function openDatasetStore(options: {
  file: string;
  clock: Clock;
  logger: Logger;
  service?: ServiceOfStore | undefined;
}): DatasetStore {
  const db = openStore({ ...options, migrations: DATASET_MIGRATIONS, synchronous: 'FULL' });
  if (options.service !== undefined) settleMove(db, options.service, options.clock.nowMs());
  return createDatasetStore(db);
}

/** Cache for the index pages in use at a time, enough for a basket of any length. */
const CACHE_KB = 16_000;
/** A commit that moves this many pages (1 MB) from the log to the file blocks the main thread for only a few ms. */
const CHECKPOINT_PAGES = 250;

export function createDatasetStore(db: Database): DatasetStore {
  db.pragma(`cache_size = -${CACHE_KB}`);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const builds = createBuildRows(db);
  const scoreRuns = createScoreRunStore(db);
  const presets = createPresetStore(db);
  const steps = createPickStepStore(db);
  const items = createItemsStore(db);
  const commit = commitOf(db);
  return {
    builds,
    spans: createSpanStore(db),
    batches: createBuildBatches(db),
    spansNow: createSpanNowStore(db),
    spanFiles: createSpanFileStore(db),
    presets,
    reviews: createReviewStore(db),
    steps,
    scoreRuns,
    scores: createScoreStore(db),
    items,
    damaged: createDamagedRows(
      [
        ...[builds, scoreRuns, items.jobs].map(({ damaged, forget }) => ({ ...damaged, remove: forget })),
        presets.damaged,
        steps.damaged,
      ],
      commit,
    ),
    commit,
    unhurried: (work) => {
      db.pragma('synchronous = NORMAL');
      try {
        return work();
      } finally {
        db.pragma('synchronous = FULL');
      }
    },
    sweep: createSweep(db, steps),
    ...createSoftDelete(db),
    close: () => {
      db.close();
    },
  };
}

function createSoftDelete(db: Database): Pick<DatasetStore, 'softDelete' | 'restore'> {
  const hide = db.prepare('UPDATE job SET is_hidden = 2 WHERE job_id = ? AND is_hidden = 0');
  const note = db.prepare('INSERT OR REPLACE INTO put_away (build_id, at_ms) VALUES (?, ?)');
  const show = db.prepare(
    'UPDATE job SET is_hidden = 0 WHERE is_hidden = 2 AND job_id IN (SELECT build_id FROM put_away WHERE build_id = ?)',
  );
  const forget = db.prepare('DELETE FROM put_away WHERE build_id = ?');
  return {
    softDelete: (buildId, atMs) => {
      if (hide.run(buildId).changes > 0) note.run(buildId, atMs);
    },
    restore: (buildId) => {
      const { changes } = show.run(buildId);
      forget.run(buildId);
      return changes > 0;
    },
  };
}

/** Tables whose rows belong to a job, largest first. */
const OWNED = [
  { table: 'span_record', id: 'build_id', key: 'position' },
  { table: 'span', id: 'build_id', key: 'position' },
  // Deleted after the spans, because deleting a span updates its count.
  { table: 'span_count', id: 'build_id', key: 'block' },
  { table: 'shape', id: 'build_id', key: 'shape_id' },
  { table: 'review_event', id: 'build_id', key: 'seq' },
  { table: 'span_edit', id: 'build_id', key: 'position' },
  { table: 'span_of_file', id: 'build_id', key: 'position' },
  { table: 'span_now', id: 'build_id', key: 'position' },
  { table: 'part', id: 'job_id', key: 'part' },
  { table: 'score_item', id: 'run_id', key: 'position' },
] as const;

function createSweep(db: Database, steps: PickStepStore): DatasetStore['sweep'] {
  const owned = OWNED.map(({ table, id, key }) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (${id}, ${key}) IN (
         SELECT t.${id}, t.${key} FROM job CROSS JOIN ${table} t ON t.${id} = job.job_id
         WHERE job.is_hidden = 1 LIMIT ?)`,
    ),
  );
  const owners = db.prepare('DELETE FROM job WHERE is_hidden = 1');
  const abandon = db.prepare(
    `UPDATE job SET is_hidden = 1 WHERE is_hidden = 2 AND coalesce(
       (SELECT at_ms FROM put_away WHERE build_id = job_id), created_at_ms) < ?`,
  );
  const gone = db.prepare(
    'DELETE FROM put_away WHERE build_id NOT IN (SELECT job_id FROM job WHERE is_hidden = 2)',
  );
  const sweep = db.transaction((maxRows: number, abandonedMs: number): number => {
    abandon.run(abandonedMs);
    gone.run();
    const away = steps.sweep(maxRows);
    if (away > 0) return away;
    for (const statement of owned) {
      const { changes } = statement.run(maxRows);
      if (changes > 0) return changes;
    }
    return owners.run().changes;
  });
  return sweep.immediate;
}
