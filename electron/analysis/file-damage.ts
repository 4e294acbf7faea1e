/** Recognizes messages about a damaged file, prepared or stored. Pure. */
import { EngineFailure } from './analysis-link.ts';

const DAMAGE =
  /Corrupt database file|Could not read enough bytes|not a valid DuckDB database|Serialization Error|in read-only mode/i;

/** SQLite's words for a store that cannot be read. */
export const isStoreDamage = (message: string): boolean =>
  /database disk image is malformed|file is not a database/i.test(message);

export const isFileDamage = (message: string): boolean => DAMAGE.test(message);

export const isDamagedFile = (problem: unknown): boolean =>
  problem instanceof EngineFailure && isFileDamage(problem.message);
