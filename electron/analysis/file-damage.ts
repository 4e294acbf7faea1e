/** Recognizes messages about a damaged file, prepared or stored. Pure. */
import { EngineFailure } from './analysis-link.ts';

/**
 * The message begins with the class of the error. Only damage counts, because messages of other errors (about
 * conversions or names) quote data and typed text. After damage, the engine repeats the error for each later request.
 */
const DAMAGE =
  /^(?:FATAL Error: [^"]*Original error: ")?(?:Serialization Error: |IO Error: (?:Corrupt database file|Could not read enough bytes from file|The file "[^"]*" exists, but it is not a valid DuckDB|Cannot open database "[^"]*" in read-only mode))/;

/** SQLite's messages for a store that cannot be read. */
export const isStoreDamage = (message: string): boolean =>
  /^(?:database disk image is malformed|file is not a database)/i.test(message);

export const isFileDamage = (message: string): boolean => DAMAGE.test(message);

export const isDamagedFile = (problem: unknown): boolean =>
  problem instanceof EngineFailure && isFileDamage(problem.message);
