/** Stored lists that cannot be read. They are treated as not stored, and shown as damaged. */
import type { DamagedSource } from './damaged-rows.ts';
import { generationRow, queryRow } from './library-rows.ts';
import { GENERATION } from './list-store.ts';
import { type Database, parseRow } from './open.ts';

/** Lists that cannot be read themselves, or whose generation cannot be read. */
export function damagedLists(db: Database): DamagedSource {
  const all = db.prepare(
    `SELECT shown.*, query, opened_at_ms AS openedAtMs FROM (${GENERATION}) shown JOIN list ON shown_generation_id = shown.id`,
  );
  const discard = db.prepare('UPDATE generation SET is_discarded = 1 WHERE id = ?');
  const unshow = db.prepare('UPDATE list SET shown_generation_id = NULL WHERE shown_generation_id = ?');
  return {
    kind: 'list',
    rows: () => all.all(),
    read: (row) => {
      parseRow(generationRow, row, 'list');
      parseRow(queryRow, row, 'list');
    },
    columns: { id: 'id', title: 'query', atMs: 'openedAtMs' },
    remove: (id) => {
      discard.run(Number(id));
      unshow.run(Number(id));
    },
  };
}
