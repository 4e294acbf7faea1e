/** One connection's builds and score runs on disk: `connections/<id>/datasets.db`. */
import { z } from 'zod';
import type { LeaseTable } from '../core/jobs/lease.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import { datasetTarget, type MappingPreset, mapping } from '../shared/dataset-model.ts';
import { toAppError } from '../shared/errors.ts';
import { type BuildBatchStore, createBuildBatchStore } from './build-batch-store.ts';
import { readBuild, type StoredBuild } from './build-rows.ts';
import { createSpanStore, type SpanStore } from './build-span-store.ts';
import { createDamagedRows, type DamagedRows, type DamagedSource } from './damaged-rows.ts';
import type { JobStore } from './job-store.ts';
import { createLeaseTable } from './lease-table.ts';
import { DATASET_MIGRATIONS } from './migrations/datasets/index.ts';
import { type Database, openStore, parseRow } from './open.ts';
import { asChecked, asJson, json, type PlannedStart, plannedRow } from './row-parts.ts';
import {
  createScoreRunStore,
  createScoreStore,
  type ScoreStore,
  type StoredScoreRun,
} from './score-store.ts';

export type { ItemBaseline, StoredBuild, StoredSpan } from './build-rows.ts';
export type { NewSpan, ShapeCount, SpanFilter } from './build-span-store.ts';
export type { ItemScores, StoredScoreItem, StoredScoreRun } from './score-store.ts';

interface BuildRowStore {
  /** `isHidden`: not to be seen before `show`. */
  create(build: StoredBuild, isHidden?: boolean): void;
  show(buildId: string): void;
  /** Writes everything and raises the revision. */
  save(build: StoredBuild): void;
  get(buildId: string): StoredBuild | null;
  revision(buildId: string): number | null;
  /** Newest first; without those that cannot be read. */
  list(): StoredBuild[];
  damaged: DamagedSource;
  /** What begins by itself, and when. */
  scheduled(): PlannedStart[];
  /** It is not seen any more; its rows go with `sweep`. */
  forget(buildId: string): void;
}

interface PresetStore {
  list(applicationId: string): MappingPreset[];
  /** Replaces the one of that name. */
  save(preset: MappingPreset): void;
  remove(presetId: string): void;
}

export interface DatasetStore {
  builds: BuildRowStore;
  leases: LeaseTable;
  spans: SpanStore;
  batches: BuildBatchStore;
  presets: PresetStore;
  scoreRuns: JobStore<StoredScoreRun>;
  scores: ScoreStore;
  /** Of both kinds: what is stored and cannot be read. */
  damaged: DamagedRows;
  /** Everything or nothing, on the disk before it returns. Throws AppError DISK_FULL, STORE_FAILED. */
  commit<T>(work: () => T): T;
  /**
   * Commits of `work` are whole after a kill, but on the disk only with the next commit outside of this: for pieces of
   * what can be read again, of which only the last has to wait for a slow disk.
   */
  unhurried<T>(work: () => T): T;
  /**
   * Deletes up to `maxRows` rows of what was forgotten, and of what was being made before `abandonedMs` and never
   * shown; answers how many. Call until it answers 0.
   */
  sweep(maxRows: number, abandonedMs: number): number;
  close(): void;
}

/** A commit survives a power cut. Throws AppError as `openStore` does. */
export function openDatasetStore(options: { file: string; clock: Clock; logger: Logger }): DatasetStore {
  return createDatasetStore(openStore({ ...options, migrations: DATASET_MIGRATIONS, synchronous: 'FULL' }));
}

/** Room for the indexes of a build of 100,000 spans: counting and paging then read no file. */
const CACHE_KB = 16_000;
/** The commit that moves so many pages (1 MB) from the log to the file still holds the main thread for a few ms only. */
const CHECKPOINT_PAGES = 250;

export function createDatasetStore(db: Database): DatasetStore {
  db.pragma(`cache_size = -${CACHE_KB}`);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const builds = createBuildRows(db);
  const scoreRuns = createScoreRunStore(db);
  const commit = <T>(work: () => T): T => {
    try {
      return db.transaction(work).immediate();
    } catch (problem) {
      throw toAppError(problem);
    }
  };
  return {
    builds,
    leases: createLeaseTable(db, 'build', 'build_id'),
    spans: createSpanStore(db),
    batches: createBuildBatchStore(db),
    presets: createPresets(db),
    scoreRuns,
    scores: createScoreStore(db),
    damaged: createDamagedRows([builds.damaged, { ...scoreRuns.damaged, remove: scoreRuns.forget }], commit),
    commit,
    unhurried: (work) => {
      db.pragma('synchronous = NORMAL');
      try {
        return work();
      } finally {
        db.pragma('synchronous = FULL');
      }
    },
    sweep: createSweep(db),
    close: () => {
      db.close();
    },
  };
}

const COLUMNS = `build_id AS buildId, revision, name, application_id AS applicationId,
  application_name AS applicationName, state, reason, error_json AS error, mapping_json AS mapping,
  target_json AS target, dataset_id AS datasetId, creating_since_ms AS creatingSinceMs, skips_added AS skipsAdded,
  skips_unresolved AS skipsUnresolved, margin_ms AS marginMs, time_range_json AS timeRange,
  picked_range_json AS pickedRange, first_start_ms AS firstStartMs, last_start_ms AS lastStartMs,
  call_spans AS callSpans, next_position AS nextPosition, baseline_json AS baseline, fill_json AS fill,
  check_json AS "check", start_at_ms AS startAtMs, late_start_json AS lateStart, created_at_ms AS createdAtMs,
  changed_at_ms AS changedAtMs, ended_at_ms AS endedAtMs`;

function bind(build: StoredBuild): Record<string, unknown> {
  return {
    ...build,
    error: asJson(build.error),
    mapping: asChecked(mapping, build.mapping, 'mapping'),
    target: build.target === null ? null : asChecked(datasetTarget, build.target, 'dataset'),
    timeRange: asJson(build.timeRange),
    pickedRange: asJson(build.pickedRange),
    baseline: asJson(build.baseline),
    fill: asJson(build.fill),
    check: asJson(build.check),
    lateStart: asJson(build.lateStart),
    skipsAdded: build.skipsAdded ? 1 : 0,
    skipsUnresolved: build.skipsUnresolved ? 1 : 0,
  };
}

function createBuildRows(db: Database): BuildRowStore {
  const create = db.prepare(
    `INSERT INTO build (build_id, revision, name, application_id, application_name, state, reason, error_json,
       mapping_json, target_json, dataset_id, creating_since_ms, skips_added, skips_unresolved, margin_ms,
       time_range_json, picked_range_json, first_start_ms, last_start_ms, call_spans, next_position, baseline_json,
       fill_json, check_json, is_forgotten, created_at_ms, changed_at_ms, ended_at_ms, start_at_ms, late_start_json)
     VALUES (@buildId, 0, @name, @applicationId, @applicationName, @state, @reason, @error, @mapping, @target,
       @datasetId, @creatingSinceMs, @skipsAdded, @skipsUnresolved, @marginMs, @timeRange, @pickedRange,
       @firstStartMs, @lastStartMs, @callSpans, @nextPosition, @baseline, @fill, @check, @isForgotten, @createdAtMs,
       @changedAtMs, @endedAtMs, @startAtMs, @lateStart)`,
  );
  const save = db.prepare(
    `UPDATE build SET revision = revision + 1, name = @name, state = @state, reason = @reason, error_json = @error,
       mapping_json = @mapping, target_json = @target, dataset_id = @datasetId, creating_since_ms = @creatingSinceMs,
       skips_added = @skipsAdded, skips_unresolved = @skipsUnresolved, margin_ms = @marginMs,
       time_range_json = @timeRange, picked_range_json = @pickedRange, first_start_ms = @firstStartMs,
       last_start_ms = @lastStartMs, call_spans = @callSpans, next_position = @nextPosition,
       baseline_json = @baseline, fill_json = @fill, check_json = @check, changed_at_ms = @changedAtMs,
       ended_at_ms = @endedAtMs, start_at_ms = @startAtMs, late_start_json = @lateStart WHERE build_id = @buildId`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM build WHERE build_id = ? AND is_forgotten = 0`);
  const list = db.prepare(
    `SELECT ${COLUMNS} FROM build WHERE is_forgotten = 0 ORDER BY created_at_ms DESC, build_id`,
  );
  const scheduled = db.prepare(
    `SELECT build_id AS id, start_at_ms AS startAtMs FROM build
     WHERE start_at_ms IS NOT NULL AND is_forgotten = 0`,
  );
  const revision = db
    .prepare<[string], number>('SELECT revision FROM build WHERE build_id = ? AND is_forgotten = 0')
    .pluck();
  const show = db.prepare('UPDATE build SET is_forgotten = 0 WHERE build_id = ?');
  const forget = db.prepare('UPDATE build SET is_forgotten = 1 WHERE build_id = ?');
  return {
    create: (build, isHidden = false) => {
      create.run({ ...bind(build), isForgotten: isHidden ? 2 : 0 });
    },
    show: (buildId) => {
      show.run(buildId);
    },
    save: (build) => {
      save.run(bind(build));
    },
    get: (buildId) => {
      const row = get.get(buildId);
      return row === undefined ? null : readBuild(row);
    },
    revision: (buildId) => revision.get(buildId) ?? null,
    list: () => readable(list.all(), readBuild),
    damaged: {
      kind: 'build',
      rows: () => list.all(),
      read: readBuild,
      columns: { id: 'buildId', title: 'name', atMs: 'createdAtMs' },
      remove: (buildId) => {
        forget.run(buildId);
      },
    },
    scheduled: () => scheduled.all().map((row) => parseRow(plannedRow, row, 'planned start')),
    forget: (buildId) => {
      forget.run(buildId);
    },
  };
}

const presetRow = z.object({
  presetId: z.string(),
  applicationId: z.string(),
  name: z.string(),
  mapping: json(mapping),
  savedAtMs: z.number(),
});

function createPresets(db: Database): PresetStore {
  const list = db.prepare(
    `SELECT preset_id AS presetId, application_id AS applicationId, name, mapping_json AS mapping,
       saved_at_ms AS savedAtMs FROM preset WHERE application_id = ? ORDER BY name`,
  );
  const save = db.prepare(
    `INSERT INTO preset (preset_id, application_id, name, mapping_json, saved_at_ms)
     VALUES (@presetId, @applicationId, @name, @mapping, @savedAtMs)
     ON CONFLICT (application_id, name) DO UPDATE SET preset_id = @presetId, mapping_json = @mapping,
       saved_at_ms = @savedAtMs`,
  );
  const remove = db.prepare('DELETE FROM preset WHERE preset_id = ?');
  return {
    // A preset is typed again in a moment.
    list: (applicationId) => readable(list.all(applicationId), (row) => parseRow(presetRow, row, 'preset')),
    save: (preset) => {
      save.run({ ...preset, mapping: asChecked(mapping, preset.mapping, 'preset') });
    },
    remove: (presetId) => {
      remove.run(presetId);
    },
  };
}

/** Tables whose rows go with what they belong to, largest first. */
const OWNED = [
  { table: 'span_record', owner: 'build', id: 'build_id', key: 'position' },
  { table: 'span', owner: 'build', id: 'build_id', key: 'position' },
  { table: 'shape', owner: 'build', id: 'build_id', key: 'shape_id' },
  { table: 'batch', owner: 'build', id: 'build_id', key: 'batch' },
  { table: 'score_item', owner: 'job', id: 'run_id', key: 'position' },
] as const;

function createSweep(db: Database): DatasetStore['sweep'] {
  const owners = {
    build: 'build_id FROM build WHERE is_forgotten = 1',
    job: 'job_id FROM job WHERE is_hidden = 1',
  };
  const owned = OWNED.map(({ table, owner, id, key }) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (${id}, ${key}) IN (
         SELECT t.${id}, t.${key} FROM (SELECT ${owners[owner]}) o CROSS JOIN ${table} t
         ON t.${id} = o.${owner}_id LIMIT ?)`,
    ),
  );
  const forgotten = [
    db.prepare('DELETE FROM build WHERE is_forgotten = 1'),
    db.prepare('DELETE FROM job WHERE is_hidden = 1'),
  ];
  const abandon = db.prepare(
    'UPDATE build SET is_forgotten = 1 WHERE is_forgotten = 2 AND created_at_ms < ?',
  );
  const sweep = db.transaction((maxRows: number, abandonedMs: number): number => {
    abandon.run(abandonedMs);
    for (const statement of owned) {
      const { changes } = statement.run(maxRows);
      if (changes > 0) return changes;
    }
    return forgotten.reduce((sum, statement) => sum + statement.run().changes, 0);
  });
  return sweep.immediate;
}
