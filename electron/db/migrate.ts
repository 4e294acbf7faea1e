/**
 * Migrates a store to the version of this build. Migrations are numbered and hashed. All pending ones are applied in
 * one transaction, after a backup of a file that already holds data. A store with an edited migration is refused.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Clock, Logger } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { beginCopy, keepNewestCopies } from './copy-files.ts';

export interface Migration {
  /** Strictly increasing in the list; steps of ten leave gaps for insertions before a release. */
  number: number;
  name: string;
  /** SQL statements without BEGIN and COMMIT. */
  sql: string;
}

/** Pages copied at once, 4 MB. A copy can be cancelled between two chunks. */
const COPIED_PAGES = 1_000;

const appliedRows = z.array(z.object({ number: z.int(), name: z.string(), hash: z.string() }));
type Applied = z.infer<typeof appliedRows>;

/** The `user_version` of a store with all of `migrations`. Throws INTERNAL if their order is wrong. */
export function targetVersion(migrations: readonly Migration[]): number {
  let last = 0;
  for (const { number, name } of migrations) {
    if (!Number.isInteger(number) || number <= last) {
      throw new AppError('INTERNAL', `Migration ${number} (${name}) must have a higher number than ${last}.`);
    }
    last = number;
  }
  return last;
}

export function migrationHash(migration: Migration): string {
  return createHash('sha256')
    .update(`${migration.number} ${migration.name}\n${migration.sql}`)
    .digest('hex')
    .slice(0, 32);
}

export function newerError(file: string, found: number, known: number): AppError {
  return new AppError(
    'STORE_NEWER',
    `${basename(file)} was written by a newer version of Spandeck (store version ${found}; this one knows up to ${known}). ` +
      'Nothing in it was changed. Install that version again, or start with another data folder.',
    { file: basename(file) },
  );
}

export function damagedError(file: string, finding: string, cause?: unknown): AppError {
  const name = basename(file);
  return new AppError(
    'STORE_DAMAGED',
    `${name} is damaged: ${finding} The file was left as it is.`,
    {
      file: name,
      nextStep:
        'Repair it in Diagnostics, or with the command health repair: the damaged file is set aside, and what can be read of it is taken over.',
    },
    cause,
  );
}

function readApplied(db: Database): Applied {
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'").get();
  if (has === undefined) return [];
  return appliedRows.parse(db.prepare('SELECT number, name, hash FROM migration ORDER BY number').all());
}

/** Checks that the applied migrations are an unchanged prefix of the known ones. Returns the rest. */
function pendingAfter(applied: Applied, migrations: readonly Migration[], file: string): Migration[] {
  const known = targetVersion(migrations);
  const last = applied.at(-1)?.number ?? 0;
  if (last > known) throw newerError(file, last, known);
  applied.forEach((row, index) => {
    const migration = migrations[index];
    if (migration !== undefined && migration.number === row.number && migrationHash(migration) === row.hash) {
      return;
    }
    throw new AppError(
      'STORE_FAILED',
      `Migration ${row.number} (${row.name}) of ${basename(file)} is not the one this version of Spandeck knows. ` +
        'Nothing was changed. Install the version that wrote the file.',
      { file: basename(file) },
    );
  });
  return migrations.slice(applied.length);
}

/**
 * Applies pending migrations. Several processes may do this at the same time: the first one migrates, and the others
 * find nothing pending. Throws STORE_NEWER, STORE_FAILED, DISK_FULL; then nothing was changed.
 */
export function migrate(
  db: Database,
  options: { file: string; migrations: readonly Migration[]; clock: Pick<Clock, 'nowMs'>; logger: Logger },
  isBackedUp = false,
): void {
  const { file, migrations, clock, logger } = options;
  const pending = pendingAfter(readApplied(db), migrations, file);
  if (pending.length === 0) return;
  const from = readApplied(db).at(-1)?.number ?? 0;
  if (from > 0 && !isBackedUp) backUp(db, file, from);
  const apply = db.transaction(() => {
    db.exec(
      'CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT',
    );
    const note = db.prepare('INSERT INTO migration (number, name, hash, applied_at_ms) VALUES (?, ?, ?, ?)');
    // Reads again: another process may have migrated while this one waited for the lock.
    for (const migration of pendingAfter(readApplied(db), migrations, file)) {
      db.exec(migration.sql);
      note.run(migration.number, migration.name, migrationHash(migration), clock.nowMs());
      db.pragma(`user_version = ${migration.number}`);
    }
  });
  apply.immediate();
  // Writes the version into the file itself, because an older Spandeck reads it there before it opens the store.
  db.pragma('wal_checkpoint(TRUNCATE)');
  logger.info('store migrated', { file: basename(file), from, to: targetVersion(migrations) });
}

function backUp(db: Database, file: string, version: number): void {
  const copy = beginCopy(file, 'update', version);
  try {
    db.prepare('VACUUM INTO ?').run(copy.partial);
    copy.end();
    keepNewestCopies(file, 'update');
  } catch (problem) {
    copy.cancel();
    throw problem;
  }
}

/**
 * Makes the backup of a large file that `migrate` would otherwise make: page by page, several times faster, with
 * progress from 0 to 1. Does nothing if no migration is pending. Throws as `migrate` does.
 */
export async function backUpInSteps(
  db: Database,
  { file, migrations }: { file: string; migrations: readonly Migration[] },
  onShare: (share: number) => void,
): Promise<void> {
  const applied = readApplied(db);
  const version = applied.at(-1)?.number ?? 0;
  if (version === 0 || pendingAfter(applied, migrations, file).length === 0) return;
  const copy = beginCopy(file, 'update', version);
  try {
    await db.backup(copy.partial, {
      progress: ({ totalPages, remainingPages }) => {
        if (totalPages > 0) onShare(1 - remainingPages / totalPages);
        return COPIED_PAGES;
      },
    });
    copy.end();
    keepNewestCopies(file, 'update');
  } catch (problem) {
    copy.cancel();
    throw problem;
  }
}
