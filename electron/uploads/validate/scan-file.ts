/** Reads and checks a whole file without sending anything: how many rows, which are bad, what the file's hash is. */
import { createHash } from 'node:crypto';
import type { ColumnQuestion } from '../../shared/column-reading.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { BadRow, ProblemGroup, UploadPlan } from '../../shared/upload-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource, type Source } from '../readers/open-source.ts';
import { openRaw, readPieces } from '../readers/raw-file.ts';
import { type Spool, type SpoolRoom, SpoolWriter } from '../spool/spool-file.ts';
import { BatchCounter } from '../worker/batch-producer.ts';
import { EventReader } from './event-reader.ts';
import { Events } from './events.ts';
import { IdCheck, type KnownIds } from './known-ids.ts';

export interface ScanProgress {
  readBytes: number;
  rows: number;
  badRows: number;
  /** Sent with a value that the model does not name. */
  unusualRows: number;
  /** Not bad, with a value that was repaired. */
  repairedRows: number;
  batches: number;
  newBadRows: BadRow[];
}

export interface ScanResult extends Omit<ScanProgress, 'newBadRows'> {
  notes: string[];
  problems: ProblemGroup[];
  ledger: ValueLedger;
  questions: ColumnQuestion[];
  sha256: string;
  state: FileState;
  spool: Spool | null;
}

interface ScanOptions {
  path: string;
  plan: UploadPlan;
  model: ModelFacts | null;
  /** Where its events are kept for the sending; null: nowhere. */
  spool?: SpoolRoom | null;
  /** Ids of events that the rows are to name; null: not compared. */
  known?: KnownIds | null;
}

const REPORT_BYTES = 4_000_000;
const REPORT_BAD_ROWS = 500;

/** Throws FILE_CHANGED when the file is not what it was while it was read. */
export async function scanFile(
  options: ScanOptions,
  report: (progress: ScanProgress) => Promise<void>,
): Promise<ScanResult> {
  const source = await openSource(options.path, options.plan.dialect);
  try {
    return await scanSource(source, options, report);
  } finally {
    await source.close();
  }
}

async function scanSource(
  source: Source,
  { path, plan, model, spool: room = null, known = null }: ScanOptions,
  report: (progress: ScanProgress) => Promise<void>,
): Promise<ScanResult> {
  const counter = new BatchCounter({ maxRows: plan.batchRows, maxBytes: plan.maxBatchBytes }, plan);
  const hash = createHash('sha256');
  const progress: ScanProgress = {
    ...{ readBytes: 0, rows: 0, badRows: 0, unusualRows: 0, repairedRows: 0, batches: 0 },
    newBadRows: [],
  };
  let reportedBytes = 0;
  const tell = async () => {
    progress.batches = counter.batches;
    reportedBytes = progress.readBytes;
    await report(progress);
    progress.newBadRows = [];
  };
  for await (const bytes of readPieces(source.handle, path, 0, source.dataStart.byteOffset))
    hash.update(bytes);
  const spool = room === null ? null : new SpoolWriter(room, source.dataStart.byteOffset);
  const onBytes = (bytes: Buffer) => {
    hash.update(bytes);
    if (events.isWritten) spool?.read(bytes);
  };
  // Events that are not kept are only measured.
  const events = new Events(spool !== null);
  const reader = new EventReader(source, {
    path,
    plan,
    model,
    start: source.dataStart,
    onBytes,
    events,
  });
  const ids = known === null ? null : new IdCheck(known);
  for (let readBytes = await reader.next(); readBytes !== null; readBytes = await reader.next()) {
    progress.readBytes = readBytes;
    if (events.isWritten && spool?.add(events) === false) events.isWritten = false;
    progress.rows += events.count;
    progress.repairedRows += events.repaired;
    progress.unusualRows += events.unusual;
    for (let at = 0; at < events.count; at += 1) {
      counter.add(events.sizeOf(at));
      ids?.add(events.ownIds[at] ?? null, events.lines.at(at));
    }
    for (const bad of events.bad) {
      progress.rows += 1;
      progress.badRows += 1;
      progress.newBadRows.push(bad);
      if (progress.newBadRows.length >= REPORT_BAD_ROWS) await tell();
    }
    if (readBytes - reportedBytes >= REPORT_BYTES) await tell();
  }
  await tell();
  await checkSameState(path, source.state);
  const { state } = source;
  const { newBadRows: _, ...counts } = progress;
  const [notes, problems] = [[...(ids?.notes() ?? []), ...reader.notes()], reader.problems()];
  return {
    ...{
      ...counts,
      notes,
      problems,
      ledger: reader.ledger(),
      questions: [],
      sha256: hash.digest('hex'),
      state,
    },
    spool: spool?.close() ?? null,
  };
}

/** Hash of a whole file, as `scanFile` gives it. */
export async function hashFile(path: string): Promise<string> {
  const file = await openRaw(path);
  try {
    const hash = createHash('sha256');
    for await (const bytes of readPieces(file.handle, path, 0, Number.MAX_SAFE_INTEGER)) hash.update(bytes);
    await checkSameState(path, file.state);
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
