/** Rows of tables in a connection's stores, read from their file by a separate process. */
import { eachReceipt } from '../core/jobs/receipt-rows.ts';
import { eachPicked } from '../core/spans/picked-records.ts';
import { parseExactObject } from '../shared/exact-json.ts';
import type { HeldTable } from '../shared/export-model.ts';
import { createDatasetStore } from './build-store.ts';
import type { Database } from './open.ts';
import { openToRead } from './open-file.ts';
import { createRequestLogStore } from './request-log-store.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import { createUploadStore } from './upload-store.ts';

type Rows = Iterable<Readonly<Record<string, unknown>>>;

const ROWS_AT_ONCE = 500;

/**
 * Reads one record for each row, in the present state of the row, without a snapshot. `nowMs`: wall time. Throws SQLite
 * errors, and STORE_DAMAGED for a damaged log of a store whose data exists nowhere else.
 */
export function* heldRows(
  file: string,
  table: HeldTable,
  nowMs: number,
): Generator<Readonly<Record<string, unknown>>> {
  // The request log is in the library, whose data can be read again, so its write-ahead log is not checked.
  const db = openToRead(file, table.form === 'requests' ? 'copy' : { nowMs });
  try {
    yield* rowsOf(db, table);
  } finally {
    db.close();
  }
}

function rowsOf(db: Database, table: HeldTable): Rows {
  switch (table.form) {
    case 'receipts':
      return receiptRows(db, table);
    case 'bad-rows':
      return badRows(db, table);
    case 'batches':
      return batchRows(db, table);
    case 'not-found':
      return spanRows(db, table);
    case 'picked':
      return pickedRows(db, table);
    case 'requests':
      return requestRows(db, table);
    case 'changes':
      return createSnapshotStore(db).changes(table);
    case 'version':
      return versionRows(db, table);
  }
}

type Of<F extends HeldTable['form']> = HeldTable & { form: F };

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function* receiptRows(db: Database, { jobId }: Of<'receipts'>): Rows {
  const { batches } = createUploadStore(db);
  for (const { row, line, batch, eventId } of eachReceipt(batches.acknowledged(jobId)))
    yield { row, line, batch, event_id: eventId };
}

function* versionRows(db: Database, { snapshotId }: Of<'version'>): Rows {
  for (const json of createSnapshotStore(db).items(snapshotId)) yield parseExactObject(json);
}

function* badRows(db: Database, { ownerId }: Of<'bad-rows'>): Rows {
  const { jobs, scans } = createUploadStore(db);
  for (const { row, line, column, value, reason } of scans.eachBadRow(jobs.get(ownerId)?.scanId ?? ownerId))
    yield { row, line, column, value, reason };
}

/** Batches, numbered from 1 as in the views. */
function* batchRows(db: Database, { jobId, states }: Of<'batches'>): Rows {
  const { batches } = createUploadStore(db);
  for (let offset = 0; ; offset += ROWS_AT_ONCE) {
    const page = batches.list(jobId, states, offset, ROWS_AT_ONCE);
    for (const each of page)
      yield {
        batch: each.batch + 1,
        ...{ first_row: each.firstRow, last_row: each.lastRow, rows: each.rows },
        ...{ state: each.state, attempts: each.attempts, request_id: each.requestId },
        ...{ sent_at: isoTime(each.sentAtMs), answered_at: isoTime(each.answeredAtMs) },
        ...{ error_code: each.error?.code ?? null, error: each.error?.message ?? null },
        evidence: each.evidence?.verdict ?? null,
      };
    if (page.length < ROWS_AT_ONCE) return;
  }
}

function* spanRows(db: Database, { buildId }: Of<'not-found'>): Rows {
  const { spans } = createDatasetStore(db);
  const filter = { states: ['unresolved', 'excluded'] as const, shapeIds: null, hasMessage: true };
  for (let from = 0; ; ) {
    const page = spans.after(buildId, filter, from, ROWS_AT_ONCE);
    for (const { traceId, spanId, startTime, name, spanType, state, message } of page)
      yield {
        ...{ trace_id: traceId, span_id: spanId, start_time: startTime, name, span_type: spanType },
        ...{ state, message },
      };
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return;
    from = last.position + 1;
  }
}

function* pickedRows(db: Database, { buildId }: Of<'picked'>): Rows {
  for (const { text } of eachPicked(createDatasetStore(db).spans, buildId, 0)) yield parseExactObject(text);
}

const ignore = () => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Requests, oldest first, without bodies and headers, which only the HTTP archive has. */
function* requestRows(db: Database, { filter }: Of<'requests'>): Rows {
  const log = createRequestLogStore(db, SILENT);
  for (let afterSeq = 0; ; ) {
    const page = log.details({ ...filter, limit: ROWS_AT_ONCE, afterSeq });
    for (const each of page)
      yield {
        ...{ id: each.id, started_at: isoTime(each.startedAtMs), ended_at: isoTime(each.atMs) },
        ...{ operation: each.operation, url: each.url, status: each.status },
        ...{ error_code: each.errorCode, error: each.error?.message ?? null },
        ...{ attempts: each.attempts, refusals: each.refusals },
        ...{ waited_ms: each.queuedMs, network_ms: each.networkMs },
        ...{ sent_bytes: each.sentBytes, received_bytes: each.sizeBytes },
        ...{ priority: each.priority, group: each.group, is_shared: each.isShared },
      };
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return;
    afterSeq = last.seq;
  }
}
