/** Opens the analysis engine (DuckDB) with limits on memory and disk space. Used only in the analysis process. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as duckdb from '@duckdb/node-api';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { quoteText } from './sql-text.ts';

const MEMORY_LIMIT = '512MB';
const MAX_SPILLED = '20GB';

interface EngineOptions {
  /** Path of a database file; default: in memory. */
  file?: string;
  isReadOnly?: boolean;
  /** A folder for data that does not fit into memory; '' if there is none. The engine uses a new folder within it. */
  spillFolder: string;
  /** Maximum disk space in that folder. */
  mostSpilled?: string;
}

interface OpenEngine {
  connection: duckdb.DuckDBConnection;
  /** The engine's own folder for data that does not fit into memory; '' if there is none. Removed by `close`. */
  spillFolder: string;
  close(): void;
}

/** Opens an engine that downloads and loads nothing external. Points in time are read and written in UTC. */
export async function openEngine({
  file,
  isReadOnly,
  spillFolder,
  mostSpilled = MAX_SPILLED,
}: EngineOptions): Promise<OpenEngine> {
  const own = spillFolder === '' ? '' : await newFolder(spillFolder);
  // If this fails, e.g. because another program reads the folder, it is removed when the process ends.
  const removeOwn = () => void (own === '' ? null : rm(own, WITH_RETRIES).catch(() => null));
  const created = duckdb.DuckDBInstance.create(file ?? ':memory:', {
    memory_limit: MEMORY_LIMIT,
    temp_directory: own,
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    ...(isReadOnly === true ? { access_mode: 'READ_ONLY' } : {}),
  });
  const instance = await created.catch((problem: unknown) => {
    removeOwn();
    throw problem;
  });
  let connection: duckdb.DuckDBConnection | null = null;
  const close = () => {
    connection?.closeSync();
    instance.closeSync();
    removeOwn();
  };
  try {
    connection = await instance.connect();
    // Set afterwards, because at creation the setting is displayed but has no effect.
    await connection.run(`SET max_temp_directory_size = ${quoteText(mostSpilled)}`);
    await connection.run(`SET TimeZone = 'UTC'`);
    return { connection, spillFolder: own, close };
  } catch (problem) {
    close();
    throw problem;
  }
}

const UNWRITABLE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

/** '' if the disk is full or cannot be written: work that needs no room there is still possible. */
async function newFolder(parent: string): Promise<string> {
  try {
    await mkdir(parent, { recursive: true });
    return await mkdtemp(join(parent, 'engine-'));
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem && UNWRITABLE.has(problem.code)) return '';
    throw problem;
  }
}

/** `use` also gets the engine's own folder, see `OpenEngine`. */
export async function withEngine<T>(
  options: EngineOptions,
  use: (connection: duckdb.DuckDBConnection, spillFolder: string) => Promise<T>,
): Promise<T> {
  const { connection, spillFolder, close } = await openEngine(options);
  try {
    return await use(connection, spillFolder);
  } finally {
    close();
  }
}
