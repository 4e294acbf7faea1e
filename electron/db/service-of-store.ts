/**
 * A store records the address of the service for which its jobs were made. If the connection has another address when
 * the store is opened, none of the jobs continues automatically.
 */
import { AppError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { settleJobs } from './settled-jobs.ts';

export interface ServiceOfStore {
  /** The address of the connection. */
  address: string;
  /** The address to assume for stores of earlier versions, which record none; null: the present one. */
  formerAddress: string | null;
  /** Called with the former address if the connection now has another one. */
  onMoved: (formerAddress: string) => void;
}

const addressRow = z.object({ address: z.string() });

/**
 * Records the present address, and stops the jobs if it has changed, in one transaction, so that no job is left out
 * after a kill. If this fails, the store is closed, because its jobs must not continue. `nowMs`: wall time.
 */
export function settleMove(db: Database, service: ServiceOfStore, nowMs: number): void {
  const { address, formerAddress, onMoved } = service;
  const move = db.transaction((): string | null => {
    const before = storedAddress(db) ?? formerAddress ?? address;
    db.prepare('INSERT OR REPLACE INTO service (id, address) VALUES (1, ?)').run(address);
    if (before === address) return null;
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kept_question'").get() !== undefined)
      db.exec(OUTDATE_LIBRARY);
    settleJobs(db, 'pause', movedError(before, address), nowMs);
    return before;
  });
  try {
    if (storedAddress(db) === address) return;
    const before = move.immediate();
    if (before !== null) onMoved(before);
  } catch (problem) {
    db.close();
    throw problem;
  }
}

/** Null in a store that was not opened for a service before. */
function storedAddress(db: Database): string | null {
  const found = db.prepare('SELECT address FROM service').get();
  return found === undefined ? null : parseRow(addressRow, found, 'service of a store').address;
}

/**
 * Marks stored data as outdated. Entries that would be read again automatically are paused; if a person resumes one, it
 * is read completely.
 */
const OUTDATE_LIBRARY = `
  UPDATE generation SET is_outdated = 1 WHERE is_outdated = 0;
  UPDATE record SET is_outdated = 1 WHERE is_outdated = 0;
  UPDATE job SET state = 'paused', reason = '', error_json = NULL, ended_at_ms = NULL, revision = revision + 1
  WHERE kind = 'keep-offline' AND state = 'done' AND json_valid(facts_json)
    AND json_extract(facts_json, '$.refreshHours') IS NOT NULL;
  UPDATE kept_question SET state = 'waiting', generation_id = NULL, error_json = NULL
  WHERE job_id IN (SELECT job_id FROM job WHERE state <> 'done');`;

function movedError(before: string, now: string): AppError {
  return new AppError(
    'CONFLICT',
    `Made for ${before}; this connection now leads to ${now}. Resume it only if the same service has moved.`,
  );
}
