/** Messages between the main thread and the upload worker. Only `next` may be requested again before it is answered. */

import type { EventTimes } from '../../core/jobs/undo.ts';
import type { Dialect } from '../../shared/dialect.ts';
import type { WireError } from '../../shared/errors.ts';
import type { WholeType } from '../../shared/file-profile.ts';
import type { ExtractedItems, SettledItems } from '../../shared/items-model.ts';
import type { SpanFileCheck } from '../../shared/span-file.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { CheckedRow, FilePreview, UploadPlan } from '../../shared/upload-model.ts';
import type { ValueReading } from '../../shared/value-readings.ts';
import type { FileState } from '../file-state.ts';
import type { CheckItemRows } from '../items/check-item-rows.ts';
import type { ItemStretch } from '../items/extract-items.ts';
import type { SettleItems } from '../items/settle-items.ts';
import type { Misfits } from '../readers/row-fields.ts';
import type { RowPosition } from '../readers/row-source.ts';
import type { ExtractedSpans, SpanFileInput, SpanStretch } from '../spans/extract-spans.ts';
import type { SpoolRoom } from '../spool/spool-file.ts';
import type { Unpacked, UnpackStep } from '../unpack/unpack.ts';
import type { ZipMember } from '../unpack/unpack-stream.ts';
import type { CheckRows } from '../validate/check-rows.ts';
import type { ScanProgress, ScanResult } from '../validate/scan-file.ts';
import type { BatchLimits, CutBatch, ProducerOptions } from './batch-producer.ts';

/** A range of refused rows of the file. */
export interface RefusedRange {
  byteStart: number;
  byteEnd: number;
  firstLine: number;
  firstRow: number;
  reason: string;
}

/** Input and output of each operation. */
export interface WorkerOperations {
  inspect: {
    input: {
      path: string;
      fileId: string;
      override: Partial<Dialect> | null;
      seed: number;
      list?: string | null;
    };
    output: FilePreview;
  };
  /** Reports progress. The next chunk is read once the report has been processed. */
  scan: {
    input: {
      path: string;
      plan: UploadPlan;
      model: ModelFacts | null;
      comparesIds: boolean;
      spool: SpoolRoom | null;
      nowMs: number;
    };
    output: ScanResult;
  };
  /** Ids of events that were published before. A scan with `comparesIds` looks up the ids of its rows among them. */
  'know-ids': { input: { ids: string[] }; output: null };
  hash: { input: { path: string }; output: { sha256: string } };
  /** Rows at these places, with the findings of a check with this plan. Fails with FILE_CHANGED. */
  'check-rows': { input: CheckRows; output: CheckedRow[] };
  /** First and last event time of a file; null if they are not certain. Fails with FILE_CHANGED. */
  'event-times': {
    input: { path: string; plan: UploadPlan; model: ModelFacts; state: FileState };
    output: EventTimes | null;
  };
  /** Writes the rows of a file as JSON lines for the analysis engine. */
  'as-json-lines': {
    input: { path: string; dialect: Dialect; readings: ValueReading[]; target: string };
    output: { rows: number; badRows: number; types: WholeType[]; misfits: Misfits[] };
  };
  /** Unpacks a file by one step towards text. */
  unpack: { input: UnpackStep; output: Unpacked };
  /** The first `most` files of an archive. */
  'list-members': {
    input: { path: string; name: string; most: number };
    output: { members: ZipMember[]; total: number };
  };
  /**
   * Starts building batches from a position on (null for the first row). Fails with FILE_CHANGED if the file is not in
   * `state`.
   */
  open: {
    input: Omit<ProducerOptions, 'endByte' | 'start'> & { start: RowPosition | null; state: FileState };
    output: null;
  };
  /** Builds the next batch. Several may be requested before the first is answered; they are built in this order. */
  next: { input: { limits: BatchLimits }; output: CutBatch | null };
  /** Rebuilds the batch of one range of the file. The result has several batches if `limits` are smaller. */
  remake: { input: ProducerOptions & { state: FileState; limits: BatchLimits }; output: CutBatch[] };
  /** Dataset items of one range of a file. */
  items: { input: ItemStretch; output: ExtractedItems };
  /** Reads a whole file as items to decide its readings. */
  'settle-items': { input: SettleItems; output: SettledItems };
  /** Rows at these places, with the findings of a check of items with this reading. Fails with FILE_CHANGED. */
  'check-item-rows': { input: CheckItemRows; output: CheckedRow[] };
  /** Spans of one range of a file. Fails with FILE_CHANGED. */
  spans: { input: SpanStretch; output: ExtractedSpans };
  /** Summarizes the spans of the whole file. */
  'check-spans': { input: SpanFileInput; output: SpanFileCheck };
  'write-refused': {
    input: {
      path: string;
      plan: UploadPlan;
      model: ModelFacts | null;
      state: FileState;
      ranges: RefusedRange[];
      /** Adds the rows that cannot be sent, from anywhere in the file. */
      hasBadRows: boolean;
      target: string;
    };
    output: { rows: number };
  };
}

export type OperationName = keyof WorkerOperations;

export type WorkerRequest =
  | { [O in OperationName]: { id: number; operation: O; input: WorkerOperations[O]['input'] } }[OperationName]
  | { id: number; operation: 'continue' };

export type WorkerReply =
  | { id: number; kind: 'done'; value: unknown }
  | { id: number; kind: 'failed'; error: WireError }
  | { id: number; kind: 'progress'; progress: ScanProgress };
