/** Evaluation datasets and their items (SERVICE.md S4.9, F3). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, nothing, read, write, writeMany } from './row.ts';

const bucket = z.record(z.string(), z.unknown());

export const createDatasetBody = z.looseObject({
  name: z.string().min(1),
  application_id: z.uuid(),
  description: z.string().nullish(),
  metadata: bucket.nullish(),
  active: z.boolean().optional(),
});

/** An empty `metadata` deletes the stored metadata. */
export const updateDatasetBody = z.looseObject({
  description: z.string().nullish(),
  metadata: bucket.nullish(),
  active: z.boolean().optional(),
});

export const newDatasetItem = z.looseObject({
  id: z.uuid().optional(),
  inputs: bucket,
  expected_outputs: bucket.nullish(),
  metadata: bucket.nullish(),
  extras: bucket.nullish(),
  source_name: z.string().nullish(),
  source_id: z.string().nullish(),
});

export const addItemsBody = z.looseObject({ items: z.array(newDatasetItem).min(1) });
export type AddItemsBody = z.infer<typeof addItemsBody>;

/** Maps a field of the item to the key of a span attribute, as returned by spans.fields. */
const bucketMapping = z.record(z.string(), z.string().min(1)).nullish();

export const addSpansBody = z.looseObject({
  application_id: z.uuid(),
  /** Inclusive. */
  start_time: z.string().min(1),
  /** Exclusive. */
  end_time: z.string().min(1),
  spans: z
    .array(z.looseObject({ trace_id: z.string().min(1), span_id: z.string().min(1) }))
    .min(1)
    .max(200),
  mapping: z.looseObject({
    inputs: bucketMapping,
    expected_outputs: bucketMapping,
    metadata: bucketMapping,
    extras: bucketMapping,
  }),
});
export type AddSpansBody = z.infer<typeof addSpansBody>;

export const datasetEndpoints = {
  'datasets.list': list({
    path: '/v3/evals/datasets',
    title: 'Datasets',
    help: 'Evaluation datasets.',
    section: 'S4.9',
    errors: [400, 500],
    item: records.evalDataset,
  }),
  'datasets.create': write({
    method: 'POST',
    path: '/v3/evals/datasets',
    title: 'Create a dataset',
    help: 'An empty dataset of an application. Its name cannot be changed later.',
    section: 'S4.9, F3.1',
    errors: [400, 409, 500],
    successStatus: 201,
    body: createDatasetBody,
    item: records.evalDataset,
  }),
  'datasets.get': read({
    path: '/v3/evals/datasets/{dataset_id}',
    title: 'Dataset',
    help: 'One evaluation dataset.',
    section: 'S4.9',
    errors: [404, 500],
    item: records.evalDataset,
  }),
  'datasets.update': write({
    method: 'PATCH',
    path: '/v3/evals/datasets/{dataset_id}',
    title: 'Change a dataset',
    help: 'Changes description, metadata and whether the dataset is active.',
    section: 'S4.9',
    errors: [400, 404, 500],
    body: updateDatasetBody,
    item: records.evalDataset,
    isRepeatSafe: true,
  }),
  'datasets.delete': write({
    method: 'DELETE',
    path: '/v3/evals/datasets/{dataset_id}',
    title: 'Delete a dataset',
    help: 'Deletes the dataset with all of its items.',
    section: 'S4.9',
    errors: [404, 500],
    successStatus: 204,
    answer: 'empty',
    body: null,
    item: nothing,
    isRepeatSafe: true,
  }),
  'datasets.items': list({
    path: '/v3/evals/datasets/{dataset_id}/items',
    title: 'Dataset items',
    help: 'Items of a dataset with their four buckets.',
    section: 'S4.9',
    errors: [400, 401, 403, 404, 500],
    query: { ordering: 'text' },
    item: records.datasetItem,
  }),
  'datasets.add-items': writeMany({
    method: 'POST',
    path: '/v3/evals/datasets/{dataset_id}/items',
    title: 'Add items',
    help: 'Adds items to a dataset; one bad item refuses the whole request.',
    section: 'S4.9, F3.2',
    errors: [400, 401, 403, 404, 500],
    successStatus: 201,
    body: addItemsBody,
    item: z.string(),
    identity: null,
    limit: 'unlisted',
  }),
  'datasets.schema': read({
    path: '/v3/evals/datasets/{dataset_id}/schema',
    title: 'Dataset schema',
    help: 'Keys of each bucket, the number of items that have them, and their types.',
    section: 'S4.9',
    errors: [401, 403, 404, 500],
    item: records.datasetSchema,
    identity: null,
  }),
  'datasets.add-spans': write({
    method: 'POST',
    path: '/v3/evals/datasets/{dataset_id}/items/from-spans',
    title: 'Add items from spans',
    help: 'Adds one item per span, up to 200 spans; adds nothing where one of them is not found.',
    section: 'S4.9, F3.3',
    errors: [400, 401, 403, 404, 422, 500],
    successStatus: 201,
    body: addSpansBody,
    item: records.bulkAddSpansResult,
    identity: null,
    limit: 'unlisted',
  }),
} satisfies Record<string, Endpoint>;
