import type { Migration } from '../../migrate.ts';
import { packs } from './1010-packs.ts';
import { network } from './1020-network.ts';

const baseline: Migration = {
  number: 1_000,
  name: 'connections and settings',
  sql: `
    CREATE TABLE connection (
      id TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('service', 'sample')),
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
      CHECK ((token_last_four IS NULL) = (token_saved_at_ms IS NULL))
    ) STRICT;

    CREATE TABLE setting (
      name TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL CHECK (json_valid(value))
    ) STRICT;
  `,
};

export const APP_MIGRATIONS: readonly Migration[] = [baseline, packs, network];
