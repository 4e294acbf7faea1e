/** Texts of stored records too long for a single step: written and read in parts. */
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

interface TextPart {
  /** Text in UTF-8. */
  bytes: Uint8Array;
  characters: number;
}

export interface LongTextStore {
  /** Adds an empty text; it is deleted if nothing refers to it for some time. */
  begin(): number;
  add(textId: number, part: TextPart): void;
  /** The part that begins at a character; empty at the end, null if the text is no longer stored. */
  part(textId: number, from: number): string | null;
  /** All parts joined; null if the text is no longer stored. */
  whole(textId: number): string | null;
  /** Length in characters; null if it is no longer stored. */
  characters(textId: number): number | null;
  /** Deletes up to `maxParts` parts of unreferenced texts; returns their number. Call until it returns 0. */
  sweep(maxParts: number): number;
}

/** A text unreferenced for this long belongs to a killed process. */
const ABANDONED_AFTER_MS = 15 * 60_000;
const text = z.string();
const count = z.int();
const texts = z.array(z.string());

export function createLongTextStore(db: Database, nowMs: () => number): LongTextStore {
  const begin = db.prepare('INSERT INTO long_text (touched_at_ms) VALUES (?)');
  const put = db.prepare(`
    INSERT INTO long_text_part (text_id, from_character, part)
    SELECT id, characters, CAST(:bytes AS TEXT) FROM long_text WHERE id = :id`);
  const grow = db.prepare(
    'UPDATE long_text SET characters = characters + :characters, touched_at_ms = :atMs WHERE id = :id',
  );
  const part = db.prepare('SELECT part FROM long_text_part WHERE text_id = ? AND from_character = ?').pluck();
  const parts = db
    .prepare('SELECT part FROM long_text_part WHERE text_id = ? ORDER BY from_character')
    .pluck();
  const characters = db.prepare('SELECT characters FROM long_text WHERE id = ?').pluck();
  const unused = `
    NOT EXISTS (SELECT 1 FROM list_row WHERE text_id = long_text.id)
    AND NOT EXISTS (SELECT 1 FROM record WHERE text_id = long_text.id)
    AND (is_used = 1 OR touched_at_ms < :oldestMs)`;
  const sweepParts = db.prepare(`
    DELETE FROM long_text_part WHERE rowid IN (
      SELECT rowid FROM long_text_part WHERE text_id IN (SELECT id FROM long_text WHERE ${unused}) LIMIT :maxParts)`);
  const sweepTexts = db.prepare(`
    DELETE FROM long_text WHERE ${unused}
      AND NOT EXISTS (SELECT 1 FROM long_text_part WHERE text_id = long_text.id)`);
  const anyUnused = db.prepare(`SELECT 1 FROM long_text WHERE ${unused} LIMIT 1`);
  const lengthOf = (textId: number): number | null => {
    const row = characters.get(textId);
    return row === undefined ? null : parseRow(count, row, 'long text');
  };
  const add = db.transaction((id: number, { bytes, characters: added }: TextPart): void => {
    put.run({ id, bytes });
    grow.run({ id, characters: added, atMs: nowMs() });
  });
  const sweep = db.transaction((maxParts: number, oldestMs: number): number => {
    const deleted = sweepParts.run({ oldestMs, maxParts }).changes;
    if (deleted < maxParts) sweepTexts.run({ oldestMs });
    return deleted;
  });
  return {
    begin: () => Number(begin.run(nowMs()).lastInsertRowid),
    add: add.immediate,
    part: (textId, from) => {
      const row = part.get(textId, from);
      if (row !== undefined) return parseRow(text, row, 'long text');
      return lengthOf(textId) === from ? '' : null;
    },
    whole: (textId) =>
      lengthOf(textId) === null ? null : parseRow(texts, parts.all(textId), 'long text').join(''),
    characters: lengthOf,
    sweep: (maxParts) => {
      const oldestMs = nowMs() - ABANDONED_AFTER_MS;
      // Checks first, without a write lock, because there is usually nothing to delete.
      return anyUnused.get({ oldestMs }) === undefined ? 0 : sweep.immediate(maxParts, oldestMs);
    },
  };
}

/**
 * Returns a function that marks a text as used; call it in the transaction that writes the row referring to the text.
 */
export function prepareUse(db: Database): (textId: number | null) => void {
  const use = db.prepare('UPDATE long_text SET is_used = 1 WHERE id = ?');
  return (textId) => {
    if (textId !== null) use.run(textId);
  };
}
