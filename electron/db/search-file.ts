/**
 * Opens the file of a search index. A damaged index is replaced, because everything in it can be read again from the
 * library.
 */
import { rmSync, statSync } from 'node:fs';
import type { Clock, Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { canCopyToMemory } from './hold-log.ts';
import { SEARCH_MIGRATIONS } from './migrations/search/index.ts';
import { type Database, emptyStore, openStore } from './open.ts';
import { inMemory } from './open-file.ts';

interface IndexFile {
  indexFile: string;
  clock: Clock;
  logger: Logger;
}

/** Cache for the pages of a long transaction. */
const CACHE_KB = 64_000;
/**
 * Maximum size of an index that a process that only reads copies into memory, and maximum rows that it adds; both
 * together take a second or two.
 */
export const MAX_IN_MEMORY = { bytes: 64_000_000, rows: 20_000 };

export function removeIndex({ indexFile: file, logger }: IndexFile, { code, message }: AppError): void {
  logger.warn('search index built again', { code, reason: message });
  for (const end of ['', '-wal', '-shm']) whenFree(() => rmSync(`${file}${end}`, { force: true }));
}

export function openIndex(given: IndexFile): Database {
  const { indexFile: file, clock, logger } = given;
  const open = () => {
    const options = { file, migrations: SEARCH_MIGRATIONS, synchronous: 'NORMAL', clock, logger } as const;
    const index = openStore(options);
    index.pragma(`cache_size = -${CACHE_KB}`);
    return index;
  };
  try {
    return open();
  } catch (problem) {
    const isOfNoUse =
      problem instanceof AppError && ['STORE_DAMAGED', 'STORE_NEWER', 'STORE_FAILED'].includes(problem.code);
    if (!isOfNoUse) throw problem;
    removeIndex(given, problem);
    return open();
  }
}

/**
 * Opens the index for a process that only reads: as a copy in memory that can follow the library, or, if the index is
 * large, without updates. `hasUsableFile`: false if the file was found to be damaged.
 */
export function openInMemory(options: IndexFile, hasUsableFile: boolean): Database {
  const { indexFile: file, clock, logger } = options;
  const named = { file, migrations: SEARCH_MIGRATIONS, synchronous: 'NORMAL', clock, logger } as const;
  try {
    if (!hasUsableFile) return emptyStore(named);
    const stored = openStore(named);
    if (stored.memory || statSync(file).size > MAX_IN_MEMORY.bytes || !canCopyToMemory()) return stored;
    try {
      return inMemory(stored);
    } finally {
      stored.close();
    }
  } catch (problem) {
    logger.warn('search index not read', { reason: toAppError(problem).message });
    return emptyStore(named);
  }
}
