import type { Database } from 'better-sqlite3';

export type BudgetStatements = ReturnType<typeof budgetStatements>;

/** Every statement of the budget file, prepared once. */
export function budgetStatements(db: Database) {
  return {
    readLedger: db.prepare('SELECT boot_ms, ledger_ms, sequence FROM ledger WHERE id = 1'),
    createLedger: db.prepare(
      'INSERT INTO ledger (id, boot_ms, ledger_ms, sequence, holder) VALUES (1, ?, ?, 0, 0)',
    ),
    anchorLedger: db.prepare('UPDATE ledger SET boot_ms = ?, ledger_ms = ? WHERE id = 1'),
    nextHolder: db.prepare('UPDATE ledger SET holder = holder + 1 WHERE id = 1 RETURNING holder').pluck(),
    latestDone: db.prepare('SELECT max(done_at_ms) FROM permit').pluck(),
    readSequence: db.prepare('SELECT sequence FROM ledger WHERE id = 1').pluck(),
    nextSequence: db
      .prepare('UPDATE ledger SET sequence = sequence + 1 WHERE id = 1 RETURNING sequence')
      .pluck(),

    addHolder: db.prepare('INSERT INTO holder (id, pid, space) VALUES (?, ?, ?)'),
    dropHolder: db.prepare('DELETE FROM holder WHERE id = ?'),
    otherHolders: db.prepare('SELECT id, pid FROM holder WHERE space = ? AND id <> ?'),
    closeOpen: db.prepare(
      `UPDATE permit SET open_until_ms = ?, sequence = ?
       WHERE holder = ? AND done_at_ms IS NULL AND is_released = 0 AND open_until_ms > ?
       RETURNING id, lane_id, open_until_ms, done_at_ms, is_released`,
    ),

    findLane: db.prepare(
      'SELECT id, origin, token_id, operation, learned FROM lane WHERE origin = ? AND token_id = ? AND operation = ?',
    ),
    lastToken: db
      .prepare(
        "SELECT token_id FROM lane WHERE origin = ? AND token_id <> 'none' ORDER BY sequence DESC LIMIT 1",
      )
      .pluck(),
    addLane: db.prepare(
      'INSERT INTO lane (origin, token_id, operation, sequence, holder) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    saveLearned: db.prepare('UPDATE lane SET learned = ?, sequence = ?, holder = ? WHERE id = ?'),
    changedLanes: db.prepare(
      'SELECT id, origin, token_id, operation, learned FROM lane WHERE sequence > ? AND holder <> ?',
    ),

    addPermit: db.prepare(
      'INSERT INTO permit (id, lane_id, open_until_ms, keep_until_ms, sequence, holder) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    lanePermits: db.prepare(
      'SELECT id, lane_id, open_until_ms, done_at_ms, is_released FROM permit WHERE lane_id = ? AND is_released = 0',
    ),
    changedPermits: db.prepare(
      'SELECT id, lane_id, open_until_ms, done_at_ms, is_released FROM permit WHERE sequence > ? AND holder <> ?',
    ),
    finish: db.prepare(
      'UPDATE permit SET done_at_ms = ?, keep_until_ms = ?, sequence = ?, holder = ? WHERE id = ?',
    ),
    release: db.prepare(
      'UPDATE permit SET is_released = 1, keep_until_ms = open_until_ms, sequence = ?, holder = ? WHERE id = ?',
    ),
    extend: db.prepare(
      'UPDATE permit SET open_until_ms = ?, keep_until_ms = keep_until_ms + ? - open_until_ms, sequence = ?, holder = ? WHERE id = ?',
    ),
    prune: db.prepare('DELETE FROM permit WHERE keep_until_ms < ?'),
    shiftBack: db.prepare(
      `UPDATE permit SET done_at_ms = done_at_ms - @byMs,
         open_until_ms = open_until_ms - iif(done_at_ms IS NULL, @byMs, 0),
         sequence = @sequence, holder = @holder
       WHERE coalesce(done_at_ms, open_until_ms) <= @untilMs
         AND lane_id IN (SELECT id FROM lane WHERE origin = @origin)`,
    ),

    readTime: db.prepare(
      'SELECT origin, date_ms, sent_at_ms, received_at_ms FROM service_time WHERE origin = ?',
    ),
    saveTime: db.prepare(
      `INSERT INTO service_time (origin, date_ms, sent_at_ms, received_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (origin) DO UPDATE SET date_ms = excluded.date_ms, sent_at_ms = excluded.sent_at_ms,
         received_at_ms = excluded.received_at_ms`,
    ),
  };
}
