/**
 * Puts lines in an order that depends only on their text, so that equal rows give equal files. Runs in the analysis
 * process.
 */
import type * as duckdb from '@duckdb/node-api';
import { isRawNumber } from '../shared/exact-json.ts';
import { withEngine } from './engine.ts';

/** Names of id fields of records, the most specific first. */
const IDS = ['span_id', 'item_id', 'id', 'name'] as const;

/** The id by which a record is ordered; empty if it has none, so that its whole line decides. */
export function sortKey(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  const fields = new Map(Object.entries(record));
  for (const name of IDS) {
    const value = fields.get(name);
    if (typeof value === 'string' || typeof value === 'number' || isRawNumber(value)) return String(value);
  }
  return '';
}

/**
 * Yields the lines ordered by key, then by their bytes. Data that does not fit into memory is written to `spillFolder`.
 */
export async function* sortedLines(
  lines: AsyncIterable<readonly [key: string, line: string]>,
  spillFolder: string,
): AsyncGenerator<string> {
  const ended = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<AsyncGenerator<string>>();
  const open = withEngine({ spillFolder }, async (connection) => {
    await connection.run('CREATE TEMP TABLE line (key VARCHAR, line VARCHAR)');
    const appender = await connection.createAppender('line', undefined, 'temp');
    for await (const [key, line] of lines) {
      appender.appendVarchar(key);
      appender.appendVarchar(line);
      appender.endRow();
    }
    appender.closeSync();
    ready.resolve(readLines(await connection.stream('SELECT line FROM line ORDER BY key, line')));
    await ended.promise;
  });
  open.catch((problem: unknown) => ready.reject(problem));
  try {
    yield* await ready.promise;
  } finally {
    ended.resolve();
    await open;
  }
}

async function* readLines(result: duckdb.DuckDBResult): AsyncGenerator<string> {
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    for (const [line] of chunk.getRows()) yield String(line);
  }
}
