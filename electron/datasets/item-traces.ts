/** Traces of the items that were built here from spans: items of one trace are alike and count together. */
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { DatasetStore, ItemTrace } from '../db/build-store.ts';

const RECEIPTS = 1_000;

/** Trace by item id; empty for null. */
export async function tracesOf(
  store: Pick<DatasetStore, 'spans'>,
  clock: Clock,
  datasetId: string | null,
): Promise<ReadonlyMap<string, string>> {
  const slicer = new TimeSlicer(clock);
  const traces = new Map<string, string>();
  if (datasetId === null) return traces;
  for (let after: ItemTrace | null = null; ; ) {
    const page: ItemTrace[] = store.spans.itemTraces(datasetId, after, RECEIPTS);
    for (const { itemId, traceId } of page) if (itemId !== null) traces.set(itemId, traceId);
    after = page.at(-1) ?? null;
    if (page.length < RECEIPTS) return traces;
    await slicer.pause();
  }
}
