/**
 * Changes of the stored lists that the search index has not read yet, noted in the transaction that writes the rows,
 * one entry for each page. The index is a separate file written by a thread, because indexing 1,000 rows would block
 * the main thread too long.
 */
import { onlyReads } from './only-reads.ts';
import type { Database } from './open.ts';

/** End of a range that extends to the end of the list. */
export const ALL_POSITIONS = Number.MAX_SAFE_INTEGER;

export type NoteChange = (generationId: number, from: number, to: number) => void;

export interface SearchChanges {
  /** Notes a change; call it within the transaction of the rows. */
  note: NoteChange;
  /** The listener is called with each change, before it is committed. */
  listen(listener: () => void): void;
  /** Whether there are changes that no index has read. */
  hasSome(): boolean;
  /** Deletes the changes up to this number, which the index has read; does nothing in a process that only reads. */
  clear(seq: number): void;
}

export function createSearchChanges(db: Database): SearchChanges {
  const insert = db.prepare(
    'INSERT INTO search_change (generation_id, from_position, to_position) VALUES (?, ?, ?)',
  );
  const first = db.prepare('SELECT 1 FROM search_change LIMIT 1');
  const clear = db.prepare('DELETE FROM search_change WHERE seq <= ?');
  let changed = (): void => undefined;
  return {
    note: (generationId, from, to) => {
      if (to <= from) return;
      insert.run(generationId, from, to);
      changed();
    },
    listen: (listener) => {
      changed = listener;
    },
    hasSome: () => first.get() !== undefined,
    clear: (seq) => {
      if (!onlyReads()) clear.run(seq);
    },
  };
}
