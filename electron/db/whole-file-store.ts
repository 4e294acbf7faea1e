/** Files that were sent whole: one row each, kept until a person forgets it. */
import { z } from 'zod';
import type { WireError } from '../shared/errors.ts';
import { WHOLE_FILE_STATES, type WholeFileState } from '../shared/whole-file-contract.ts';
import { type Database, parseRow } from './open.ts';
import { asJson, flag, json, wireError } from './row-parts.ts';

export interface StoredWholeFile {
  id: string;
  path: string;
  name: string;
  sizeBytes: number;
  mtimeMs: number;
  partBytes: number;
  partsSent: number;
  modelId: string | null;
  envType: string;
  envName: string | null;
  publishes: boolean;
  state: WholeFileState;
  /** The process that sends it. */
  processId: number;
  file: Record<string, unknown> | null;
  jobId: string | null;
  jobStatus: string | null;
  progress: number | null;
  error: WireError | null;
  startedAtMs: number;
  endedAtMs: number | null;
}

export interface WholeFileStore {
  save(file: StoredWholeFile): void;
  get(id: string): StoredWholeFile | null;
  /** Newest first. */
  list(): StoredWholeFile[];
  remove(id: string): void;
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
  processId: z.number(),
  file: json(z.record(z.string(), z.unknown())).nullable(),
  jobId: z.string().nullable(),
  jobStatus: z.string().nullable(),
  progress: z.number().nullable(),
  error: json(wireError).nullable(),
  startedAtMs: z.number(),
  endedAtMs: z.number().nullable(),
});
const readFile = (row: unknown): StoredWholeFile => parseRow(fileRow, row, 'file sent whole');

export function createWholeFileStore(db: Database): WholeFileStore {
  const columns = `whole_file_id AS id, path, file_name AS name, size_bytes AS sizeBytes, mtime_ms AS mtimeMs,
    part_bytes AS partBytes, parts_sent AS partsSent, model_id AS modelId, env_type AS envType, env_name AS envName,
    publishes, state, process_id AS processId, file_json AS file, service_job_id AS jobId, job_status AS jobStatus,
    progress, error_json AS error, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs`;
  const save = db.prepare(
    `INSERT INTO whole_file (whole_file_id, path, file_name, size_bytes, mtime_ms, part_bytes, parts_sent, model_id,
       env_type, env_name, publishes, state, process_id, file_json, service_job_id, job_status, progress, error_json,
       started_at_ms, ended_at_ms)
     VALUES (@id, @path, @name, @sizeBytes, @mtimeMs, @partBytes, @partsSent, @modelId, @envType, @envName,
       @publishes, @state, @processId, @file, @jobId, @jobStatus, @progress, @error, @startedAtMs, @endedAtMs)
     ON CONFLICT (whole_file_id) DO UPDATE SET parts_sent = @partsSent, state = @state, process_id = @processId,
       file_json = @file, service_job_id = @jobId, job_status = @jobStatus, progress = @progress,
       error_json = @error, started_at_ms = @startedAtMs, ended_at_ms = @endedAtMs`,
  );
  const get = db.prepare(`SELECT ${columns} FROM whole_file WHERE whole_file_id = ?`);
  const list = db.prepare(
    `SELECT ${columns} FROM whole_file ORDER BY started_at_ms DESC, whole_file_id LIMIT 500`,
  );
  const remove = db.prepare('DELETE FROM whole_file WHERE whole_file_id = ?');
  return {
    save: (stored) => {
      const { publishes, file, error } = stored;
      save.run({ ...stored, publishes: publishes ? 1 : 0, file: asJson(file), error: asJson(error) });
    },
    get: (id) => {
      const row = get.get(id);
      return row === undefined ? null : readFile(row);
    },
    list: () => list.all().map(readFile),
    remove: (id) => {
      remove.run(id);
    },
  };
}
