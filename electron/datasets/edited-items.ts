/** Builds the items that are sent in place of spans with an edited expected output. */
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredSpan } from '../db/build-store.ts';
import { partUuid } from '../jobs/part-uuid.ts';
import { AppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { readItem } from './span-item.ts';
import type { DatasetsDeps } from './types.ts';

/** Maximum size of one request with items. The service's limit is not documented. */
const MAX_CHARACTERS = 4_000_000;

/** The item id for an edited span. It is generated here, so that the dataset shows whether the item was stored. */
export function itemIdOf(
  buildId: string,
  { traceId, spanId }: Pick<StoredSpan, 'traceId' | 'spanId'>,
): string {
  return partUuid(buildId, `${traceId} ${spanId}`);
}

/**
 * The body of a request with the first of these spans, and the number of spans that fit. They are read in batches.
 * Throws STORE_FAILED for a span whose record is gone, because its item would have no content.
 */
export async function prepareItems(
  { store, clock }: Pick<DatasetsDeps, 'store' | 'clock'>,
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
): Promise<{ count: number; bodyText: string }> {
  const slicer = new TimeSlicer(clock);
  const items: string[] = [];
  let characters = 0;
  for (const span of spans) {
    const item = readItem({ store }, ledger, span.position);
    if (item === null) {
      throw new AppError('STORE_FAILED', `Expected the stored record of the edited span ${span.spanId}.`);
    }
    const id = itemIdOf(ledger.id, span);
    const text = JSON.stringify({ id, ...item, source_name: 'span', source_id: span.spanId });
    if (items.length > 0 && characters + text.length > MAX_CHARACTERS) break;
    items.push(text);
    characters += text.length;
    await slicer.pause();
  }
  return { count: items.length, bodyText: `{"items":[${items.join(',')}]}` };
}
