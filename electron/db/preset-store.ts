/** Mappings saved by name. */
import { wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import { type Preset, presetContent } from '../shared/preset-contract.ts';
import * as z from '../shared/zod.ts';
import type { DamagedSource } from './damaged-rows.ts';
import { type Database, parseRow } from './open.ts';
import { asChecked, json } from './row-parts.ts';

export interface PresetStore {
  /**
   * Mappings in the order of their names; unreadable ones are left out. `ownerId`: an application, or a fixed word for
   * mappings of files.
   */
  list(ownerId: string): Preset[];
  /** Mappings of an application and of its datasets. */
  listWithin(applicationId: string): Preset[];
  /** Saves a mapping; replaces one of the same name. */
  save(ownerId: string, preset: Preset): void;
  remove(ownerId: string, name: string): void;
  damaged: DamagedSource;
}

const presetRow = z.object({
  presetId: z.string(),
  name: z.string(),
  content: json(presetContent),
  savedAtMs: wallMs,
});

export function createPresetStore(db: Database): PresetStore {
  const columns = 'preset_id AS presetId, name, mapping_json AS content, saved_at_ms AS savedAtMs';
  const list = db.prepare(`SELECT ${columns} FROM preset WHERE application_id = ? ORDER BY name`);
  const within = db.prepare(
    `SELECT ${columns} FROM preset WHERE application_id = @id OR substr(application_id, 1, length(@id) + 1) = @id || ' '
     ORDER BY name`,
  );
  const all = db.prepare(`SELECT ${columns} FROM preset ORDER BY name`);
  const save = db.prepare(
    `INSERT INTO preset (preset_id, application_id, name, mapping_json, saved_at_ms)
     VALUES (@presetId, @ownerId, @name, @content, @savedAtMs)
     ON CONFLICT (application_id, name) DO UPDATE SET preset_id = @presetId, mapping_json = @content,
       saved_at_ms = @savedAtMs`,
  );
  const remove = db.prepare('DELETE FROM preset WHERE application_id = ? AND name = ?');
  const drop = db.prepare('DELETE FROM preset WHERE preset_id = ?');
  const read = (row: unknown) => parseRow(presetRow, row, 'preset');
  return {
    list: (ownerId) => readable(list.all(ownerId), read),
    listWithin: (id) => readable(within.all({ id }), read),
    save: (ownerId, preset) => {
      save.run({ ...preset, ownerId, content: asChecked(presetContent, preset.content, 'preset') });
    },
    remove: (ownerId, name) => {
      remove.run(ownerId, name);
    },
    damaged: {
      kind: 'preset',
      rows: () => all.all(),
      read,
      columns: { id: 'presetId', title: 'name', atMs: 'savedAtMs' },
      remove: (presetId) => {
        drop.run(presetId);
      },
    },
  };
}
