/** Batches between the file and the store: a new one, and one that is made again from its rows. */
import { isContentRefusal } from '../core/jobs/send-outcome.ts';
import { isSizeRefusal } from '../core/jobs/size-refusal.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { fileChangedError } from './file-state.ts';
import { type ReadyBatch, sizeOf } from './job-sender.ts';
import type { RowPosition } from './readers/row-source.ts';
import type { UploadLedger } from './upload-ledger.ts';
import type { CutBatch } from './worker/batch-producer.ts';
import type { UploadWorker } from './worker/worker-client.ts';

/** As large as a body may get when one batch is made again as it was. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A batch that was cut from the file and not sent before. */
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

/** Where the rows after it begin. */
export function endOf({ byteEnd, nextLine, lastRow }: StoredBatch): RowPosition {
  return { byteOffset: byteEnd, line: nextLine, row: lastRow + 1 };
}

interface RemakeDeps {
  call: UploadWorker['call'];
  ledger: UploadLedger;
  store: Pick<UploadStore, 'batches'>;
}

/**
 * Reads the rows of a stored batch again; where it was too much or had rows at fault, as two batches, of which the
 * second is stored. Throws FILE_CHANGED where the rows are not what they were.
 */
export async function remakeBatch(
  deps: RemakeDeps,
  batch: StoredBatch,
  newNumber: () => number,
): Promise<ReadyBatch> {
  const { path, plan, schema, sizeBytes, mtimeMs, fileName } = deps.ledger.job;
  const isRefused = isContentRefusal(batch.error?.details.status) || wasTooLarge(batch);
  const isHalved = batch.rows > 1 && isRefused;
  const maxRows = isHalved ? Math.ceil(batch.rows / 2) : batch.rows;
  const parts = await deps.call('remake', {
    path,
    plan,
    model: schema,
    start: { byteOffset: batch.byteStart, line: batch.firstLine, row: batch.firstRow },
    endByte: batch.byteEnd,
    state: { sizeBytes, mtimeMs },
    limits: { maxRows, maxBytes: NO_LIMIT },
  });
  const rows = parts.reduce((sum, part) => sum + part.span.rows, 0);
  const [first, second] = parts;
  const isSame = rows === batch.rows && parts.length === (isHalved ? 2 : 1);
  if (first === undefined || !isSame || (!isHalved && first.span.sha256 !== batch.sha256)) {
    throw fileChangedError(fileName);
  }
  const { body } = first;
  if (second === undefined) return { batch, body, isNew: false };
  return {
    batch: splitInto(deps, batch, first, newBatch(newNumber(), batch.root, second)),
    body,
    isNew: false,
  };
}

function splitInto(
  { ledger, store }: RemakeDeps,
  batch: StoredBatch,
  first: CutBatch,
  rest: StoredBatch,
): StoredBatch {
  const head: StoredBatch = { ...batch, ...first.span, error: null };
  // Parts of a batch that was only too large are batches of their own: no search for rows at fault.
  const root = wasTooLarge(batch) ? rest.batch : batch.root;
  const tail: StoredBatch = { ...rest, root, state: 'pending' };
  ledger.apply([{ type: 'split' }], {}, () => {
    store.batches.save(ledger.id, head);
    store.batches.save(ledger.id, tail);
  });
  return head;
}

function wasTooLarge(batch: StoredBatch): boolean {
  return batch.error !== null && isSizeRefusal(batch.error, sizeOf(batch));
}
