/**
 * The process of the analysis engine (DuckDB). A process of its own: it may need much memory, which only its end gives
 * back, and what goes wrong in its native code must not take the application along. Built as its own file.
 */
import * as duckdb from '@duckdb/node-api';
import { quoteText, type SqlType, selectList } from './parquet-json.ts';
import { type AnalysisReply, type AnalysisRequest, analysisRequest } from './protocol.ts';

const MEMORY_LIMIT = '512MB';
const MOST_SPILLED = '20GB';

const handlers: {
  [O in AnalysisRequest['operation']]: (request: AnalysisRequest & { operation: O }) => Promise<void>;
} = {
  'parquet-to-json-lines': async ({ source, target, spillFolder }) => {
    await withEngine(spillFolder, async (connection) => {
      const from = `read_parquet(${quoteText(source)})`;
      const described = await connection.runAndReadAll(`SELECT * FROM ${from} LIMIT 0`);
      const columns = described
        .columnNames()
        .map((name, index) => ({ name, type: typeOf(described.columnType(index)) }));
      await connection.run(
        `COPY (SELECT ${selectList(columns)} FROM ${from}) TO ${quoteText(target)} (FORMAT json)`,
      );
    });
  },
};

async function withEngine(
  spillFolder: string,
  use: (connection: duckdb.DuckDBConnection) => Promise<void>,
): Promise<void> {
  const instance = await duckdb.DuckDBInstance.create(':memory:', {
    memory_limit: MEMORY_LIMIT,
    temp_directory: spillFolder,
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    await connection.run(`SET max_temp_directory_size = ${quoteText(MOST_SPILLED)}`);
    await connection.run(`SET TimeZone = 'UTC'`);
    await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function typeOf(type: duckdb.DuckDBType): SqlType {
  if (type instanceof duckdb.DuckDBListType || type instanceof duckdb.DuckDBArrayType) {
    return { kind: 'list', item: typeOf(type.valueType) };
  }
  if (type instanceof duckdb.DuckDBStructType) {
    return {
      kind: 'struct',
      fields: type.entryNames.flatMap((name, index) => {
        const inner = type.entryTypes[index];
        return inner === undefined ? [] : [{ name, type: typeOf(inner) }];
      }),
    };
  }
  if (type instanceof duckdb.DuckDBMapType) {
    return { kind: 'map', key: typeOf(type.keyType), value: typeOf(type.valueType) };
  }
  return { kind: 'plain', name: type.toString() };
}

/** Electron's processes have a port of their own; Node's have `process.send`. */
const electronPort = 'parentPort' in process ? (process.parentPort as Electron.ParentPort) : null;

function reply(message: AnalysisReply): void {
  if (electronPort === null) process.send?.(message);
  else electronPort.postMessage(message);
}

function take(message: unknown): void {
  const request = analysisRequest.parse(message);
  handlers[request.operation](request).then(
    () => reply({ id: request.id, kind: 'done' }),
    (problem: unknown) =>
      reply({
        id: request.id,
        kind: 'failed',
        message: problem instanceof Error ? problem.message : String(problem),
      }),
  );
}

if (electronPort === null) process.on('message', take);
else electronPort.on('message', ({ data }) => take(data));
// The application ended: nobody hears what comes out.
// An ordinary exit would wait for the query under way.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
