/**
 * Reads and checks a whole file without sending anything: counts rows, finds bad ones, and computes the hash of the
 * file.
 */

import { createHash } from 'node:crypto';
import { badRowsOmission } from '../../shared/bad-row-text.ts';
import type { ColumnQuestion } from '../../shared/column-reading.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type {
  BadRow,
  ColumnPlan,
  OtherReading,
  ProblemGroup,
  UploadPlan,
} from '../../shared/upload-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource, type Source } from '../readers/open-source.ts';
import { openRaw, readPieces } from '../readers/raw-file.ts';
import type { RowPosition } from '../readers/row-source.ts';
import { MAX_TRIED_ROWS, otherReading, otherReadingNote } from '../sniff/other-reading.ts';
import { type Spool, type SpoolRoom, SpoolWriter } from '../spool/spool-file.ts';
import { withCopyChanges } from '../unpack/copy-facts.ts';
import { BatchCounter } from '../worker/batch-producer.ts';
import { EventReader } from './event-reader.ts';
import { Events } from './events.ts';
import { IdCheck, type KnownIds, RepeatedIds } from './known-ids.ts';
import type { ReadAt, ReadingPlan } from './reading-plan.ts';
import { readingPlan, readsSame } from './settle-columns.ts';

export interface ScanProgress {
  readBytes: number;
  rows: number;
  badRows: number;
  /** Number of rows sent with a value that the model does not name. */
  unusualRows: number;
  /** Number of good rows with a repaired value. */
  repairedRows: number;
  batches: number;
  newBadRows: BadRow[];
  /** True if the file is being read again, so that earlier reports do not count. */
  isAgain: boolean;
}

export interface ScanResult extends Omit<ScanProgress, 'newBadRows' | 'isAgain'> {
  notes: string[];
  problems: ProblemGroup[];
  ledger: ValueLedger;
  questions: ColumnQuestion[];
  otherReading: OtherReading | null;
  /** Columns of the plan with the readings decided for the whole file, and columns for new keys. */
  columns: ColumnPlan[];
  /** Columns that new keys would become if the plan accepted them. */
  proposed: ColumnPlan[];
  sha256: string;
  state: FileState;
  spool: Spool | null;
}

interface ScanOptions extends ReadAt {
  path: string;
  plan: UploadPlan;
  model: ModelFacts | null;
  /** Storage of the events until they are sent; null if they are not stored. */
  spool?: SpoolRoom | null;
  /** Event ids that the rows should refer to; null if ids are not compared. */
  known?: KnownIds | null;
}

const REPORT_BYTES = 4_000_000;
const REPORT_BAD_ROWS = 500;

/** Maximum number of passes. A second pass may still add a column, which the third includes. */
const MAX_PASSES = 3;
/** Number of leading bytes that decide how the first pass reads the columns. Enough for most files. */
const HEAD_BYTES = 256 * 1024;

/**
 * Reads the file with readings decided by its first rows, and again if the whole file leads to other readings. Throws
 * FILE_CHANGED if the file changes during the scan.
 */
export async function scanFile(
  options: ScanOptions,
  report: (progress: ScanProgress) => Promise<void>,
): Promise<ScanResult> {
  const source = await openSource(options.path, options.plan.dialect);
  try {
    const { path, model, nowMs } = options;
    const plan = nowMs === undefined ? options.plan : { ...options.plan, nowMs };
    const head = await headOf(source, path, plan, model);
    let { columns } = head.settled(plan);
    for (let pass = 1; ; pass += 1) {
      const reading = {
        ...{ ...options, plan: readingPlan(plan, columns) },
        ...{ isAgain: pass > 1, keepsEvents: !head.isCheap },
      };
      const found = await scanSource(source, reading, plan, report);
      if (readsSame(found.columns, columns) || pass === MAX_PASSES) return found;
      columns = found.columns;
    }
  } finally {
    await source.close();
  }
}

/** Reads the first rows to collect evidence; their events are dropped. */
async function headOf(
  source: Source,
  path: string,
  plan: ReadingPlan,
  model: ModelFacts | null,
): Promise<EventReader> {
  const start = source.dataStart;
  const endByte = start.byteOffset + HEAD_BYTES;
  const reader = new EventReader(source, { path, plan, model, start, endByte, onBytes: () => undefined });
  while ((await reader.next()) !== null);
  return reader;
}

async function scanSource(
  source: Source,
  {
    path,
    plan,
    model,
    spool: room = null,
    known = null,
    isAgain,
    keepsEvents,
  }: ScanOptions & { isAgain: boolean; keepsEvents: boolean },
  given: UploadPlan,
  report: (progress: ScanProgress) => Promise<void>,
): Promise<ScanResult> {
  const counter = new BatchCounter({ maxRows: plan.batchRows, maxBytes: plan.maxBatchBytes }, plan);
  const hash = createHash('sha256');
  const progress: ScanProgress = {
    ...{ readBytes: 0, rows: 0, badRows: 0, unusualRows: 0, repairedRows: 0, batches: 0 },
    newBadRows: [],
    isAgain,
  };
  let reportedBytes = 0;
  const reportProgress = async () => {
    progress.batches = counter.batches;
    reportedBytes = progress.readBytes;
    await report(progress);
    progress.newBadRows = [];
    progress.isAgain = false;
  };
  for await (const bytes of readPieces(source.handle, path, 0, source.dataStart.byteOffset))
    hash.update(bytes);
  const spool = room === null ? null : new SpoolWriter(room, source.dataStart.byteOffset, keepsEvents);
  // False once the spool is full. The rest of the file is checked but not stored.
  let hasRoom = true;
  const onBytes = (bytes: Buffer) => {
    hash.update(bytes);
    if (hasRoom) spool?.read(bytes);
  };
  const events = new Events();
  const reader = new EventReader(source, {
    path,
    plan,
    model,
    start: source.dataStart,
    onBytes,
    events,
  });
  const ids = known === null ? null : new IdCheck(known);
  const repeated = new RepeatedIds('event id');
  const malformed: RowPosition[] = [];
  let firstBad: BadRow | null = null;
  for (let readBytes = await reader.next(); readBytes !== null; readBytes = await reader.next()) {
    progress.readBytes = readBytes;
    if (hasRoom && spool?.add(events) === false) hasRoom = false;
    progress.rows += events.count;
    progress.repairedRows += events.repaired;
    progress.unusualRows += events.unusual;
    for (let at = 0; at < events.count; at += 1) {
      counter.add(events.sizeOf(at));
      const id = events.ownIds[at] ?? null;
      ids?.add(id, events.lines.at(at));
      repeated.add(id, events.lines.at(at));
    }
    for (const bad of events.bad) {
      progress.rows += 1;
      progress.badRows += 1;
      progress.newBadRows.push(bad);
      firstBad ??= bad;
      const { row, line, byteOffset } = bad;
      if (bad.column === null && byteOffset !== undefined && malformed.length < MAX_TRIED_ROWS)
        malformed.push({ row, line, byteOffset });
      if (progress.newBadRows.length >= REPORT_BAD_ROWS) await reportProgress();
    }
    if (readBytes - reportedBytes >= REPORT_BYTES) await reportProgress();
  }
  await reportProgress();
  await checkSameState(path, source.state);
  const { state } = source;
  const { newBadRows: _, isAgain: _again, ...counts } = progress;
  const { columns, proposed, questions } = reader.settled(given);
  const other = await otherReading(source, path, malformed);
  const [notes, problems] = [
    [
      ...(ids?.notes() ?? []),
      ...repeated.notes(),
      ...reader.notes(),
      ...(other === null ? [] : [otherReadingNote(other)]),
    ],
    reader.problems(),
  ];
  return {
    ...{
      ...counts,
      notes,
      problems,
      ...{ columns, proposed, questions, otherReading: other },
      ledger: await withCopyChanges(
        withBadRows(withoutAsked(reader.ledger(given), questions), progress.badRows, firstBad),
        path,
        columns.map(({ source: name, target }) => ({ source: name, isSent: target !== null })),
      ),
      sha256: hash.digest('hex'),
      state,
    },
    spool: spool?.close() ?? null,
  };
}

/** Removes provisional changes of columns with an open question, because their reading is not decided. */
function withoutAsked(ledger: ValueLedger, questions: readonly ColumnQuestion[]): ValueLedger {
  const asked = new Set(questions.map(({ source }) => source));
  return { ...ledger, changes: ledger.changes.filter(({ source }) => !asked.has(source)) };
}

/** Adds the rows that are not sent to the list of values that are not sent. */
function withBadRows(ledger: ValueLedger, badRows: number, first: BadRow | null): ValueLedger {
  if (badRows === 0) return ledger;
  return { ...ledger, leftOut: [badRowsOmission(badRows, first), ...ledger.leftOut] };
}

/** Hash of a whole file, the same as `scanFile` computes. */
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
