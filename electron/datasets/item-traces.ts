/** Finds the traces and spans of items that were built here. Items of one trace are similar and count together. */
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { DatasetStore, ItemTrace } from '../db/build-store.ts';

const RECEIPTS = 1_000;

type Store = Pick<DatasetStore, 'spans'>;

/** Trace id by item id. Empty if the dataset is null. */
export async function tracesOf(
  store: Store,
  clock: Clock,
  datasetId: string | null,
): Promise<ReadonlyMap<string, string>> {
  const traces = new Map<string, string>();
  for await (const { itemId, traceId } of receipts(store, clock, datasetId))
    if (itemId !== null) traces.set(itemId, traceId);
  return traces;
}

/** Item id by `TRACE_ID SPAN_ID`. */
export async function itemsOf(
  store: Store,
  clock: Clock,
  datasetId: string,
): Promise<ReadonlyMap<string, string>> {
  const items = new Map<string, string>();
  for await (const { itemId, traceId, spanId } of receipts(store, clock, datasetId))
    if (itemId !== null) items.set(`${traceId} ${spanId}`, itemId);
  return items;
}

async function* receipts(store: Store, clock: Clock, datasetId: string | null): AsyncGenerator<ItemTrace> {
  if (datasetId === null) return;
  const slicer = new TimeSlicer(clock);
  for (let after: ItemTrace | null = null; ; ) {
    const page: ItemTrace[] = store.spans.itemTraces(datasetId, after, RECEIPTS);
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < RECEIPTS) return;
    await slicer.pause();
  }
}
