/** Searches for the items of calls whose answer was lost, and acknowledges calls that are found completely. */

import { pastMoment } from '../core/moments.ts';
import { startMsOf } from '../core/spans/call-range.ts';
import { bucketsOf } from '../core/spans/span-mapping.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredSpan } from '../db/build-store.ts';
import type { BuildBatch } from '../shared/build-batch-model.ts';
import { toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { refOf } from './build-sender.ts';
import { itemIdOf } from './edited-items.ts';
import { type FoundItem, type Judgement, judgeCalls } from './evidence.ts';
import { contentOf, idOf, readItems, sourceOf } from './read-items.ts';
import { readItem } from './span-item.ts';
import { callOptions } from './target-dataset.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

export type EvidenceDeps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'onDatasetChanged'> & {
  options: Pick<DatasetOptions, 'evidenceSettleMs' | 'pageRows'>;
};

const MAX_CALLS = 1_000;
/** Maximum number of items in the dataset that are read to find those of a call. */
const MAX_ITEMS = 200_000;

/**
 * Reads the dataset's items and stores the evidence about each unknown call. A call whose items are all found is
 * acknowledged with their ids; other calls are left to a person. Throws AppError if the items cannot be read; then
 * nothing is changed.
 */
export async function gatherEvidence(
  deps: EvidenceDeps,
  ledger: BuildLedger,
  signal?: AbortSignal,
): Promise<void> {
  const { store, clock, options } = deps;
  const { datasetId } = ledger.stored;
  const calls = store.batches.list(ledger.id, ['unknown'], 0, MAX_CALLS);
  if (calls.length === 0 || datasetId === null) return;
  const reading = await readUnaccounted(deps, ledger, datasetId, signal);
  const expected = calls.map((call) => ({ call, spans: store.spans.ofBatch(ledger.id, call.batch) }));
  const judgements = judgeCalls({
    calls: expected.map(({ call, spans }) => ({
      batch: call.batch,
      sentAtMs: call.sentAtMs ?? 0,
      spans: spans.map((span) => expectedSpan(deps, ledger, call, span)),
    })),
    ...reading,
    nowMs: clock.nowMs(),
    settleMs: options.evidenceSettleMs,
  });
  for (const { call, spans } of expected) {
    const judgement = judgements.get(call.batch);
    if (judgement !== undefined) takeJudgement(deps, ledger, call, spans, judgement);
  }
}

function expectedSpan({ store }: EvidenceDeps, ledger: BuildLedger, { how }: BuildBatch, span: StoredSpan) {
  const { traceId, spanId, position } = span;
  const item = readItem({ store }, ledger, position);
  const itemId = how === 'items' ? itemIdOf(ledger.id, span) : null;
  return { traceId, spanId, itemId, content: item === null ? null : contentOf(item) };
}

/** Items for which this computer has no receipt, and whether the service names the source span of an item. */
async function readUnaccounted(
  { store, client, options, clock }: EvidenceDeps,
  ledger: BuildLedger,
  datasetId: string,
  signal: AbortSignal | undefined,
): Promise<{ items: FoundItem[]; note: string; namesSpans: boolean }> {
  const known = store.spans.knownItemIds(datasetId);
  const items: FoundItem[] = [];
  const slicer = new TimeSlicer(clock);
  const ofFiles = await addedFromFiles(store, datasetId, slicer);
  let namesSpans = false;
  let read = 0;
  const pages = readItems({
    client,
    datasetId,
    pageRows: options.pageRows,
    options: callOptions(ledger, signal),
  });
  for await (const page of pages) {
    for (const item of page.items) {
      const [id, sourceId] = [idOf(item), sourceOf(item)];
      const knownSpan = known.get(id);
      if (knownSpan !== undefined) namesSpans ||= sourceId === knownSpan;
      else if (!ofFiles.has(id)) {
        const createdMs = startMsOf(item['created_at']);
        items.push({ id, sourceId, content: contentOf(bucketsOf(item)), createdMs });
      }
      await slicer.pause();
    }
    read += page.items.length;
    if (read >= MAX_ITEMS) {
      return { items, namesSpans, note: `Only the first ${read} items were read.` };
    }
  }
  return { items, namesSpans, note: '' };
}

/** Ids of the items that were added to the dataset from files. */
async function addedFromFiles(
  { items: { jobs, parts } }: EvidenceDeps['store'],
  datasetId: string,
  slicer: TimeSlicer,
): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const { id, plan, madeDatasetId } of jobs.list()) {
    if (plan.experiment !== undefined || (madeDatasetId ?? plan.datasetId) !== datasetId) continue;
    for (const { receipt } of parts.readableAcknowledged(id)) {
      for (const given of receipt?.ids ?? []) if (given !== '') ids.add(given);
      await slicer.pause();
    }
  }
  return ids;
}

function takeJudgement(
  { store, clock, onDatasetChanged }: EvidenceDeps,
  ledger: BuildLedger,
  call: BuildBatch,
  spans: readonly StoredSpan[],
  { evidence, itemIds }: Judgement,
): void {
  // Read again, because a person may have decided on the call during the requests.
  const now = store.batches.get(ledger.id, call.batch);
  const { datasetId } = ledger.stored;
  if (now?.state !== 'unknown' || datasetId === null) return;
  if (evidence.verdict !== 'stored') {
    // Stored for the next check, which otherwise waits for a time that may be far away.
    const sentAtMs = pastMoment(now.sentAtMs, clock.nowMs());
    ledger.apply([], {}, () => store.batches.save(ledger.id, { ...now, evidence, sentAtMs }));
    return;
  }
  const atMs = clock.nowMs();
  ledger.apply([{ type: 'move', from: 'unknown', to: 'acknowledged', count: spans.length }], {}, () => {
    store.batches.save(ledger.id, { ...now, evidence, state: 'acknowledged', answeredAtMs: atMs });
    spans.forEach(({ position }, index) => {
      store.spans.change(ledger.id, position, {
        state: 'acknowledged',
        batch: call.batch,
        itemId: itemIds[index] ?? null,
      });
    });
    const receipts = spans.map((span, index) => ({ ...refOf(span), itemId: itemIds[index] ?? null }));
    store.spans.saveReceipts(datasetId, ledger.id, receipts, atMs);
  });
  onDatasetChanged(datasetId);
}

/** Like `gatherEvidence`, but if reading fails, the error is only stored as the reason with the calls. */
export async function tryGatherEvidence(
  deps: EvidenceDeps & Pick<DatasetsDeps, 'logger'>,
  ledger: BuildLedger,
  signal: AbortSignal,
): Promise<void> {
  try {
    await gatherEvidence(deps, ledger, signal);
  } catch (problem) {
    deps.logger.warn('no evidence gathered', { build: ledger.id, reason: toAppError(problem).message });
  }
}
