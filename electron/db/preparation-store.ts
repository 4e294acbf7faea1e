/** Files being prepared for upload: their paths and the choices made so far. */

import { wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import { type UploadChoices, uploadChoices } from '../shared/upload-preparation.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { asJson, json, withFormerName } from './row-parts.ts';

export interface StoredPreparation {
  preparationId: string;
  fileId: string;
  path: string;
  /** Name as it was dropped, with folders; null if only the path was stored. */
  name: string | null;
  sizeBytes: number;
  mtimeMs: number;
  /** Null if the stored choices cannot be read. */
  choices: UploadChoices | null;
  createdAtMs: number;
  changedAtMs: number;
}

export interface PreparationStore {
  /** Inserts the preparation, or replaces everything except the creation time. */
  save(preparation: StoredPreparation & { choices: UploadChoices }): void;
  /** In order of creation. */
  list(): StoredPreparation[];
  /** Stored size and date of a preparation's file; null if the preparation is not stored or has another file. */
  fileOf(preparationId: string, fileId: string): Pick<StoredPreparation, 'sizeBytes' | 'mtimeMs'> | null;
  remove(preparationId: string): void;
}

const fileRow = z.object({ sizeBytes: z.number(), mtimeMs: wallMs });
const row = z.object({
  preparationId: z.string(),
  fileId: z.string(),
  path: z.string(),
  name: z.string().nullable(),
  sizeBytes: z.number(),
  mtimeMs: wallMs,
  // A file with unreadable choices is shown without them.
  choices: json(withFormerName(uploadChoices, 'way', 'sendAs'))
    .nullable()
    .catch(null),
  createdAtMs: wallMs,
  changedAtMs: wallMs,
});

export function createPreparationStore(db: Database): PreparationStore {
  const save = db.prepare(
    `INSERT INTO preparation (preparation_id, file_id, path, name, size_bytes, mtime_ms, choices_json, created_at_ms,
       changed_at_ms)
     VALUES (@preparationId, @fileId, @path, @name, @sizeBytes, @mtimeMs, @choices, @createdAtMs, @changedAtMs)
     ON CONFLICT (preparation_id) DO UPDATE SET file_id = @fileId, path = @path, name = @name, size_bytes = @sizeBytes,
       mtime_ms = @mtimeMs, choices_json = @choices, changed_at_ms = @changedAtMs`,
  );
  const list = db.prepare(
    `SELECT preparation_id AS preparationId, file_id AS fileId, path, name, size_bytes AS sizeBytes, mtime_ms AS mtimeMs,
       choices_json AS choices, created_at_ms AS createdAtMs, changed_at_ms AS changedAtMs
     FROM preparation ORDER BY created_at_ms, rowid`,
  );
  const fileOf = db.prepare(
    `SELECT size_bytes AS sizeBytes, mtime_ms AS mtimeMs FROM preparation WHERE preparation_id = ? AND file_id = ?`,
  );
  const remove = db.prepare('DELETE FROM preparation WHERE preparation_id = ?');
  return {
    save: (preparation) => {
      save.run({ ...preparation, choices: asJson(preparation.choices) });
    },
    list: () => readable(list.all(), (stored) => parseRow(row, stored, 'file being prepared')),
    fileOf: (preparationId, fileId) => {
      const stored = fileOf.get(preparationId, fileId);
      return stored === undefined ? null : parseRow(fileRow, stored, 'file being prepared');
    },
    remove: (preparationId) => {
      remove.run(preparationId);
    },
  };
}
