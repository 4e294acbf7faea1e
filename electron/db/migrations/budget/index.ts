import type { Migration } from '../../migrate.ts';

/** Times are ledger time (see core/limits/budget-ledger.ts), fractions of a millisecond included. */
const permits: Migration = {
  number: 10,
  name: 'permits',
  sql: `
    CREATE TABLE ledger (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Ledger time was ledger_ms when the computer's time since boot was boot_ms.
      boot_ms REAL NOT NULL,
      ledger_ms REAL NOT NULL,
      -- Goes up with every change: how another process sees what is new.
      sequence INTEGER NOT NULL,
      holder INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE lane (
      id INTEGER PRIMARY KEY,
      origin TEXT NOT NULL,
      token_id TEXT NOT NULL,
      operation TEXT NOT NULL,
      learned TEXT,
      sequence INTEGER NOT NULL,
      holder INTEGER NOT NULL,
      UNIQUE (origin, token_id, operation)
    ) STRICT;
    -- Other processes know permits by id, so none is ever used again: it begins with the sequence.
    CREATE TABLE permit (
      id INTEGER PRIMARY KEY,
      lane_id INTEGER NOT NULL REFERENCES lane (id) ON DELETE CASCADE,
      open_until_ms REAL NOT NULL,
      done_at_ms REAL,
      is_released INTEGER NOT NULL DEFAULT 0 CHECK (is_released IN (0, 1)),
      keep_until_ms REAL NOT NULL,
      sequence INTEGER NOT NULL,
      holder INTEGER NOT NULL
    ) STRICT;
    -- The only index: each costs a page with every permit, and the table holds some minutes of requests.
    CREATE INDEX permit_by_sequence ON permit (sequence);
    -- The processes on this file. One that was killed leaves its row, and its open permits, behind.
    CREATE TABLE holder (
      id INTEGER PRIMARY KEY,
      pid INTEGER NOT NULL,
      space TEXT NOT NULL
    ) STRICT;
    CREATE TABLE service_time (
      origin TEXT PRIMARY KEY NOT NULL,
      date_ms REAL NOT NULL,
      sent_at_ms REAL NOT NULL,
      received_at_ms REAL NOT NULL
    ) STRICT;
  `,
};

/**
 * A row is a block of permits of one lane, so that many cost one write. What was recorded before becomes blocks of one
 * permit; their ids are negative, since ids of blocks grow more slowly than those of permits did.
 */
const blocks: Migration = {
  number: 20,
  name: 'blocks of permits, wall time beside the time of the service',
  sql: `
    CREATE TABLE permit_block (
      id INTEGER PRIMARY KEY,
      lane_id INTEGER NOT NULL REFERENCES lane (id) ON DELETE CASCADE,
      -- JSON array, for each permit: null while it is open, -1 when its request surely never left, else when it was answered.
      slots TEXT NOT NULL,
      open_until_ms REAL NOT NULL,
      -- The latest answer.
      done_at_ms REAL,
      keep_until_ms REAL NOT NULL,
      sequence INTEGER NOT NULL,
      -- Who wrote it last, and whose permits they are.
      holder INTEGER NOT NULL,
      owner INTEGER NOT NULL
    ) STRICT;
    INSERT INTO permit_block (id, lane_id, slots, open_until_ms, done_at_ms, keep_until_ms, sequence, holder, owner)
      SELECT -id, lane_id, json_array(iif(is_released = 1, -1, done_at_ms)), open_until_ms, done_at_ms, keep_until_ms,
        sequence, holder, holder
      FROM permit;
    DROP TABLE permit;
    CREATE INDEX permit_block_by_sequence ON permit_block (sequence);
    ALTER TABLE service_time ADD COLUMN wall_ms REAL;
  `,
};

/**
 * From now on every commit says what time it was. Until then the latest answer told, which may be noted for some time
 * to come: two minutes are left out.
 */
const lastCommit: Migration = {
  number: 30,
  name: 'ledger time of the last commit',
  sql: `
    UPDATE ledger SET boot_ms = boot_ms + latest.ms - ledger_ms, ledger_ms = latest.ms
      FROM (SELECT max(done_at_ms) - 120000 AS ms FROM permit_block) AS latest
      WHERE latest.ms > ledger_ms;
  `,
};

/** Time since a start of the computer is only that where it is the same start of the same computer. */
const computer: Migration = {
  number: 40,
  name: 'whose time since its start it is',
  sql: `
    ALTER TABLE ledger ADD COLUMN computer TEXT NOT NULL DEFAULT '';
    ALTER TABLE ledger ADD COLUMN start TEXT NOT NULL DEFAULT '';
  `,
};

export const BUDGET_MIGRATIONS: readonly Migration[] = [permits, blocks, lastCommit, computer];
