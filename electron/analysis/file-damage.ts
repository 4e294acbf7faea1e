/** Recognizes the engine's messages about a damaged file. Pure. */
import { EngineFailure } from './analysis-link.ts';

const DAMAGE =
  /Corrupt database file|Could not read enough bytes|not a valid DuckDB database|Serialization Error|in read-only mode/i;

export const isFileDamage = (message: string): boolean => DAMAGE.test(message);

export const isDamagedFile = (problem: unknown): problem is EngineFailure =>
  problem instanceof EngineFailure && isFileDamage(problem.message);
