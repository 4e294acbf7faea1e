/**
 * A refused batch is halved until each faulty row is alone; a batch that was too large is halved until it fits. Every
 * other stored batch is rebuilt from its rows unchanged.
 */
import { isContentRejection } from '../core/jobs/send-outcome.ts';
import { isSizeRejection } from '../core/jobs/size-rejection.ts';
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

/** A batch that is rebuilt unchanged has no size limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** True if a refused batch may be halved to find its faulty rows. Each half costs a request, and these are limited. */
export function mayHalve(
  { ledger, store }: HalvingDeps,
  { isolatesRefusedRows, isolationRequests }: UploadOptions,
  batch: StoredBatch,
  status: number | undefined,
): boolean {
  if (batch.rows === 1 || !isContentRejection(status)) return false;
  const { id: jobId, isolationRequests: spent } = ledger.job;
  if (!isolatesRefusedRows || spent >= isolationRequests.perJob) return false;
  return store.batches.splitRequests(jobId, batch.root) < isolationRequests.perBatch;
}

/** True if this batch is part of one that was halved because of faulty rows. */
export function isHalf({ ledger, store }: HalvingDeps, { batch, root }: StoredBatch): boolean {
  return batch !== root || store.batches.wasSplit(ledger.id, root);
}

/**
 * Reads the rows of a stored batch again. If it was too large or has faulty rows, it is split in two and the second
 * half is stored. Throws FILE_CHANGED if the rows have changed.
 */
export async function rebuildBatch(
  deps: RemakeDeps,
  batch: StoredBatch,
  newNumber: () => number,
): Promise<ReadyBatch> {
  const { path, plan, schema, sizeBytes, mtimeMs, fileName } = deps.ledger.job;
  const isRefused = isContentRejection(batch.error?.details.status) || wasTooLarge(batch);
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
  // The parts of a batch that was only too large are independent batches, because no faulty rows are searched for.
  const root = wasTooLarge(batch) ? rest.batch : batch.root;
  const tail: StoredBatch = { ...rest, root, state: 'pending' };
  ledger.apply([{ type: 'split' }], {}, () => {
    store.batches.save(ledger.id, head);
    store.batches.save(ledger.id, tail);
  });
  return head;
}

function wasTooLarge(batch: StoredBatch): boolean {
  return batch.error !== null && isSizeRejection(batch.error, sizeOf(batch));
}
