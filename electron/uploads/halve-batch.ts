/**
 * A batch that was refused is halved until its rows at fault stand alone; one that was too large, until it fits. Every
 * other stored batch is made again from its rows as it was.
 */
import { isContentRefusal } from '../core/jobs/send-outcome.ts';
import { isSizeRefusal } from '../core/jobs/size-refusal.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { fileChangedError } from './file-state.ts';
import { newBatch, type ReadyBatch, sizeOf } from './stored-batches.ts';
import type { UploadOptions } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';
import type { CutBatch } from './worker/batch-producer.ts';
import type { UploadWorker } from './worker/worker-client.ts';

interface HalvingDeps {
  ledger: UploadLedger;
  store: Pick<UploadStore, 'batches'>;
}

interface RemakeDeps extends HalvingDeps {
  call: UploadWorker['call'];
}

/** As large as a body may get when one batch is made again as it was. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** May a refused batch be halved, to find its rows at fault? Each half costs a request, which are limited. */
export function mayHalve(
  { ledger, store }: HalvingDeps,
  { isolatesRefusedRows, isolationRequests }: UploadOptions,
  batch: StoredBatch,
  status: number | undefined,
): boolean {
  if (batch.rows === 1 || !isContentRefusal(status)) return false;
  const { id: jobId, isolationRequests: spent } = ledger.job;
  if (!isolatesRefusedRows || spent >= isolationRequests.perJob) return false;
  return store.batches.splitRequests(jobId, batch.root) < isolationRequests.perBatch;
}

/** Is this batch a part of one that was halved for rows at fault? */
export function isHalf({ ledger, store }: HalvingDeps, { batch, root }: StoredBatch): boolean {
  return batch !== root || store.batches.wasSplit(ledger.id, root);
}

/**
 * Reads the rows of a stored batch again; where it was too large or has rows at fault, as two batches, of which the
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
  const rest = newBatch(newNumber(), batch.root, second);
  return { batch: splitInto(deps, batch, first, rest), body, isNew: false };
}

function splitInto(
  { ledger, store }: HalvingDeps,
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
