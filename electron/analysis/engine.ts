/** The analysis engine (DuckDB), opened with bounds on memory and disk. Runs in the analysis process only. */
import * as duckdb from '@duckdb/node-api';
import { quoteText } from './sql-text.ts';

const MEMORY_LIMIT = '512MB';
const MOST_SPILLED = '20GB';

interface EngineOptions {
  /** A database file; in memory where there is none. */
  file?: string;
  isReadOnly?: boolean;
  /** An empty folder of this engine's own, for what does not fit into memory. */
  spillFolder: string;
  /** How much of the disk that may take. */
  mostSpilled?: string;
}

interface OpenEngine {
  connection: duckdb.DuckDBConnection;
  close(): void;
}

/** Fetches nothing and loads nothing from elsewhere. Instants are read and written in UTC. */
export async function openEngine({
  file,
  isReadOnly,
  spillFolder,
  mostSpilled = MOST_SPILLED,
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
    // Given at the creation it is shown, but not obeyed.
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
