/** Conversions between a batch read from the file and a stored batch. */
import type { SentSize } from '../core/jobs/size-rejection.ts';
import type { StoredBatch } from '../db/upload-store.ts';
import type { RowPosition } from './readers/row-source.ts';
import type { CutBatch } from './worker/batch-producer.ts';

/** A batch with its request body. */
export interface ReadyBatch {
  batch: StoredBatch;
  body: Uint8Array;
  /** True if the batch was not sent before. */
  isNew: boolean;
}

/** A batch that was read from the file and not sent before. */
export function newBatch(number: number, root: number, cut: CutBatch): StoredBatch {
  return {
    batch: number,
    root,
    ...cut.span,
    state: 'sending',
    attempts: 0,
    sentAtMs: null,
    answeredAtMs: null,
    requestId: null,
    error: null,
    evidence: null,
  };
}

/** The position of the first row after the batch. */
export function endOf({ byteEnd, nextLine, lastRow }: StoredBatch): RowPosition {
  return { byteOffset: byteEnd, line: nextLine, row: lastRow + 1 };
}

/** In bytes of the file, which is roughly the size of the request. */
export function sizeOf({ rows, byteStart, byteEnd }: StoredBatch): SentSize {
  return { rows, bytes: byteEnd - byteStart };
}
