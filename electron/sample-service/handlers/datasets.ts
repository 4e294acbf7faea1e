/** Evaluation datasets, their items and the schema of their four buckets (SERVICE.md S2.6 and S4.9). */
import { isRawNumber } from '../../shared/exact-json.ts';
import { listAnswer } from '../lists.ts';
import { changedNow, madeNow, ORGANIZATION, referenceTo, requiredOf, sentFields } from '../record-parts.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { removeDataset } from '../stores.ts';
import { requireApplication } from './applications.ts';
import type { Handlers } from './handler.ts';

export const BUCKETS = ['inputs', 'expected_outputs', 'metadata', 'extras'] as const;

/** Maximum number of items that a schema is made from; if there are more, the answer says `sampled`. */
const SAMPLE_SIZE = 10_000;

interface SchemaField {
  count: number;
  data_type: string;
}

function dataTypeOf(value: unknown): string {
  if (typeof value === 'number' || isRawNumber(value)) return 'FLOAT';
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (Array.isArray(value)) return 'ARRAY';
  return typeof value === 'object' ? 'OBJECT' : 'STRING';
}

/**
 * Keys of one bucket over the items, in order of first appearance. A key with values of two types has the type STRING.
 */
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

const FIXED_FIELDS: readonly string[] = [
  'id',
  'name',
  'application_id',
  'application',
  'project',
  'organization',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
];

export const requireDataset = requiredOf('dataset', 'Dataset');

export const datasetHandlers = {
  'datasets.list': ({ stores }, request) => listAnswer(stores.resources.list('dataset'), request),

  'datasets.create': (service, request) => {
    const { name, application_id: applicationId, ...rest } = request.body;
    const application = requireApplication(service, applicationId);
    const isTaken = service.stores.resources
      .list('dataset', applicationId)
      .some((dataset) => dataset['name'] === name);
    if (isTaken) throw new ServiceError(409, `The application has a dataset named "${name}" already.`);
    const id = service.random.uuid();
    const dataset = {
      description: null,
      active: true,
      ...sentFields(rest),
      metadata: rest.metadata ?? {},
      id,
      name,
      organization: ORGANIZATION,
      project: application['project'],
      application: referenceTo(application),
      ...madeNow(service),
    };
    service.stores.resources.add('dataset', id, applicationId, dataset);
    return { kind: 'record', data: dataset };
  },

  'datasets.update': (service, request) => {
    const id = request.path('dataset_id');
    const dataset = requireDataset(service, id);
    const changes = sentFields(request.body);
    const fixed = Object.keys(changes).find((field) => FIXED_FIELDS.includes(field));
    if (fixed !== undefined) throw malformed(`${fixed} of a dataset cannot be changed.`);
    if (Object.keys(changes).length === 0) {
      throw malformed('Send at least one of description, metadata and active.');
    }
    const changed = { ...dataset, ...changes, ...changedNow(service) };
    service.stores.resources.replace('dataset', id, changed);
    return { kind: 'record', data: changed };
  },

  'datasets.delete': (service, request) => {
    const id = request.path('dataset_id');
    requireDataset(service, id);
    removeDataset(service.stores, id);
    return { kind: 'empty' };
  },

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
} satisfies Pick<
  Handlers,
  | 'datasets.list'
  | 'datasets.create'
  | 'datasets.update'
  | 'datasets.delete'
  | 'datasets.get'
  | 'datasets.items'
  | 'datasets.schema'
>;
