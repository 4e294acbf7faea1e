import type { Migration } from '../../migrate.ts';

export const packs: Migration = {
  number: 1_010,
  name: 'packs as connections',
  sql: `
    CREATE TABLE connection_new (
      id TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('service', 'sample', 'pack')),
      name TEXT NOT NULL,
      base_url TEXT NOT NULL,
      colour TEXT NOT NULL,
      is_read_only INTEGER NOT NULL CHECK (is_read_only IN (0, 1)),
      allows_plain_http INTEGER NOT NULL CHECK (allows_plain_http IN (0, 1)),
      proxy_url TEXT,
      extra_ca_file TEXT,
      token_storage TEXT NOT NULL CHECK (token_storage IN ('keychain', 'memory')),
      -- Of the token itself nothing else is ever written to a file.
      token_last_four TEXT CHECK (length(token_last_four) <= 4),
      token_saved_at_ms INTEGER,
      created_at_ms INTEGER NOT NULL,
      -- Seconds; NULL for the usual time.
      answer_timeout_s INTEGER CHECK (answer_timeout_s BETWEEN 5 AND 3600),
      -- Of a pack: when it was made, how old its content is, what is masked in it.
      pack_json TEXT CHECK (pack_json IS NULL OR json_valid(pack_json)),
      CHECK ((token_last_four IS NULL) = (token_saved_at_ms IS NULL)),
      CHECK ((pack_json IS NULL) = (kind <> 'pack'))
    ) STRICT;
    INSERT INTO connection_new (id, kind, name, base_url, colour, is_read_only, allows_plain_http, proxy_url,
      extra_ca_file, token_storage, token_last_four, token_saved_at_ms, created_at_ms, answer_timeout_s)
    SELECT id, kind, name, base_url, colour, is_read_only, allows_plain_http, proxy_url, extra_ca_file, token_storage,
      token_last_four, token_saved_at_ms, created_at_ms, answer_timeout_s FROM connection ORDER BY created_at_ms, rowid;
    DROP TABLE connection;
    ALTER TABLE connection_new RENAME TO connection;
  `,
};
