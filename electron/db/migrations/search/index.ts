/** `search.db`: an index of `library.db` that can be made anew at any time. A change of its form makes it anew. */
import { STORED_KINDS } from '../../../core/search/documents.ts';
import type { Migration } from '../../migrate.ts';

/**
 * Texts come folded, so that every script is searched without case; they are not stored twice. Positions within them
 * are (`detail=full`): a phrase of three letters or more is found exactly.
 */
const ofKind = (kind: string): string => `
  CREATE TABLE doc_${kind} (
    id INTEGER PRIMARY KEY,
    generation_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- Folded.
    title TEXT NOT NULL,
    at_ms INTEGER,
    application_id TEXT,
    -- Hash of what tells the record from others, the same in every list that holds it; null where nothing does.
    same INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX doc_${kind}_by_place ON doc_${kind} (generation_id, position);
  CREATE INDEX doc_${kind}_by_title ON doc_${kind} (title);
  CREATE VIRTUAL TABLE text_${kind} USING fts5(
    text, content = '', contentless_delete = 1, detail = full, tokenize = 'trigram case_sensitive 1');
  CREATE VIRTUAL TABLE gram_${kind} USING fts5vocab(text_${kind}, instance);`;

export const SEARCH_MIGRATIONS: readonly Migration[] = [
  {
    number: 10,
    name: 'index of stored rows',
    sql: `
      -- The last change of the library that was taken over; 0: everything stored is to be read.
      CREATE TABLE progress (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
      INSERT INTO progress (id, seq) VALUES (1, -1);

      -- Positions that are to be read again, the last one not included.
      CREATE TABLE todo (
        id INTEGER PRIMARY KEY,
        generation_id INTEGER NOT NULL,
        from_position INTEGER NOT NULL,
        to_position INTEGER NOT NULL,
        row_count INTEGER NOT NULL
      ) STRICT;

      -- Readings of lists that have rows in the index.
      CREATE TABLE source (generation_id INTEGER PRIMARY KEY, kind TEXT NOT NULL) STRICT;
      ${STORED_KINDS.map(ofKind).join('\n')}
    `,
  },
];
