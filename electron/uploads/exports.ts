/** Exports of stored data: receipts, bad rows, refused rows. */

import { eachReceipt } from '../core/jobs/receipt-rows.ts';
import type { StoredJob, UploadStore } from '../db/upload-store.ts';
import { cutText } from '../shared/cut-text.ts';
import { delimitedCells, delimitedLine } from '../shared/delimited.ts';
import { AppError } from '../shared/errors.ts';
import { EMPTY_LEDGER } from '../shared/value-ledger.ts';
import { ReceiptBytes } from './receipt-bytes.ts';
import type { ExportKind } from './types.ts';
import { writeWhole } from './whole-file-writer.ts';
import { runInWorker } from './worker/worker-client.ts';
import type { RefusedRange } from './worker/worker-protocol.ts';

/**
 * Writes a file for a job or a dry run, and a manifest next to receipts. Returns the number of rows. Throws
 * INVALID_ARGUMENT if the owner has no such data.
 */
export async function writeExport(
  store: UploadStore,
  ownerId: string,
  what: ExportKind,
  path: string,
  connectionId: string,
): Promise<{ rows: number }> {
  const job = store.jobs.get(ownerId);
  if (what === 'bad-rows') return writeBadRows(store, job?.scanId ?? ownerId, path);
  if (job === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Expected an upload: a dry run has neither receipts nor refused rows.',
    );
  }
  if (what === 'refused-rows') return writeRefused(store, job, path, false);
  if (what === 'rows-to-mend') return writeRefused(store, job, path, true);
  const written = await writeReceipts(store, job, path);
  const manifest = manifestOf(store, job, connectionId);
  await writeWhole(`${path}.manifest.json`, [`${JSON.stringify(manifest, null, 2)}\n`]);
  return written;
}

/**
 * Describes what the receipts belong to: the file with its hash, how and when it was read and sent, and the outcome of
 * its rows.
 */
export function manifestOf(
  store: UploadStore,
  job: StoredJob,
  connectionId: string,
): Readonly<Record<string, unknown>> {
  const { id: jobId, plan, state, rows, rejected, requests, fileName, sizeBytes, sha256 } = job;
  const { modelId, modelName, envType, envName, mode, columns, dialect, onBadRow } = plan;
  const { constants = [], repairs = [], replacements = [], cellEdits, preset = null } = plan;
  const edits = cellEdits?.cells ?? [];
  const tallies = [...store.batches.tallies(jobId)].map(([outcome, { weight }]) => [outcome, weight]);
  const check = job.scanId === null ? null : store.scans.get(job.scanId);
  const timeText = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());
  return {
    ...{ jobId, connectionId, state },
    file: { name: fileName, sizeBytes, sha256, changedAt: timeText(job.mtimeMs) },
    target: { modelId, modelName, envType, envName, mode },
    mapping: { preset, dialect, columns, constants, repairs, replacements, edits, policy: onBadRow },
    rows: { all: rows, rejected, ...Object.fromEntries(tallies) },
    // Returns the values that were changed before sending, and the values that were not sent.
    ledger: check?.ledger ?? EMPTY_LEDGER,
    notes: check?.notes ?? [],
    requests,
    createdAt: timeText(job.createdAtMs),
    endedAt: timeText(job.endedAtMs),
  };
}

async function writeBadRows(store: UploadStore, scanId: string, path: string): Promise<{ rows: number }> {
  const count = { rows: 0 };
  function* lines(): Generator<string> {
    yield delimitedLine(['row', 'line', 'column', 'value', 'reason']);
    for (const bad of store.scans.eachBadRow(scanId)) {
      count.rows += 1;
      yield delimitedLine([String(bad.row), String(bad.line), bad.column ?? '', bad.value ?? '', bad.reason]);
    }
  }
  await writeWhole(path, lines());
  return count;
}

/** Ids without a row are written as lines but not counted as rows. */
async function writeReceipts(store: UploadStore, job: StoredJob, path: string): Promise<{ rows: number }> {
  const count = { rows: 0 };
  function* lines(): Generator<string | Uint8Array> {
    yield delimitedLine(['row', 'line', 'batch', 'event_id']);
    const bytes = new ReceiptBytes();
    for (const { part, json } of store.batches.acknowledgedJson(job.id)) {
      const isAdded = json !== null && bytes.add(json, part);
      if (bytes.isFull || !isAdded) yield bytes.take();
      if (isAdded) {
        count.rows += part.places.reduce((sum, [, , rows]) => sum + rows, 0);
        continue;
      }
      const receipt = json === null ? null : store.batches.receipt(job.id, part.batch);
      for (const { row, line, batch, eventId } of eachReceipt([{ part, receipt }])) {
        if (row !== null) count.rows += 1;
        // Numbers need no quotes.
        yield `${row ?? ''},${line ?? ''},${batch},${delimitedCells([eventId ?? ''])}\n`;
      }
    }
    yield bytes.take();
  }
  await writeWhole(path, lines());
  return count;
}

const PAGE = 200;

/** `hasBadRows`: also writes the rows that were rejected before sending. */
async function writeRefused(
  store: UploadStore,
  job: StoredJob,
  path: string,
  hasBadRows: boolean,
): Promise<{ rows: number }> {
  const ranges: RefusedRange[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = store.batches.list(job.id, ['refused'], offset, PAGE);
    for (const { byteStart, byteEnd, firstLine, firstRow, error } of page) {
      ranges.push({ byteStart, byteEnd, firstLine, firstRow, reason: reasonOf(error) });
    }
    if (page.length < PAGE) break;
  }
  ranges.sort((a, b) => a.byteStart - b.byteStart);
  const { path: source, plan, schema, sizeBytes, mtimeMs } = job;
  const state = { sizeBytes, mtimeMs };
  return runInWorker('write-refused', {
    ...{ path: source, plan, model: schema, state, ranges, hasBadRows, target: path },
  });
}

function reasonOf(error: StoredJob['error']): string {
  if (error === null) return 'The service did not accept the batch.';
  const issues = (error.details.issues ?? []).map((issue) => issue.message || issue.reason);
  return cutText([error.message, ...issues].join(' ').replaceAll(/\s+/g, ' '), 1_000);
}
