/** Rows of kept lists that the service no longer returns. Call within a transaction. */
import { goneEnding, isMarkedGone } from '../shared/gone-field.ts';
import * as z from '../shared/zod.ts';
import type { NewRow } from './library-rows.ts';
import { type Database, parseRow } from './open.ts';

/** Returns a row with the mark of `goneAtMs`, and whether the mark is new. */
type MarkRow = (row: NewRow, goneAtMs: number) => { row: NewRow; isNew: boolean };

/**
 * Prepares marking. A row that is marked already keeps its earlier time. A row that is not a JSON object stays
 * unmarked.
 */
export function prepareGoneMark(db: Database, nowMs: () => number): MarkRow {
  const begin = db.prepare(
    'INSERT INTO long_text (characters, is_used, touched_at_ms) SELECT characters - 1 + ?, 1, ? FROM long_text WHERE id = ?',
  );
  const copy = db.prepare(`
    INSERT INTO long_text_part (text_id, from_character, part)
    SELECT ?, from_character, part FROM long_text_part WHERE text_id = ?`);
  const last = db
    .prepare('SELECT part FROM long_text_part WHERE text_id = ? ORDER BY from_character DESC LIMIT 1')
    .pluck();
  const end = db.prepare(`
    UPDATE long_text_part SET part = substr(part, 1, length(part) - 1) || :ending
    WHERE text_id = :id
      AND from_character = (SELECT max(from_character) FROM long_text_part WHERE text_id = :id)`);
  const textWith = (textId: number, ending: string): number | null => {
    const part = last.get(textId);
    if (part === undefined || !parseRow(z.string(), part, 'long text').endsWith('}')) return null;
    const id = Number(begin.run(ending.length, nowMs(), textId).lastInsertRowid);
    copy.run(id, textId);
    end.run({ id, ending });
    return id;
  };
  return (row, goneAtMs) => {
    const ending = isMarkedGone(row.record) ? null : goneEnding(row.record, goneAtMs);
    if (ending === null) return { row, isNew: false };
    const textId = row.textId === null ? null : textWith(row.textId, ending);
    if (row.textId !== null && textId === null) return { row, isNew: false };
    return { row: { ...row, record: row.record.slice(0, -1) + ending, textId }, isNew: true };
  };
}

/**
 * Readings of kept lists that were replaced, but are held until a later reading ends and takes over their rows. There
 * is at most one for each list.
 */
export function prepareHeld(db: Database) {
  const hold = db.prepare(`
    UPDATE generation SET is_held = 1
    WHERE id = (SELECT shown_generation_id FROM list WHERE id = :listId) AND is_ended = 1 AND is_discarded = 0
      AND EXISTS (SELECT 1 FROM kept_question JOIN list ON list_key = query_key WHERE list.id = :listId)
      AND NOT EXISTS (SELECT 1 FROM generation WHERE list_id = :listId AND is_held = 1 AND is_discarded = 0)`);
  const release = db.prepare(`
    UPDATE generation SET is_held = 0, is_discarded = iif(id = :shownId, is_discarded, 1)
    WHERE list_id = :listId AND is_held = 1`);
  const find = db
    .prepare(`
      SELECT generation.id FROM generation JOIN list ON list.id = list_id
      WHERE list_key = ? AND is_held = 1 AND is_discarded = 0`)
    .pluck();
  return {
    hold: (listId: number): void => {
      hold.run({ listId });
    },
    release: (listId: number, shownId: number): void => {
      release.run({ listId, shownId });
    },
    of: (listKey: string): number | null => {
      const id = find.get(listKey);
      return id === undefined ? null : parseRow(z.int(), id, 'list');
    },
  };
}
