/** Stored data of an application and a dataset, for the thread that compares them. Read only. */

import { existsSync } from 'node:fs';
import type { CoverageSources, SourceList } from '../core/coverage/sources.ts';
import { wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import { listQuery } from '../shared/model.ts';
import * as z from '../shared/zod.ts';
import { createListReads } from './list-reads.ts';
import { type Database, parseRow } from './open.ts';
import { openToRead } from './open-file.ts';
import { json } from './row-parts.ts';

interface StoredSource extends SourceList {
  generationId: number;
}

const listRow = z
  .object({
    id: z.int(),
    query: json(listQuery),
    row_count: z.int(),
    carried_count: z.int(),
    total_rows: z.int().nullable(),
    is_complete: z.int(),
    oldest_ms: wallMs.nullable(),
  })
  .transform(
    (row): StoredSource => ({
      generationId: row.id,
      query: row.query,
      // Items that the service no longer returns do not count for the dataset; spans still count for production.
      rowCount: row.row_count - (row.query.operation === 'datasets.items' ? row.carried_count : 0),
      totalRows: row.total_rows,
      isComplete: row.is_complete === 1,
      oldestMs: row.oldest_ms,
    }),
  );
const record = z.string();

interface CoverageReads extends CoverageSources<StoredSource> {
  close(): void;
}

const ROWS_AT_ONCE = 200;

/**
 * Opens the stores for reading. `nowMs`: wall time. Throws SQLite errors, and STORE_DAMAGED if the log of the store of
 * datasets is damaged.
 */
export function openCoverageReads(libraryFile: string, datasetsFile: string, nowMs: number): CoverageReads {
  const library = openToRead(libraryFile, 'copy');
  const datasets = existsSync(datasetsFile) ? openToRead(datasetsFile, { nowMs }) : null;
  // Reads one snapshot of the library, so that no row disappears while it is read.
  library.exec('BEGIN');
  const reads = createListReads(library);
  const lists = library
    .prepare(
      `SELECT generation.id, list.query, row_count, carried_count, total_rows, is_complete, oldest_ms
        FROM list JOIN generation ON generation.id = shown_generation_id
        WHERE row_count > 0 OR is_complete = 1 ORDER BY row_count DESC, list.id`,
    )
    .all();
  return {
    lists: readable(lists, (row) => parseRow(listRow, row, 'list')),
    *rowsOf({ generationId, rowCount }) {
      for (let from = 0; ; ) {
        let count = 0;
        for (const row of reads.recordsFrom(generationId, from, ROWS_AT_ONCE)) {
          if (row.position >= rowCount) return;
          yield row;
          from = row.position + 1;
          count += 1;
        }
        if (count < ROWS_AT_ONCE) return;
      }
    },
    spansOfItems: (datasetId) =>
      recordsOf(
        datasets,
        `SELECT span_record.record FROM span_receipt
        JOIN span ON span.build_id = span_receipt.build_id AND span.span_id = span_receipt.span_id
          AND span.trace_id = span_receipt.trace_id
        JOIN span_record ON span_record.build_id = span.build_id AND span_record.position = span.position
        WHERE span_receipt.dataset_id = ?`,
        datasetId,
      ),
    spansOfBuild: (buildId) =>
      recordsOf(
        datasets,
        `SELECT span_record.record FROM span JOIN span_record USING (build_id, position)
        WHERE build_id = ? AND state IN ('unsent', 'unresolved') ORDER BY position`,
        buildId,
      ),
    close: () => {
      library.close();
      datasets?.close();
    },
  };
}

function* recordsOf(db: Database | null, sql: string, id: string): Iterable<string> {
  if (db === null) return;
  for (const row of db.prepare(sql).pluck().iterate(id)) yield parseRow(record, row, 'span');
}
