import type { Migration } from '../../migrate.ts';
import { unknownUse } from './1010-unknown-use.ts';

/** Times are ledger time (see core/limits/budget-ledger.ts), including fractions of a millisecond. */
const baseline: Migration = {
  number: 1_000,
  name: 'permits',
  sql: `
    CREATE TABLE ledger (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Ledger time was ledger_ms when the computer's time since boot was boot_ms.
      boot_ms REAL NOT NULL,
      ledger_ms REAL NOT NULL,
      -- Goes up with every change: how another process sees what is new.
      sequence INTEGER NOT NULL,
      holder INTEGER NOT NULL,
      -- Time since a start of the computer is only that where it is the same start of the same computer.
      computer TEXT NOT NULL DEFAULT '',
      start TEXT NOT NULL DEFAULT ''
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
    -- A row is a block of permits of one lane, so that many cost one write. Other processes know permits by the ids of
    -- their blocks, so none is ever used again: it begins with the sequence.
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
    -- The only index: each costs a page with every permit, and the table holds some minutes of requests.
    CREATE INDEX permit_block_by_sequence ON permit_block (sequence);
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
      received_at_ms REAL NOT NULL,
      wall_ms REAL
    ) STRICT;
  `,
};

export const BUDGET_MIGRATIONS: readonly Migration[] = [baseline, unknownUse];
