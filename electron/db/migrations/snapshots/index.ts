/** `snapshots.db`: states of datasets. Data that the service has deleted exists only here. */
import type { Migration } from '../../migrate.ts';
import { schema } from './1010-schema.ts';

const baseline: Migration = {
  number: 1_000,
  name: 'snapshots',
  sql: `
    CREATE TABLE dataset (
      id INTEGER PRIMARY KEY,
      dataset_id TEXT NOT NULL UNIQUE,
      -- Numbers are not given again.
      last_number INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    -- Ids of items: snapshots hold numbers instead.
    CREATE TABLE item_name (id INTEGER PRIMARY KEY, item_id TEXT NOT NULL UNIQUE) STRICT;

    -- Origins and inputs that items share, by hash.
    CREATE TABLE item_key (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE) STRICT;

    -- Sets of fields with their types: many items share few of them.
    CREATE TABLE shape (id INTEGER PRIMARY KEY, fields_json TEXT NOT NULL UNIQUE) STRICT;

    -- One text of an item, whichever snapshots of whichever datasets have it.
    CREATE TABLE content (
      id INTEGER PRIMARY KEY,
      -- Of the JSON text as it came.
      hash BLOB NOT NULL UNIQUE,
      -- Of what it says besides its id and times.
      body_hash BLOB NOT NULL,
      -- The first content that says the same.
      body INTEGER NOT NULL,
      source INTEGER NOT NULL,
      inputs INTEGER NOT NULL,
      shape INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX content_by_body ON content (body_hash);

    CREATE TABLE snapshot (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      dataset INTEGER NOT NULL REFERENCES dataset (id),
      number INTEGER NOT NULL,
      taken_at_ms REAL NOT NULL,
      seen_at_ms REAL NOT NULL,
      items INTEGER NOT NULL,
      added INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      removed INTEGER NOT NULL,
      -- Items by type, by path of the field.
      types_json TEXT NOT NULL,
      -- Numbers of the items in their order (core/snapshots/columns.ts), deflated.
      columns BLOB NOT NULL,
      UNIQUE (dataset, number)
    ) STRICT;
  `,
};

export const SNAPSHOT_MIGRATIONS: readonly Migration[] = [baseline, schema];
