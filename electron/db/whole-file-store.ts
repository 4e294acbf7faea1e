/** Files that were sent whole: one row each, kept until a person forgets it. */
import { z } from 'zod';
import type { LeaseTable } from '../core/jobs/lease.ts';
import { readable } from '../core/readable.ts';
import { WHOLE_FILE_STATES, type WholeFile } from '../shared/whole-file-contract.ts';
import type { DamagedSource } from './damaged-rows.ts';
import { createLeaseTable } from './lease-table.ts';
import { type Database, parseRow } from './open.ts';
import { asJson, flag, json, lateStart, type PlannedStart, plannedRow, wireError } from './row-parts.ts';

/** What is shown of it, but for what follows from the row, and what is needed to go on with it. */
export interface StoredWholeFile extends Omit<WholeFile, 'parts' | 'bytesSent' | 'again'> {
  path: string;
  mtimeMs: number;
  partBytes: number;
}

export interface WholeFileStore {
  save(file: StoredWholeFile): void;
  get(id: string): StoredWholeFile | null;
  /** Newest first; without those that cannot be read. */
  list(): StoredWholeFile[];
  damaged: DamagedSource;
  /** What begins by itself, and when. */
  scheduled(): PlannedStart[];
  remove(id: string): void;
  leases: LeaseTable;
}

const fileRow = z.object({
  id: z.string(),
  path: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  mtimeMs: z.number(),
  partBytes: z.number(),
  partsSent: z.number(),
  modelId: z.string().nullable(),
  envType: z.string(),
  envName: z.string().nullable(),
  publishes: flag,
  state: z.enum(WHOLE_FILE_STATES),
  file: json(z.record(z.string(), z.unknown())).nullable(),
  jobId: z.string().nullable(),
  jobStatus: z.string().nullable(),
  progress: z.number().nullable(),
  error: json(wireError).nullable(),
  startAtMs: z.number().nullable(),
  lateStart: json(lateStart).nullable(),
  startedAtMs: z.number(),
  endedAtMs: z.number().nullable(),
});
const readFile = (row: unknown): StoredWholeFile => parseRow(fileRow, row, 'file sent as is');

export function createWholeFileStore(db: Database): WholeFileStore {
  const columns = `whole_file_id AS id, path, file_name AS name, size_bytes AS sizeBytes, mtime_ms AS mtimeMs,
    part_bytes AS partBytes, parts_sent AS partsSent, model_id AS modelId, env_type AS envType, env_name AS envName,
    publishes, state, file_json AS file, service_job_id AS jobId, job_status AS jobStatus,
    progress, error_json AS error, start_at_ms AS startAtMs, late_start_json AS lateStart, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs`;
  const save = db.prepare(
    `INSERT INTO whole_file (whole_file_id, path, file_name, size_bytes, mtime_ms, part_bytes, parts_sent, model_id,
       env_type, env_name, publishes, state, file_json, service_job_id, job_status, progress, error_json,
       started_at_ms, ended_at_ms, start_at_ms, late_start_json)
     VALUES (@id, @path, @name, @sizeBytes, @mtimeMs, @partBytes, @partsSent, @modelId, @envType, @envName,
       @publishes, @state, @file, @jobId, @jobStatus, @progress, @error, @startedAtMs, @endedAtMs,
       @startAtMs, @lateStart)
     ON CONFLICT (whole_file_id) DO UPDATE SET parts_sent = @partsSent, state = @state,
       file_json = @file, service_job_id = @jobId, job_status = @jobStatus, progress = @progress,
       error_json = @error, started_at_ms = @startedAtMs, ended_at_ms = @endedAtMs, start_at_ms = @startAtMs,
       late_start_json = @lateStart`,
  );
  const get = db.prepare(`SELECT ${columns} FROM whole_file WHERE whole_file_id = ?`);
  const list = db.prepare(
    `SELECT ${columns} FROM whole_file ORDER BY started_at_ms DESC, whole_file_id LIMIT 500`,
  );
  const scheduled = db.prepare(
    `SELECT whole_file_id AS id, start_at_ms AS startAtMs FROM whole_file
     WHERE state = 'scheduled' AND start_at_ms IS NOT NULL`,
  );
  const remove = db.prepare('DELETE FROM whole_file WHERE whole_file_id = ?');
  return {
    save: (stored) => {
      const { publishes, file, error, lateStart: late } = stored;
      const texts = { file: asJson(file), error: asJson(error), lateStart: asJson(late) };
      save.run({ ...stored, ...texts, publishes: publishes ? 1 : 0 });
    },
    get: (id) => {
      const row = get.get(id);
      return row === undefined ? null : readFile(row);
    },
    list: () => readable(list.all(), readFile),
    damaged: {
      kind: 'file',
      rows: () => list.all(),
      read: readFile,
      columns: { id: 'id', title: 'name', atMs: 'startedAtMs' },
      remove: (id) => {
        remove.run(id);
      },
    },
    scheduled: () => scheduled.all().map((row) => parseRow(plannedRow, row, 'planned start')),
    remove: (id) => {
      remove.run(id);
    },
    leases: createLeaseTable(db, 'whole_file', 'whole_file_id'),
  };
}
