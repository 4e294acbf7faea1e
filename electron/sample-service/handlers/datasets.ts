/** Evaluation datasets, their items and the schema of their four buckets (INTERFACE 2.6 and 4.9). */
import { listAnswer } from '../lists.ts';
import type { Service } from '../service.ts';
import { notFound } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { Handlers } from './handler.ts';

export const BUCKETS = ['inputs', 'expected_outputs', 'metadata', 'extras'] as const;

/** A schema looks at this many items; above, it says `sampled`. */
const SAMPLE_SIZE = 10_000;

interface SchemaField {
  count: number;
  data_type: string;
}

function dataTypeOf(value: unknown): string {
  if (typeof value === 'number') return 'FLOAT';
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (Array.isArray(value)) return 'ARRAY';
  return typeof value === 'object' ? 'OBJECT' : 'STRING';
}

/** Keys of one bucket over the items, in the order they first appear. A key with values of two types is STRING. */
export function bucketSchema(items: readonly JsonRecord[], bucket: string): Record<string, SchemaField> {
  const fields = new Map<string, { count: number; types: Set<string> }>();
  for (const item of items) {
    const content = item[bucket];
    if (typeof content !== 'object' || content === null) continue;
    for (const [key, value] of Object.entries(content)) {
      const field = fields.get(key) ?? { count: 0, types: new Set<string>() };
      field.count += 1;
      if (value !== null) field.types.add(dataTypeOf(value));
      fields.set(key, field);
    }
  }
  return Object.fromEntries(
    [...fields].map(([key, { count, types }]) => {
      const [only] = types;
      return [key, { count, data_type: types.size === 1 && only !== undefined ? only : 'STRING' }];
    }),
  );
}

function requireDataset(service: Service, id: string): JsonRecord {
  const dataset = service.stores.resources.get('dataset', id);
  if (dataset === null) throw notFound('Dataset', id);
  return dataset;
}

export const datasetHandlers = {
  'datasets.list': ({ stores }, request) => listAnswer(stores.resources.list('dataset'), request),

  'datasets.get': (service, request) => ({
    kind: 'record',
    data: requireDataset(service, request.path('dataset_id')),
  }),

  'datasets.items': (service, request) => {
    const datasetId = request.path('dataset_id');
    requireDataset(service, datasetId);
    if (request.query('ordering') !== null) return listAnswer(service.stores.items.all(datasetId), request);
    return { kind: 'page', ...service.stores.items.page(datasetId, request.page), ...request.page };
  },

  'datasets.schema': (service, request) => {
    const datasetId = request.path('dataset_id');
    requireDataset(service, datasetId);
    const total = service.stores.items.count(datasetId);
    const items = service.stores.items.all(datasetId, SAMPLE_SIZE);
    const buckets = Object.fromEntries(BUCKETS.map((bucket) => [bucket, bucketSchema(items, bucket)]));
    return { kind: 'record', data: { total_items: total, sampled: total > SAMPLE_SIZE, ...buckets } };
  },
} satisfies Pick<Handlers, 'datasets.list' | 'datasets.get' | 'datasets.items' | 'datasets.schema'>;
