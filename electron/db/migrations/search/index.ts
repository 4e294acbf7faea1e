/**
 * `search.db`: an index of `library.db` that can be rebuilt at any time. If its schema changes, the index is rebuilt.
 */
import type { StoredKind } from '../../../core/search/documents.ts';
import type { Migration } from '../../migrate.ts';

/**
 * Texts are case-folded, so that case is ignored in every script, and split into words, each stored once. A search
 * first matches words (`letters`, trigrams), then the rows that contain them (`text`, word numbers). This is fast
 * because few words occur in most rows, while a trigram occurs in far more rows than the searched text.
 */
const ofKind = (kind: StoredKind): string => `
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
  CREATE TABLE word_${kind} (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE VIRTUAL TABLE letters_${kind} USING fts5(
    text, content = '', columnsize = 0, detail = full, tokenize = 'trigram case_sensitive 1');
  CREATE VIRTUAL TABLE gram_${kind} USING fts5vocab(letters_${kind}, instance);
  CREATE VIRTUAL TABLE text_${kind} USING fts5(
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  INSERT INTO extent (kind) VALUES ('${kind}');`;

const FIRST_KINDS: readonly StoredKind[] = ['names', 'attributes', 'resources', 'items', 'spans', 'values'];

export const SEARCH_MIGRATIONS: readonly Migration[] = [
  {
    number: 21,
    name: 'words of stored rows, JSON in texts without its escapes',
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

      -- Rows of a kind that are in the index, and that left it: their words stay until the kind is indexed anew.
      CREATE TABLE extent (
        kind TEXT PRIMARY KEY,
        row_count INTEGER NOT NULL DEFAULT 0,
        gone_count INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      ${FIRST_KINDS.map(ofKind).join('\n')}
    `,
  },
  {
    number: 30,
    name: 'entities of lists of one type',
    sql: `
      -- What an entity is told from others by does not depend on its list any more: all of them are read again.
      INSERT INTO todo (generation_id, from_position, to_position, row_count)
      SELECT generation_id, 0, 9007199254740991, 0 FROM source WHERE kind IN ('names', 'values', 'items');
    `,
  },
  {
    number: 31,
    name: 'results of experiments',
    sql: ofKind('results'),
  },
];
