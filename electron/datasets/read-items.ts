/** Reads back the items of a dataset, page by page. */
import { createHash } from 'node:crypto';
import type { CallOptions, ServiceClient } from '../api/types.ts';
import { canonicalJson } from '../core/spans/span-mapping.ts';
import type { ItemBuckets } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';

export type ItemRecord = Record<string, unknown>;

interface ItemReading {
  client: Pick<ServiceClient, 'list'>;
  datasetId: string;
  pageRows: number;
  options: CallOptions;
}

/** Number of consecutive pages without a new item after which the service's paging is no longer trusted. */
const MAX_IDLE_PAGES = 3;

/** Yields every item once, in the service's order from `offset` on. Throws AppError. */
export async function* readItems(
  { client, datasetId, pageRows, options }: ItemReading,
  from = 0,
): AsyncGenerator<{ items: ItemRecord[]; offset: number; total: number | null }> {
  const seen = new Set<unknown>();
  let idlePages = 0;
  for (let offset = from; ; ) {
    const { value } = await client.list(
      'datasets.items',
      { path: { dataset_id: datasetId }, paging: { limit: pageRows, offset } },
      options,
    );
    const items: ItemRecord[] = value.items.filter(({ id }) => !seen.has(id));
    for (const { id } of value.items) seen.add(id);
    offset += value.items.length;
    yield { items, offset, total: value.total };
    if (value.items.length === 0 || (value.total !== null && offset >= value.total)) return;
    idlePages = items.length === 0 ? idlePages + 1 : 0;
    if (idlePages >= MAX_IDLE_PAGES) {
      throw new AppError(
        'ANSWER_INVALID',
        'Expected further items, got those of earlier pages. Try again later.',
      );
    }
  }
}

/** Key of the contents of an item; equal for equal buckets. */
export function contentOf(buckets: ItemBuckets): string {
  return createHash('sha256').update(canonicalJson(buckets)).digest('base64url');
}

export function idOf(item: ItemRecord): string {
  return typeof item['id'] === 'string' ? item['id'] : '';
}

export function sourceOf(item: ItemRecord): string | null {
  const { source_id: sourceId } = item;
  return typeof sourceId === 'string' && sourceId !== '' ? sourceId : null;
}
