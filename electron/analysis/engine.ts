/** Opens the analysis engine (DuckDB) with limits on memory and disk space. Used only in the analysis process. */
import * as duckdb from '@duckdb/node-api';
import { quoteText } from './sql-text.ts';

const MEMORY_LIMIT = '512MB';
const MAX_SPILLED = '20GB';

interface EngineOptions {
  /** Path of a database file; default: in memory. */
  file?: string;
  isReadOnly?: boolean;
  /** An empty folder that only this engine uses, for data that does not fit into memory; '' if there is none. */
  spillFolder: string;
  /** Maximum disk space in that folder. */
  mostSpilled?: string;
}

interface OpenEngine {
  connection: duckdb.DuckDBConnection;
  close(): void;
}

/** Opens an engine that downloads and loads nothing external. Points in time are read and written in UTC. */
export async function openEngine({
  file,
  isReadOnly,
  spillFolder,
  mostSpilled = MAX_SPILLED,
}: EngineOptions): Promise<OpenEngine> {
  const instance = await duckdb.DuckDBInstance.create(file ?? ':memory:', {
    memory_limit: MEMORY_LIMIT,
    temp_directory: spillFolder,
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    ...(isReadOnly === true ? { access_mode: 'READ_ONLY' } : {}),
  });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    // Set afterwards, because at creation the setting is displayed but has no effect.
    await connection.run(`SET max_temp_directory_size = ${quoteText(mostSpilled)}`);
    await connection.run(`SET TimeZone = 'UTC'`);
    return { connection, close };
  } catch (problem) {
    close();
    throw problem;
  }
}

export async function withEngine<T>(
  options: EngineOptions,
  use: (connection: duckdb.DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { connection, close } = await openEngine(options);
  try {
    return await use(connection);
  } finally {
    close();
  }
}
